package pgtest

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Disk is a small disk that holds the tables of a database, and nothing else of its server.
type Disk struct{ ballast string }

// diskSize has room for an empty database, twice.
const diskSize = 48 << 20

// StartOnDisk creates an empty database on its own small disk. Without the right to mount one, which only root has, it skips
// the test.
func (s *Server) StartOnDisk(t testing.TB) (url string, d *Disk) {
	t.Helper()
	dir := filepath.Join(s.dir, "disk")
	require.NoError(t, os.Mkdir(dir, 0o700))
	options := fmt.Sprintf("size=%d,mode=0700", diskSize)
	if s.as != nil {
		options += fmt.Sprintf(",uid=%d,gid=%d", s.as.Uid, s.as.Gid)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, options); err != nil {
		t.Skip("SKIPPED: a small disk cannot be mounted here:", err)
	}
	t.Cleanup(func() { assert.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) }) // the server has files open
	s.execStatement(t, "CREATE TABLESPACE small LOCATION '"+dir+"'")
	s.execStatement(t, "CREATE DATABASE small TEMPLATE template1 TABLESPACE small")
	return s.formatURL("small"), &Disk{filepath.Join(dir, "ballast")}
}

// Fill leaves so many bytes of the disk free.
func (d *Disk) Fill(t testing.TB, left int64) {
	t.Helper()
	var fs syscall.Statfs_t
	require.NoError(t, syscall.Statfs(filepath.Dir(d.ballast), &fs))
	size := int64(fs.Bavail)*fs.Bsize - left
	require.Positive(t, size, "the disk is too small for this test")
	require.NoError(t, os.WriteFile(d.ballast, make([]byte, size), 0o600))
}

// Free gives back what Fill has taken.
func (d *Disk) Free(t testing.TB) {
	t.Helper()
	require.NoError(t, os.Remove(d.ballast))
}
