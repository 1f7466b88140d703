package core_test

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTheMapNamesEachPackage holds the map of docs/architecture.md to the tree: a newcomer who looks for a folder finds
// what it is for. Samples and helpers of one package's tests are left out.
func TestTheMapNamesEachPackage(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join(root(t), "docs", "architecture.md"))
	require.NoError(t, err)
	_, after, ok := strings.Cut(string(doc), "## The map\n\n```\n")
	require.True(t, ok)
	drawn, _, ok := strings.Cut(after, "```")
	require.True(t, ok)
	words := map[string]bool{}
	for _, w := range regexp.MustCompile(`[a-z0-9]+`).FindAllString(drawn, -1) {
		words[w] = true
	}
	for _, pkg := range slices.Sorted(maps.Keys(imports(t))) {
		name := path.Base(pkg)
		if strings.Contains(pkg, "/samples/") || strings.HasSuffix(name, "test") && name != "stagetest" && name != "consoletest" {
			continue
		}
		assert.True(t, words[name], "%s: say in the map of docs/architecture.md what it is for", pkg)
	}
}
