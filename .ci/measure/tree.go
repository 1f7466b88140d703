package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A tree is the source tree as git knows it.
type tree struct {
	root  string
	names []string // every file that git tracks, relative to root
	files []*goFile
	fset  *token.FileSet
}

// A goFile is a parsed Go file. Generated files are left out.
type goFile struct {
	name, folder string
	test         bool
	text         string
	ast          *ast.File
}

func readTree(root string) (*tree, error) {
	out, err := exec.Command("git", "-C", root, "ls-files").Output()
	if err != nil {
		return nil, err
	}
	t := &tree{root: root, names: strings.Fields(string(out)), fset: token.NewFileSet()}
	for _, name := range t.names {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, ".pb.go") || strings.Contains(name, "/testdata/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // removed and not committed yet
		}
		if err != nil {
			return nil, err
		}
		parsed, err := parser.ParseFile(t.fset, name, text, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		if ast.IsGenerated(parsed) {
			continue
		}
		t.files = append(t.files, &goFile{name, filepath.ToSlash(filepath.Dir(name)), strings.HasSuffix(name, "_test.go"), string(text), parsed})
	}
	return t, nil
}

// countTextLines counts the lines of a text.
func countTextLines(text string) int { return strings.Count(text, "\n") }
