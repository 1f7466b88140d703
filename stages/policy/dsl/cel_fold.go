package dsl

import (
	"maps"
	"slices"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// nameFolder writes the texts of an expression in lower case that it compares with a model's name. The names are in lower
// case in all expressions: providers ignore case, so that "GPT-4o" must not pass a rule about "gpt-4o", whichever of the two
// the client and whichever the author has written.
type nameFolder struct {
	bound map[string]bool // variables of comprehensions that stand for a name
}

// comparisons take names and return true or false.
var comparisons = []string{operators.Equals, operators.NotEquals, operators.In, "startsWith", "endsWith", "contains"}

// fold folds what e compares, and reports whether e itself is, or is made of, a model's name.
func (f *nameFolder) fold(e ast.Expr) (named bool) {
	switch e.Kind() {
	case ast.IdentKind:
		return e.AsIdent() == "model" || f.bound[e.AsIdent()]
	case ast.SelectKind:
		return f.fold(e.AsSelect().Operand())
	case ast.CallKind:
		return f.call(e.AsCall())
	case ast.ListKind:
		return f.all(e.AsList().Elements())
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			key, value := f.fold(entry.AsMapEntry().Key()), f.fold(entry.AsMapEntry().Value())
			named = named || key || value
		}
	case ast.ComprehensionKind:
		return f.comprehension(e.AsComprehension())
	}
	return named
}

// all folds parts that belong together. If one of them is a name, the texts beside it are taken for names.
func (f *nameFolder) all(parts []ast.Expr) (named bool) {
	for _, part := range parts {
		named = f.fold(part) || named
	}
	for _, part := range parts {
		if named {
			foldTexts(part, "")
		}
	}
	return named
}

func (f *nameFolder) call(c ast.CallExpr) (named bool) {
	args := c.Args()
	switch c.FunctionName() {
	case operators.Index, operators.OptIndex, operators.OptSelect:
		f.fold(args[1]) // a key is no name
		return f.fold(args[0])
	case operators.Conditional:
		f.fold(args[0])
		return f.all(args[1:])
	case operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot, operators.NotStrictlyFalse:
		for _, arg := range args {
			f.fold(arg)
		}
		return false
	case "matches":
		if c.IsMemberFunction() {
			args = append([]ast.Expr{c.Target()}, args...)
		}
		if f.fold(args[0]) {
			foldTexts(args[1], "(?i)") // lower case would turn \D into \d
		}
		return false
	}
	if c.IsMemberFunction() {
		args = append([]ast.Expr{c.Target()}, args...)
	}
	return f.all(args) && !slices.Contains(comparisons, c.FunctionName())
}

// comprehension folds exists, all, filter and map. Its elements are names, or it compares them with one.
func (f *nameFolder) comprehension(c ast.ComprehensionExpr) (named bool) {
	named = f.fold(c.IterRange())
	if !named && mentionsModel(c.LoopStep()) {
		foldTexts(c.IterRange(), "")
	}
	outer := f.bound
	defer func() { f.bound = outer }()
	f.bound = maps.Clone(outer)
	f.bound[c.IterVar()], f.bound[c.IterVar2()] = named, named
	for _, part := range []ast.Expr{c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()} {
		named = f.fold(part) || named
	}
	return named
}

// foldTexts writes a text in lower case, or each text of a list; with a prefix, that is put in front instead.
func foldTexts(e ast.Expr, prefix string) {
	switch e.Kind() {
	case ast.LiteralKind:
		s, ok := e.AsLiteral().Value().(string)
		if !ok {
			return
		}
		if prefix == "" {
			s = lower(s)
		}
		e.SetKindCase(ast.NewExprFactory().NewLiteral(e.ID(), types.String(prefix+s)))
	case ast.ListKind:
		for _, part := range e.AsList().Elements() {
			foldTexts(part, prefix)
		}
	}
}

func mentionsModel(e ast.Expr) (found bool) {
	ast.PostOrderVisit(e, ast.NewExprVisitor(func(e ast.Expr) {
		found = found || e.Kind() == ast.IdentKind && e.AsIdent() == "model"
	}))
	return found
}
