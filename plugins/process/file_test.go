//go:build unix

package process

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Opening a pipe would wait for its other end, and no other plugin could be started meanwhile.
func TestAPipeInThePlaceOfAPluginIsRefusedAtOnce(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o755))
	said := make(chan error, 1)
	go func() {
		_, err := openExecutable(dir, "pipe")
		said <- err
	}()
	require.Eventually(t, func() bool { return len(said) > 0 }, timeToWait, tick)
	assert.ErrorContains(t, <-said, "not a regular file")
}
