package plugins_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/plugins"
)

func TestAManifestThatCannotBeReadSaysWhatToWrite(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                      "read the manifest: empty; write at least name",
		"name: x\nlables: [a]\n":                "read the manifest: line 2: unknown key \"lables\"; write one of name, version, kind, role, labels,",
		"name: x\nreads: {txt: [user]}\n":       "line 2: unknown key \"txt\"; write one of fields, text",
		"samples: [{text: a, label: [b]}]\n":    "line 1: unknown key \"label\"; write one of text, labels",
		"name: x\nkind detector\nlabels: [a]\n": "read the manifest: line 2: ",
		"name: x\nmax_match: ten\n":             "line 2: ",
	} {
		_, err := plugins.ReadManifest([]byte(text))
		require.ErrorContains(t, err, want, text)
		require.NotContains(t, err.Error(), "wasm.", "no Go types in words for authors")
	}
}
