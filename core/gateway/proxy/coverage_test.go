package proxy_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// covered are the sections of the specification whose numbered items docs/proof/shapes.md
// has: the line that each begins with there, its heading in the page, and the items that are
// told of; nil: all.
var covered = []struct {
	begins, heading string
	items           []string
}{
	{"## What the service does", "What the service does", []string{"4", "5", "6", "8", "9", "10"}},
	{"### Messages API rules", "Messages", nil},
	{"### Responses API rules", "Responses", nil},
	{"### Chat completions specifics", "Chat completions", nil},
	{"### generateContent API rules", "generateContent", nil},
	{"### Editor client rules", "Editor client", nil},
	{"### Streaming events", "Streaming events", nil},
	{"Provider refusals:", "Provider refusals", nil},
}

var (
	testFunc  = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	testNamed = regexp.MustCompile("`(Test\\w+)`")
	numbered  = regexp.MustCompile(`^([0-9]+)\. `)
)

func TestEachSentenceOnShapesHasItsTest(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	exist := map[string]bool{}
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		src, err := os.ReadFile(path)
		for _, m := range testFunc.FindAllSubmatch(src, -1) {
			exist[string(m[1])] = true
		}
		return err
	}))
	page, err := os.ReadFile(filepath.Join(root, "docs", "proof", "shapes.md"))
	require.NoError(t, err)
	told, heading := map[string]bool{}, ""
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		if h, ok := strings.CutPrefix(line, "## "); ok {
			heading = h
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| item") {
			continue
		}
		require.Len(t, cells, 3, line)
		names := testNamed.FindAllStringSubmatch(cells[2], -1)
		if len(names) == 0 {
			assert.Regexp(t, "^none: .+", strings.TrimSpace(cells[2]), "a row has tests, or says why not: %s", line)
		}
		for _, n := range names {
			assert.True(t, exist[n[1]], "there is no %s, which this row names: %s", n[1], line)
		}
		told[heading+" "+strings.TrimSpace(cells[0])] = true
	}

	spec, err := os.ReadFile(filepath.Join(root, "..", "shared", "spec", "gateway-and-console.md"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("../shared/spec is absent: whether every item of the specification is told of is not checked")
	}
	require.NoError(t, err)
	for _, c := range covered {
		items := c.items
		if items == nil {
			items = itemsOf(string(spec), c.begins)
		}
		require.NotEmpty(t, items, c.begins)
		for _, item := range items {
			assert.True(t, told[c.heading+" "+item], "docs/proof/shapes.md says nothing of %s %s", c.heading, item)
		}
	}
}

// itemsOf are the numbers of the items of a section.
func itemsOf(spec, begins string) (items []string) {
	inside := false
	for line := range strings.Lines(spec) {
		switch m := numbered.FindStringSubmatch(line); {
		case strings.HasPrefix(line, begins):
			inside = true
		case inside && (strings.HasPrefix(line, "#") || len(items) > 0 && m == nil && strings.TrimSpace(line) != ""):
			return items
		case inside && m != nil:
			items = append(items, m[1])
		}
	}
	return items
}
