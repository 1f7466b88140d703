package dsl

import (
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/common/ast"
)

// A provider serves "GPT-4o" as "gpt-4o", so a rule about one must apply to the other, whether the client, the author
// of the rule or a tenant's metadata uses either spelling. Names keep their spelling in expressions. When the rule is
// evaluated, both operands of a comparison with a name are folded by a function. Nothing else is folded.

// The functions that fold operands. Expressions cannot call them, because the parser refuses the "@".
const (
	foldWhole   = "@name"    // a text or each text of a list, compared as a whole
	foldKeys    = "@names"   // the same, or the keys of a map
	foldPart    = "@part"    // a text that is compared with a part of another
	foldPattern = "@pattern" // a regular expression
	foldMap     = "@map"     // a map in which a name is looked up
)

// nameFolder rewrites a parsed expression.
type nameFolder struct {
	info   *ast.SourceInfo
	nextID int64
	scope  []scoped
	err    error // why the expression is refused; the first reason
}

// scoped is a variable of a comprehension, and whether it stands for a model's name.
type scoped struct {
	name  string
	named bool
}

// foldNames rewrites each comparison with a model's name, and each lookup by one. It refuses what it cannot rewrite.
func foldNames(a *ast.AST) error {
	f := &nameFolder{info: a.SourceInfo(), nextID: ast.MaxID(a) + 1}
	f.stripDots(a.Expr())
	f.rewrite(a.Expr())
	return f.err
}

// stripDots removes the leading dots of variables and functions: ".model" means "model", unless a comprehension has a
// variable with that name. Such an expression is refused.
func (f *nameFolder) stripDots(root ast.Expr) {
	local, factory := map[string]bool{}, ast.NewExprFactory()
	ast.PreOrderVisit(root, ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.ComprehensionKind {
			c := e.AsComprehension()
			for _, name := range []string{c.IterVar(), c.IterVar2(), c.AccuVar()} {
				local[strings.TrimPrefix(name, ".")] = true
			}
		}
	}))
	ast.PreOrderVisit(root, ast.NewExprVisitor(func(e ast.Expr) {
		switch e.Kind() {
		case ast.IdentKind:
			name, dotted := strings.CutPrefix(e.AsIdent(), ".")
			if dotted && local[name] {
				f.refuse(e, "%s is a variable of the expression too; rename that and leave out the leading dot", name)
			}
			if dotted {
				e.SetKindCase(factory.NewIdent(e.ID(), name))
			}
		case ast.CallKind:
			if c := e.AsCall(); strings.HasPrefix(c.FunctionName(), ".") && !c.IsMemberFunction() {
				e.SetKindCase(factory.NewCall(e.ID(), c.FunctionName()[1:], c.Args()...))
			}
		}
	}))
}

// refuse keeps the first reason for which the expression is refused.
func (f *nameFolder) refuse(e ast.Expr, format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf(format+" (column %d)", append(args, f.info.GetStartLocation(e.ID()).Column()+1)...)
	}
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
			if f.namesModel(x.AsMapEntry().Key()) {
				f.refuse(x.AsMapEntry().Key(), "a model's name cannot be the key of a map; compare it with ==, in or exists")
			}
		}
	case ast.StructKind:
		for _, x := range e.AsStruct().Fields() {
			f.rewrite(x.AsStructField().Value())
		}
		if f.namesModel(e) {
			f.refuse(e, "a model's name cannot be in a message; compare it with ==, in or exists")
		}
	case ast.ComprehensionKind:
		c, outer := e.AsComprehension(), f.scope
		f.rewriteAll([]ast.Expr{c.IterRange(), c.AccuInit()})
		f.enter(c)
		f.rewriteAll([]ast.Expr{c.LoopCondition(), c.LoopStep(), c.Result()})
		f.scope = outer
	case ast.CallKind:
		f.rewriteCall(e.AsCall(), e)
	}
}

func (f *nameFolder) rewriteCall(c ast.CallExpr, e ast.Expr) {
	args, name := listOperands(c), c.FunctionName()
	f.rewriteAll(args)
	if !slices.ContainsFunc(args, f.namesModel) {
		return
	}
	by, folded := comparisons[name]
	if lookup, ok := lookups[name]; ok && len(args) == len(lookup) && f.namesModel(args[1]) {
		by, folded = lookup, true
	}
	switch {
	case folded && len(args) == len(by):
		for i, arg := range args {
			f.wrap(arg, by[i])
		}
	case !carriers[name] && !neutral[name] && !(name == "hasValue" && len(args) == 1): // which compares nothing
		f.refuse(e, "%s() cannot be used on a model's name, because other spellings mean the same model; compare the name with "+
			"==, in, startsWith, endsWith, contains, matches or exists", name)
	}
}

func (f *nameFolder) rewriteAll(list []ast.Expr) {
	for _, e := range list {
		f.rewrite(e)
	}
}

// wrap folds an operand: a literal now, anything else by a call when the rule is evaluated.
func (f *nameFolder) wrap(e ast.Expr, by string) {
	factory := ast.NewExprFactory()
	if by != foldMap && e.Kind() == ast.ListKind && len(e.AsList().OptionalIndices()) == 0 &&
		!slices.ContainsFunc(e.AsList().Elements(), isCompound) {
		for _, item := range e.AsList().Elements() {
			f.wrap(item, by)
		}
		return
	}
	if e.Kind() == ast.LiteralKind {
		e.SetKindCase(factory.NewLiteral(e.ID(), folds[by](e.AsLiteral())))
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
