package project

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/sdk"
)

// A detector that follows streams by itself finds what it finds in whole texts, in
// each language, however the stream is cut.
func TestADetectorFollowsStreamsInEveryLanguage(t *testing.T) {
	for _, lang := range Languages() {
		if lang == "go" {
			continue // the Go SDK has no such hook: its instances are too large to be pinned
		}
		t.Run(lang, func(t *testing.T) {
			skipUnraced(t, lang)
			l, err := languageOf(lang)
			require.NoError(t, err)
			dir := t.TempDir()
			source, err := os.ReadFile(filepath.Join("testdata", "stream", l.entry))
			require.NoError(t, err)
			lib, err := sdk.Files.ReadFile(l.sdk)
			require.NoError(t, err)
			for file, text := range map[string][]byte{
				l.entry: source, filepath.Base(l.sdk): lib, "manifest.yaml": []byte("name: x\nkind: detector\nlabels: [password]\nmax_match: 6\n"),
			} {
				require.NoError(t, os.WriteFile(filepath.Join(dir, file), text, 0o600))
			}
			built, err := Build(context.Background(), dir, "", nil)
			skipMissing(t, err)
			if err != nil && strings.Contains(err.Error(), "hg_stream, which this host does not call yet") {
				t.Skip("SKIPPED: this host does not call hg_stream yet")
			}
			require.NoError(t, err)
			module, err := os.ReadFile(built.File)
			require.NoError(t, err)
			conform(t, plugin{built: built, source: module}, "", []string{"a secret", "secretsecret ssecret sesecret", "secre", "none"})
		})
	}
}
