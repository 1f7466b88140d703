package clients

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEveryTranscriptNamesItsSource checks the manifest of testdata. The transcripts that
// vendors publish are in core/dialect/*/testdata/published.
func TestEveryTranscriptNamesItsSource(t *testing.T) {
	b, err := os.ReadFile("testdata/SOURCES.tsv")
	require.NoError(t, err)
	kinds := map[string]string{}
	for line := range strings.Lines(string(b)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSpace(line), "\t")
		require.Len(t, f, 4, line)
		kinds[f[0]] = f[1]
		assert.Contains(t, []string{"recorded", "documentation", "ours"}, f[1])
		if f[1] != "ours" {
			assert.NotEqual(t, "-", f[3], "%s needs a version or a date", f[0])
		}
	}
	require.NoError(t, filepath.WalkDir("testdata", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "SOURCES.tsv" {
			return err
		}
		rel, err := filepath.Rel("testdata", file)
		require.NoError(t, err)
		for pattern := range kinds {
			if ok, err := path.Match(pattern, filepath.ToSlash(rel)); ok && err == nil {
				return nil
			}
		}
		t.Errorf("%s is not listed in testdata/SOURCES.tsv", file)
		return nil
	}))
}
