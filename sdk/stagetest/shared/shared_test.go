package shared

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAFolderIsFilledOnceHoweverManyAsk(t *testing.T) {
	t.Setenv(Variable, filepath.Join(t.TempDir(), "shared"))
	var times int // guarded by the folder's lock
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			dir, err := Folder("a", func(dir string) error {
				times++
				return os.WriteFile(filepath.Join(dir, "x"), []byte("made"), 0o600)
			})
			if assert.NoError(t, err) {
				assert.FileExists(t, filepath.Join(dir, "x"))
			}
		})
	}
	all.Wait()
	assert.Equal(t, 1, times)
	dir, err := Folder("a/below", func(string) error { return nil })
	require.NoError(t, err)
	assert.DirExists(t, dir)
}

func TestAFolderThatCouldNotBeFilledIsEmptyForTheNext(t *testing.T) {
	t.Setenv(Variable, t.TempDir())
	wrong := errors.New("wrong")
	_, err := Folder("a", func(dir string) error {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "half"), nil, 0o600))
		return wrong
	})
	require.ErrorIs(t, err, wrong)
	dir, err := Folder("a", func(dir string) error {
		assert.NoFileExists(t, filepath.Join(dir, "half"))
		return nil
	})
	require.NoError(t, err)
	assert.DirExists(t, dir)
}

func TestAFolderOfOnesOwnIsRemoved(t *testing.T) {
	t.Setenv(Variable, "")
	dir, err := Folder("a", func(string) error { return nil })
	require.NoError(t, err)
	Remove()
	assert.NoDirExists(t, dir)
}
