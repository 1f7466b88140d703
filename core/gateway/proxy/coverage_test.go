package proxy_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// covered lists the sections of docs/proof/client-shapes.md with the numbers of their items in the specification.
var covered = []struct {
	heading     string
	first, last int
}{
	{"What the service does", 4, 6},
	{"What the service does", 8, 10},
	{"Messages", 1, 7},
	{"Responses", 1, 10},
	{"Chat completions", 1, 5},
	{"generateContent", 1, 6},
	{"Editor client", 1, 4},
	{"Streaming events", 1, 3},
	{"Provider refusals", 1, 5},
}

var (
	testFunc  = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	testNamed = regexp.MustCompile("`(Test\\w+)`")
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
	page, err := os.ReadFile(filepath.Join(root, "docs", "proof", "client-shapes.md"))
	require.NoError(t, err)
	listed, heading := map[string]bool{}, ""
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
			assert.Regexp(t, "^none: .+", strings.TrimSpace(cells[2]), "a row must name tests or say why it has none: %s", line)
		}
		for _, n := range names {
			assert.True(t, exist[n[1]], "no test is called %s, which this row names: %s", n[1], line)
		}
		listed[heading+" "+strings.TrimSpace(cells[0])] = true
	}

	for _, c := range covered {
		for item := c.first; item <= c.last; item++ {
			assert.True(t, listed[fmt.Sprintf("%s %d", c.heading, item)], "docs/proof/client-shapes.md has no row for %s %d", c.heading, item)
		}
	}
}
