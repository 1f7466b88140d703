package main

import (
	"fmt"
	"go/ast"
	"strings"
)

// countForeignComments counts doc comments of functions that begin with another word than the function's name, as those do
// that a renaming has left behind. Tests and init are left out: what they do has no better name than a sentence.
func countForeignComments(t *tree) (int, []string) {
	var places []string
	for _, f := range t.files {
		if f.test {
			continue
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Doc == nil || fn.Name.Name == "init" {
				continue
			}
			if first, _, _ := strings.Cut(fn.Doc.Text(), " "); first != "" && strings.Trim(first, ".,:;\n") != fn.Name.Name {
				places = append(places, fmt.Sprintf("%s:%d: %s: %s", f.name, t.fset.Position(fn.Pos()).Line, fn.Name.Name, first))
			}
		}
	}
	return len(places), places
}
