package plugins_test

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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// parts are the parts of the specification that have a section in docs/proof/plugins.md.
var parts = []string{
	"ABI", "Sandbox", "Process plugins", "SDKs", "Harness", "Tooling", "Trust and life", "Foreign modules", "Replay", "How fast",
	"Bad input: its own clear error that says what to change", "It must show", "Checklist",
}

var named = regexp.MustCompile("`((?:Test|Benchmark|Fuzz)\\w+)`")

// testsOf parses the test files below a folder, and returns the names of their tests.
func testsOf(t *testing.T, root string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	set := token.NewFileSet()
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "node_modules":
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && named.MatchString("`"+fn.Name.Name+"`") {
				names[fn.Name.Name] = true
			}
		}
		return nil
	}))
	return names
}

func TestEachSentenceOnPluginsHasItsTest(t *testing.T) {
	root := filepath.Join("..")
	exist := testsOf(t, root)
	page, err := os.ReadFile(filepath.Join(root, "docs", "proof", "plugins.md"))
	require.NoError(t, err)
	rows, heading := map[string]int{}, ""
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		if h, ok := strings.CutPrefix(line, "## "); ok {
			heading = h
		}
		cells := strings.Split(strings.ReplaceAll(strings.Trim(line, "|"), `\|`, "/"), "|")
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| sentence") {
			continue
		}
		require.Len(t, cells, 2, line)
		names := named.FindAllStringSubmatch(cells[1], -1)
		if len(names) == 0 {
			assert.Regexp(t, "^none: .+", strings.TrimSpace(cells[1]), "a row has tests, or says why not: %s", line)
		}
		for _, n := range names {
			assert.True(t, exist[n[1]], "there is no %s, which this row names: %s", n[1], line)
		}
		rows[heading]++
	}
	for _, part := range parts {
		assert.Positive(t, rows[part], "docs/proof/plugins.md has no section %s", part)
	}
	assert.Len(t, rows, len(parts), "an unknown section")
}
