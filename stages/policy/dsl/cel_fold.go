package dsl

import (
	"slices"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// A provider serves "GPT-4o" as "gpt-4o", so a rule about one must hold for the other, whichever of them the client, the
// author of the rule or a tenant's metadata has written. Names keep their spelling in expressions; where one is compared,
// both operands pass a function that folds them when the rule is evaluated. Nothing else is folded.

// The functions that fold operands. No expression can call them: its parser refuses the "@".
const (
	foldWhole   = "@name"    // a text or each text of a list, compared as a whole
	foldKeys    = "@names"   // the same, and the keys of a map
	foldPart    = "@part"    // a text that is compared with a part of another
	foldPattern = "@pattern" // a regular expression
)

// comparisons are the functions whose operands are folded, with the function that folds each operand.
var comparisons = map[string][2]string{
	operators.Equals: {foldWhole, foldWhole}, operators.NotEquals: {foldWhole, foldWhole}, operators.In: {foldWhole, foldKeys},
	operators.Less: {foldPart, foldPart}, operators.LessEquals: {foldPart, foldPart},
	operators.Greater: {foldPart, foldPart}, operators.GreaterEquals: {foldPart, foldPart},
	"startsWith": {foldPart, foldPart}, "endsWith": {foldPart, foldPart}, "contains": {foldPart, foldPart}, "matches": {foldPart, foldPattern},
}

// nameFolder rewrites a parsed expression.
type nameFolder struct {
	info   *ast.SourceInfo
	nextID int64
	scope  []scoped
}

// scoped is a variable of a comprehension, and whether it stands for a model's name.
type scoped struct {
	name  string
	named bool
}

// foldNames rewrites each comparison of a with a model's name.
func foldNames(a *ast.AST) {
	f := &nameFolder{info: a.SourceInfo(), nextID: ast.MaxID(a) + 1}
	f.rewrite(a.Expr())
}

// named reports whether e is, contains, or is made of, a model's name.
func (f *nameFolder) named(e ast.Expr) bool {
	switch e.Kind() {
	case ast.IdentKind:
		for _, v := range slices.Backward(f.scope) {
			if v.name == e.AsIdent() {
				return v.named
			}
		}
		return e.AsIdent() == "model"
	case ast.SelectKind:
		s := e.AsSelect()
		return s.FieldName() != "context_window" && !s.IsTestOnly() && f.named(s.Operand())
	case ast.ListKind:
		return slices.ContainsFunc(e.AsList().Elements(), f.named)
	case ast.MapKind:
		return slices.ContainsFunc(e.AsMap().Entries(), func(x ast.EntryExpr) bool {
			return f.named(x.AsMapEntry().Key()) || f.named(x.AsMapEntry().Value())
		})
	case ast.ComprehensionKind:
		c, outer := e.AsComprehension(), f.scope
		defer func() { f.scope = outer }()
		f.enter(c)
		return f.named(c.Result())
	case ast.CallKind:
		return f.namedCall(e.AsCall())
	}
	return false
}

func (f *nameFolder) namedCall(c ast.CallExpr) bool {
	args := operands(c)
	switch name := c.FunctionName(); name {
	case operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot, operators.NotStrictlyFalse, "size":
		return false
	case operators.Index, operators.OptIndex, operators.OptSelect: // a key is not what is found under it
		return f.named(args[0])
	case operators.Conditional:
		return slices.ContainsFunc(args[1:], f.named)
	default:
		_, compares := comparisons[name]
		return !compares && slices.ContainsFunc(args, f.named)
	}
}

// enter adds the variables of a comprehension to the scope.
func (f *nameFolder) enter(c ast.ComprehensionExpr) {
	named, result := f.named(c.IterRange()), f.named(c.AccuInit())
	f.scope = append(slices.Clip(f.scope), scoped{c.IterVar(), named}, scoped{c.IterVar2(), named}, scoped{c.AccuVar(), result})
	f.scope[len(f.scope)-1].named = result || f.named(c.LoopStep())
}

// rewrite folds the operands of comparisons in e, the innermost first.
func (f *nameFolder) rewrite(e ast.Expr) {
	switch e.Kind() {
	case ast.SelectKind:
		f.rewrite(e.AsSelect().Operand())
	case ast.ListKind:
		f.rewriteAll(e.AsList().Elements())
	case ast.MapKind:
		for _, x := range e.AsMap().Entries() {
			f.rewriteAll([]ast.Expr{x.AsMapEntry().Key(), x.AsMapEntry().Value()})
		}
	case ast.ComprehensionKind:
		c, outer := e.AsComprehension(), f.scope
		f.rewriteAll([]ast.Expr{c.IterRange(), c.AccuInit()})
		f.enter(c)
		f.rewriteAll([]ast.Expr{c.LoopCondition(), c.LoopStep(), c.Result()})
		f.scope = outer
	case ast.CallKind:
		c := e.AsCall()
		args := operands(c)
		f.rewriteAll(args)
		if by, ok := comparisons[c.FunctionName()]; ok && len(args) == len(by) && slices.ContainsFunc(args, f.named) {
			for i, arg := range args {
				f.wrap(arg, by[i])
			}
		}
	}
}

func (f *nameFolder) rewriteAll(list []ast.Expr) {
	for _, e := range list {
		f.rewrite(e)
	}
}

// operands are the target of a call and its arguments.
func operands(c ast.CallExpr) []ast.Expr {
	if c.IsMemberFunction() {
		return append([]ast.Expr{c.Target()}, c.Args()...)
	}
	return c.Args()
}

// wrap folds an operand: a literal now, anything else by a call when the rule is evaluated.
func (f *nameFolder) wrap(e ast.Expr, by string) {
	factory := ast.NewExprFactory()
	if e.Kind() == ast.ListKind && len(e.AsList().OptionalIndices()) == 0 && !slices.ContainsFunc(e.AsList().Elements(), isCompound) {
		for _, item := range e.AsList().Elements() {
			f.wrap(item, by)
		}
		return
	}
	if e.Kind() == ast.LiteralKind {
		if s, ok := e.AsLiteral().(types.String); ok {
			e.SetKindCase(factory.NewLiteral(e.ID(), folds[by](s)))
		}
		return
	}
	inner := factory.CopyExpr(e)
	inner.RenumberIDs(f.renumber)
	e.SetKindCase(factory.NewCall(e.ID(), by, inner))
}

func isCompound(e ast.Expr) bool { return e.Kind() != ast.LiteralKind }

// renumber returns a new id for a node that is moved, at its old place in the text.
func (f *nameFolder) renumber(old int64) int64 {
	id := f.nextID
	f.nextID++
	if place, ok := f.info.GetOffsetRange(old); ok {
		f.info.SetOffsetRange(id, place)
	}
	return id
}
