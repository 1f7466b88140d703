package main

import (
	"fmt"
	"go/ast"
	"go/token"
)

// countComplexity returns the highest cyclomatic complexity of a function outside tests: one, and one for each if, loop,
// case and short-circuit operator, with those of function literals in it, as gocyclo counts.
func countComplexity(t *tree) (int, []string) {
	most, places := 0, []string(nil)
	for _, f := range t.files {
		if f.test {
			continue
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			n := countPaths(fn)
			most = max(most, n)
			if n > 25 {
				places = append(places, fmt.Sprintf("%s:%d: %s has %d", f.name, t.fset.Position(fn.Pos()).Line, fn.Name.Name, n))
			}
		}
	}
	return most, places
}

// countPaths returns the cyclomatic complexity of a function.
func countPaths(fn *ast.FuncDecl) int {
	n := 1
	ast.Inspect(fn, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			if node.List != nil {
				n++
			}
		case *ast.CommClause:
			if node.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if node.Op == token.LAND || node.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}
