package contract_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// listTests returns the names of all tests of the project.
func listTests(t testing.TB) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	require.NoError(t, filepath.WalkDir(filepath.Join("..", "..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if d.IsDir() {
			return nil
		}
		if file, ok := strings.CutSuffix(d.Name(), ".test.mjs"); ok {
			return inBrowser(path, file, names)
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
				names[f.Name.Name] = true
			}
		}
		return nil
	}))
	return names
}

var (
	sentence = regexp.MustCompile(`(?m)^test\('([^']+)'`)
	notWord  = regexp.MustCompile(`[^a-z0-9]+`)
)

// inBrowser adds the tests of a file that drives a browser: FILE/the-sentence.
func inBrowser(path, file string, names map[string]bool) error {
	text, err := os.ReadFile(path)
	for _, m := range sentence.FindAllSubmatch(text, -1) {
		names[file+"/"+strings.Trim(notWord.ReplaceAllString(strings.ToLower(string(m[1])), "-"), "-")] = true
	}
	return err
}
