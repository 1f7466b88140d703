package figures

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWorseFiguresAreReported(t *testing.T) {
	known := Table{"attacks": {80, 100}, "ordinary": {1, 200}}
	for name, c := range map[string]struct {
		now  Table
		want int
	}{
		"the same":          {Table{"attacks": {80, 100}, "ordinary": {1, 200}}, 0},
		"within the bounds": {Table{"attacks": {75, 100}, "ordinary": {2, 200}}, 0},
		"better":            {Table{"attacks": {99, 100}, "ordinary": {0, 200}}, 0},
		"less found":        {Table{"attacks": {60, 100}, "ordinary": {1, 200}}, 1},
		"more alarms":       {Table{"attacks": {80, 100}, "ordinary": {12, 200}}, 1},
		"other texts":       {Table{"attacks": {80, 101}, "ordinary": {1, 200}}, 1},
		"a kind is missing": {Table{"ordinary": {1, 200}}, 1},
		"a kind is new":     {Table{"attacks": {80, 100}, "ordinary": {1, 200}, "other": {0, 1}}, 1},
	} {
		got := c.now.Compare(known, func(kind string) bool { return strings.Contains(kind, "attack") })
		assert.Len(t, got, c.want, name)
	}
}

func TestAFileOfFiguresIsReadAsItWasWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "figures.txt")
	table := Table{"a kind": {3, 7}, "another": {0, 2}}
	require.NoError(t, os.WriteFile(path, table.Format(), 0o600))
	got, err := Read(path)
	require.NoError(t, err)
	assert.Equal(t, table, got)
	require.NoError(t, os.WriteFile(path, []byte("3 7 no tabs\n"), 0o600))
	_, err = Read(path)
	assert.ErrorContains(t, err, "is not hits, texts and a kind")
}
