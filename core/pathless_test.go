package core_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

func TestAnErrorOfAFileIsToldWithoutItsPath(t *testing.T) {
	dir := t.TempDir()
	_, opened := os.Open(filepath.Join(dir, "none"))
	renamed := os.Rename(filepath.Join(dir, "none"), filepath.Join(dir, "other"))
	for name, err := range map[string]error{"open": opened, "rename": renamed, "wrapped": fmt.Errorf("read: %w", opened)} {
		require.ErrorContains(t, err, dir, name)
		err = core.RemovePath(err)
		require.ErrorIs(t, err, fs.ErrNotExist, name)
		assert.NotContains(t, err.Error(), dir, name)
	}
	other := errors.New("of another kind")
	assert.Same(t, other, core.RemovePath(other))
	assert.NoError(t, core.RemovePath(nil))
}
