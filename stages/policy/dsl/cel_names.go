package dsl

import (
	"slices"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
)

// Whether a rule may call a function with a model's name depends on the function. A function that is in none of these
// tables is refused if an operand contains a name: it could distinguish GPT-4o from gpt-4o, and its result would not be
// folded.

// comparisons are the functions whose operands are folded, with the function that folds each operand.
var comparisons = map[string][2]string{
	operators.Equals: {foldWhole, foldWhole}, operators.NotEquals: {foldWhole, foldWhole}, operators.In: {foldWhole, foldKeys},
	operators.Less: {foldPart, foldPart}, operators.LessEquals: {foldPart, foldPart},
	operators.Greater: {foldPart, foldPart}, operators.GreaterEquals: {foldPart, foldPart},
	"startsWith": {foldPart, foldPart}, "endsWith": {foldPart, foldPart}, "contains": {foldPart, foldPart}, "matches": {foldPart, foldPattern},
	"hasValue": {foldWhole, foldWhole},
}

// lookups find a value by its key. If the key is named, it is folded like the keys of the map.
var lookups = map[string][2]string{operators.Index: {foldMap, foldWhole}, operators.OptIndex: {foldMap, foldWhole}}

// carriers return a name if they are given one.
var carriers = makeSet(operators.Add, operators.Conditional, operators.Index, operators.OptIndex, operators.OptSelect,
	overloads.TypeConvertString, overloads.TypeConvertBytes, overloads.TypeConvertDyn,
	"optional.of", "of", "ofNonZeroValue", "value", "or", "orValue", "first", "last", "unwrap", "unwrapOpt",
	foldWhole, foldKeys, foldPart, foldPattern, foldMap)

// neutral functions return the same result however a name is spelled, and never a name.
var neutral = makeSet(operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot, operators.NotStrictlyFalse,
	operators.Subtract, operators.Multiply, operators.Divide, operators.Modulo, operators.Negate,
	overloads.Size, overloads.TypeConvertType, overloads.TypeConvertInt, overloads.TypeConvertUint, overloads.TypeConvertDouble)

func makeSet(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

// namesModel reports whether e is, contains, or is computed from, a model's name.
func (f *nameFolder) namesModel(e ast.Expr) bool {
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
		return !s.IsTestOnly() && f.namesModel(s.Operand()) && !f.isWindow(s.Operand(), s.FieldName())
	case ast.ListKind:
		return slices.ContainsFunc(e.AsList().Elements(), f.namesModel)
	case ast.MapKind:
		return slices.ContainsFunc(e.AsMap().Entries(), func(x ast.EntryExpr) bool {
			return f.namesModel(x.AsMapEntry().Key()) || f.namesModel(x.AsMapEntry().Value())
		})
	case ast.StructKind:
		return slices.ContainsFunc(e.AsStruct().Fields(), func(x ast.EntryExpr) bool { return f.namesModel(x.AsStructField().Value()) })
	case ast.ComprehensionKind:
		c, outer := e.AsComprehension(), f.scope
		defer func() { f.scope = outer }()
		f.enter(c)
		return f.namesModel(c.Result())
	case ast.CallKind:
		return f.namesModelInCall(e.AsCall())
	}
	return false
}

func (f *nameFolder) namesModelInCall(c ast.CallExpr) bool {
	args := listOperands(c)
	switch name := c.FunctionName(); name {
	case operators.Index, operators.OptIndex, operators.OptSelect: // a key is not what is found under it
		return f.namesModel(args[0]) && !f.isWindow(args[0], readLiteral(args[1]))
	case operators.Conditional:
		return slices.ContainsFunc(args[1:], f.namesModel)
	default:
		return carriers[name] && slices.ContainsFunc(args, f.namesModel)
	}
}

// isWindow reports whether a field is the model's context window, which is a number.
func (f *nameFolder) isWindow(of ast.Expr, field string) bool {
	return field == "context_window" && of.Kind() == ast.IdentKind && of.AsIdent() == "model" &&
		!slices.ContainsFunc(f.scope, func(v scoped) bool { return v.name == "model" })
}

// readLiteral returns the text of a literal, or "".
func readLiteral(e ast.Expr) string {
	if e.Kind() != ast.LiteralKind {
		return ""
	}
	s, _ := e.AsLiteral().Value().(string)
	return s
}

// enter adds the variables of a comprehension to the scope.
func (f *nameFolder) enter(c ast.ComprehensionExpr) {
	named, result := f.namesModel(c.IterRange()), f.namesModel(c.AccuInit())
	f.scope = append(slices.Clip(f.scope), scoped{c.IterVar(), named}, scoped{c.IterVar2(), named}, scoped{c.AccuVar(), result})
	f.scope[len(f.scope)-1].named = result || f.namesModel(c.LoopStep())
}

// listOperands returns the target of a call and its arguments.
func listOperands(c ast.CallExpr) []ast.Expr {
	if c.IsMemberFunction() {
		return append([]ast.Expr{c.Target()}, c.Args()...)
	}
	return c.Args()
}
