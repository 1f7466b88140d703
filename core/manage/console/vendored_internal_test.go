package console

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What we did not write ourselves is served as it was published.
func TestVendoredFilesAreThoseThatWerePublished(t *testing.T) {
	list, err := staticFiles.ReadFile("static/uplot/VENDORED.tsv")
	require.NoError(t, err)
	n := 0
	for line := range strings.Lines(string(list)) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		if cells[0] == "file" {
			continue
		}
		b, err := staticFiles.ReadFile("static/uplot/" + cells[0])
		require.NoError(t, err)
		sum := sha256.Sum256(b)
		assert.Equal(t, cells[2], hex.EncodeToString(sum[:]), cells[0])
		n++
	}
	files, err := staticFiles.ReadDir("static/uplot")
	require.NoError(t, err)
	assert.Len(t, files, n+1, "each file has its line")
}
