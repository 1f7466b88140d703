package description

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the generated parts")

// root is the project's folder.
var root = filepath.Join("..", "..", "..")

func TestTheGeneratedPartsAreCurrent(t *testing.T) {
	a, err := Read()
	require.NoError(t, err)
	for _, p := range a.Parts() {
		path := filepath.Join(root, filepath.FromSlash(p.File))
		have, err := os.ReadFile(path)
		require.NoError(t, err)
		want, err := p.Replace(string(have))
		require.NoError(t, err)
		if *update && want != string(have) {
			require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
			continue
		}
		assert.Equal(t, want, string(have), "%s, part %s: run go generate ./wasm/abi/description", p.File, p.Name)
	}
}

func TestEveryBreachIsOfAnImportAndEveryImportNamesBreachesThatThereAre(t *testing.T) {
	a, err := Read()
	require.NoError(t, err)
	used := map[string]bool{}
	for _, f := range a.Imports {
		for _, id := range f.Breaches {
			assert.NotEmpty(t, a.FindReason(id), "%s: %s", f.Name, id)
			used[id] = true
		}
	}
	for _, b := range a.Breaches {
		assert.True(t, used[b.ID], b.ID)
	}
}

func TestARegionWithoutMarksIsRefused(t *testing.T) {
	p := Part{File: "x.h", Name: "all", Text: "new\n"}
	for text, want := range map[string]string{
		"no marks":              "x.h has no line with abi:begin all",
		"// abi:begin all\nold": "x.h: the region all has no line with abi:end",
	} {
		_, err := p.Replace(text)
		assert.EqualError(t, err, want)
	}
	got, err := p.Replace("a\n// abi:begin all\nold\n// abi:end\nb\n")
	require.NoError(t, err)
	assert.Equal(t, "a\n// abi:begin all\nnew\n// abi:end\nb\n", got)
}
