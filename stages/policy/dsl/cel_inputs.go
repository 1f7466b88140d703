package dsl

import (
	"fmt"
	"strings"

	"cel.dev/cel-go/common/ast"
)

// collectInputs records which inputs the expression reads, and refuses fields that do not exist: they would fail on every
// request.
func (x *expression) collectInputs(e ast.Expr) error {
	root, field := parseSelection(e)
	if fields, ok := variables[root]; ok {
		if field == "" {
			x.needs |= fields.listAttrs()
			return nil
		}
		return x.collectField(root, field, fields)
	}
	if root == "now" {
		x.needs |= NewAttrSet(Clock)
	}
	return x.visitParts(e)
}

func (x *expression) collectField(root, field string, fields fieldSet) error {
	if fields.open {
		x.needs |= fields.listAttrs()
		return nil
	}
	a, ok := fields.attrs[field]
	if !ok {
		known := fields.listNames()
		if near := suggestWord(field, known); near != "" {
			return fmt.Errorf("%s has no field %q; did you mean %s.%s?", root, field, root, near)
		}
		return fmt.Errorf("%s has no field %q; it has %s", root, field, strings.Join(known, ", "))
	}
	x.needs |= NewAttrSet(a)
	return nil
}

// visitParts visits the parts of an expression.
func (x *expression) visitParts(e ast.Expr) error {
	var kids []ast.Expr
	switch e.Kind() {
	case ast.CallKind:
		c := e.AsCall()
		if c.IsMemberFunction() {
			kids = append(kids, c.Target())
		}
		kids = append(kids, c.Args()...)
	case ast.SelectKind:
		kids = append(kids, e.AsSelect().Operand())
	case ast.ListKind:
		kids = append(kids, e.AsList().Elements()...)
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			kids = append(kids, entry.AsMapEntry().Key(), entry.AsMapEntry().Value())
		}
	case ast.StructKind:
		for _, field := range e.AsStruct().Fields() {
			kids = append(kids, field.AsStructField().Value())
		}
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		kids = append(kids, c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result())
	}
	for _, kid := range kids {
		if err := x.collectInputs(kid); err != nil {
			return err
		}
	}
	return nil
}

// parseSelection finds the variable and its field in a, a.b, a.?b, a["b"] and a[?"b"]. Other expressions have none.
func parseSelection(e ast.Expr) (root, field string) {
	switch e.Kind() {
	case ast.IdentKind:
		return e.AsIdent(), ""
	case ast.SelectKind:
		if s := e.AsSelect(); s.Operand().Kind() == ast.IdentKind {
			return s.Operand().AsIdent(), s.FieldName()
		}
	case ast.CallKind:
		c := e.AsCall()
		switch c.FunctionName() {
		case "_?._", "_[_]", "_[?_]":
			if of, key := c.Args()[0], c.Args()[1]; of.Kind() == ast.IdentKind && key.Kind() == ast.LiteralKind {
				if s, ok := key.AsLiteral().Value().(string); ok {
					return of.AsIdent(), s
				}
			}
		}
	}
	return "", ""
}
