package main

import (
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// countFileCycles counts the files of a package that are part of a cycle: file a uses a
// package-level name or a method that file b declares, and b, directly or by way of others, one of a.
func countFileCycles(folder string) func(*tree) (int, []string) {
	return func(t *tree) (int, []string) {
		uses, err := findUses(t.root, folder)
		if err != nil {
			return 1 << 20, []string{err.Error()}
		}
		var places []string
		for _, group := range findComponents(uses) {
			if len(group) > 1 {
				places = append(places, strings.Join(group, " "))
			}
		}
		n := 0
		for _, p := range places {
			n += len(strings.Fields(p))
		}
		return n, places
	}
}

// findUses says for each file of a package which of its other files it needs.
func findUses(root, folder string) (map[string]map[string]bool, error) {
	if _, err := os.Stat(filepath.Join(root, folder)); os.IsNotExist(err) {
		return nil, nil
	}
	cfg := &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes |
			packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps,
		Dir: root, BuildFlags: []string{"-tags=nomsgpack,grpcnotrace"},
	}
	loaded, err := packages.Load(cfg, "./"+folder)
	if err != nil {
		return nil, err
	}
	p := loaded[0]
	if len(p.Errors) > 0 {
		return nil, fmt.Errorf("%s: %w", folder, p.Errors[0])
	}
	uses := map[string]map[string]bool{}
	file := func(o types.Object) string { return filepath.Base(p.Fset.Position(o.Pos()).Filename) }
	for _, syntax := range p.Syntax {
		uses[filepath.Base(p.Fset.Position(syntax.Pos()).Filename)] = map[string]bool{}
	}
	for id, o := range p.TypesInfo.Uses {
		if o.Pkg() != p.Types {
			continue
		}
		_, isMethod := o.(*types.Func)
		if !isMethod && o.Parent() != p.Types.Scope() {
			continue // a local name or a field: the file that declares its type counts
		}
		from, to := filepath.Base(p.Fset.Position(id.Pos()).Filename), file(o)
		if from != to {
			uses[from][to] = true
		}
	}
	return uses, nil
}

// findComponents returns the strongly connected components of a graph, each sorted.
func findComponents(graph map[string]map[string]bool) [][]string {
	var (
		index   = map[string]int{}
		low     = map[string]int{}
		onStack = map[string]bool{}
		stack   []string
		out     [][]string
		visit   func(v string)
	)
	visit = func(v string) {
		index[v] = len(index) + 1
		low[v] = index[v]
		stack = append(stack, v)
		onStack[v] = true
		for w := range graph[v] {
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if onStack[w] {
				low[v] = min(low[v], index[w])
			}
		}
		if low[v] != index[v] {
			return
		}
		at := slices.Index(stack, v)
		group := slices.Sorted(slices.Values(stack[at:]))
		for _, w := range group {
			onStack[w] = false
		}
		stack = stack[:at]
		out = append(out, group)
	}
	for v := range graph {
		if index[v] == 0 {
			visit(v)
		}
	}
	return out
}
