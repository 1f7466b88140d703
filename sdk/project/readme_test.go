package project

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk"
	"github.com/headgate-dev/headgate/wasm"
)

var fenced = regexp.MustCompile("(?s)```[a-z]+\n(.*?)```")

// What the page of a language shows is built, and does what it says.
func TestThePagesOfTheLanguagesWorkAsWritten(t *testing.T) {
	for _, lang := range Languages() {
		if lang == "go" {
			continue // its page is the package's documentation, with a tested example
		}
		t.Run(lang, func(t *testing.T) {
			skipUnraced(t, lang)
			l, err := findLanguage(lang)
			require.NoError(t, err)
			page, err := os.ReadFile(filepath.Join("..", lang, "README.md"))
			require.NoError(t, err)
			code := fenced.FindAllSubmatch(page, -1)
			require.Len(t, code, 2, "a detector and a stage")
			var said bytes.Buffer
			shown := func(name, manifest string, source []byte) plugin {
				dir := t.TempDir()
				lib, err := sdk.Files.ReadFile(l.sdk)
				require.NoError(t, err)
				for file, text := range map[string][]byte{l.entry: source, filepath.Base(l.sdk): lib, "manifest.yaml": []byte("name: " + name + "\n" + manifest)} {
					require.NoError(t, os.WriteFile(filepath.Join(dir, file), text, 0o600))
				}
				built, err := Build(context.Background(), dir, "", &said)
				skipMissing(t, err)
				require.NoError(t, err)
				module, err := os.ReadFile(built.File)
				require.NoError(t, err)
				return plugin{built: built, source: module}
			}
			v := shown("detector", "kind: detector\nlabels: [a]\nmax_match: 6\n", code[0][1]).load(t, "")
			defer v.Release(context.Background())
			got, err := v.Detect(context.Background(), nil, "a secret, secret", 0)
			require.NoError(t, err)
			assert.Equal(t, []wasm.Match{{Start: 2, End: 8, Score: 1}, {Start: 10, End: 16, Score: 1}}, got)
			got, err = v.Detect(context.Background(), nil, "a secret", 2)
			require.NoError(t, err)
			assert.Empty(t, got, "it may go on")

			st := shown("stage", "kind: stage\nphases: [request]\nreads: {fields: [model]}\n", code[1][1]).stage(t, "")
			defer func() { require.NoError(t, st.Close(context.Background())) }()
			assert.Equal(t, "no_model", checkModel(t, st, ""))
			assert.Equal(t, "a", checkModel(t, st, "gpt-4o"))

			for _, word := range strings.Fields(said.String()) {
				if strings.HasPrefix(word, "-") && !strings.Contains(word, os.TempDir()) && !strings.HasPrefix(word, "-M") && word != "-I" {
					assert.Contains(t, string(page), word, "the command that the page shows")
				}
			}
		})
	}
}

func checkModel(t *testing.T, st core.Stage, model string) string {
	t.Helper()
	return describeVerdict(t, st, newRequest(core.Head{Model: model}, "acme", "a"), "a")
}
