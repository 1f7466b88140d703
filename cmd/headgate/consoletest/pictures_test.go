package consoletest

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "update the list of pictures in docs/console.md")

// shots are the pictures of one state of a page, in the order of the document.
var shots = []string{"light", "dark", "phone"}

// maxPictures limits the pictures in the repository. `make pictures` takes those of all pages.
const maxPictures = 20

// TestTheDocumentShowsEachPicture compares the list in docs/console.md with the pictures in docs/console.
func TestTheDocumentShowsEachPicture(t *testing.T) {
	const page, folder, mark = "../../../docs/console.md", "../../../docs/console", "## Pictures\n"
	files, err := filepath.Glob(filepath.Join(folder, "*.webp"))
	require.NoError(t, err)
	require.NotEmpty(t, files, "take them with make pictures")
	require.LessOrEqual(t, len(files), maxPictures, "keep the pictures that a newcomer wants")
	states := map[string][]string{}
	for _, f := range files {
		base := strings.TrimSuffix(filepath.Base(f), ".webp")
		i := strings.LastIndexByte(base, '-')
		require.Positive(t, i, f)
		require.Contains(t, shots, base[i+1:], f)
		states[base[:i]] = append(states[base[:i]], base[i+1:])
	}
	var b strings.Builder
	b.WriteString(mark + "\nThese are some of the pages. `make pictures` takes pictures of all of them, in both themes and at phone width, " +
		"in `bin/pictures`.\n")
	for _, name := range slices.Sorted(maps.Keys(states)) {
		fmt.Fprintf(&b, "\n### %s\n\n", strings.ToUpper(name[:1])+strings.ReplaceAll(name[1:], "-", " "))
		for _, shot := range shots {
			if slices.Contains(states[name], shot) {
				fmt.Fprintf(&b, "![%s, %s](console/%s-%s.webp)\n", strings.ReplaceAll(name, "-", " "), shot, name, shot)
			}
		}
	}
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	head, _, found := strings.Cut(string(text), mark)
	require.True(t, found)
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(head+b.String()), 0o644))
		return
	}
	assert.Equal(t, head+b.String(), string(text), "go test ./cmd/headgate/consoletest -run Picture -update")
}
