package store

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestADatabaseFileThatWasRemovedIsNoticed(t *testing.T) {
	for name, remove := range map[string]func(t *testing.T, path string){
		"removed": func(t *testing.T, path string) { require.NoError(t, os.Remove(path)) },
		"replaced": func(t *testing.T, path string) {
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.WriteFile(path, nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			db := openFile(t)
			w := newWriter(t, db, WriterOptions{Interval: time.Millisecond})
			require.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: "before", Status: "active"}))
			require.NoError(t, db.CheckHealth())
			kept := filepath.Join(t.TempDir(), "kept")
			require.NoError(t, os.Link(db.Path(), kept))

			remove(t, db.Path())
			require.Eventually(t, func() bool { return db.CheckHealth() != nil }, 10*time.Second, 10*time.Millisecond)
			require.ErrorIs(t, db.CheckHealth(), ErrGone)
			require.ErrorIs(t, db.Tenants().Insert(ctx, Tenant{ID: "lost", Status: "active"}), ErrGone)
			require.NoError(t, w.AppendAudit(ctx, "t", "X", []byte("{}")))
			require.Eventually(t, func() bool { return w.Stats().Failing }, 10*time.Second, time.Millisecond)

			require.NoError(t, os.Rename(kept, db.Path())) // it is back
			require.NoError(t, w.Sync(ctx), "what waited is written")
			assert.Equal(t, 1, records(t, db))
			require.Eventually(t, func() bool { return db.CheckHealth() == nil }, 10*time.Second, 10*time.Millisecond)
		})
	}
}

func TestADatabaseFileThatWasOverwrittenIsNoticed(t *testing.T) {
	ctx := context.Background()
	db := openFile(t)
	newWriter(t, db, WriterOptions{})
	_, err := db.write.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	require.NoError(t, err)
	info, err := os.Stat(db.Path())
	require.NoError(t, err)
	f, err := os.OpenFile(db.Path(), os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.Write(make([]byte, info.Size()))
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.Eventually(t, func() bool { return db.CheckHealth() != nil }, 10*time.Second, 10*time.Millisecond)
	require.ErrorIs(t, db.CheckHealth(), ErrCorrupt)
}

func TestADatabaseThatIsMissingBesideItsLogIsNotCreated(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "x.db")
	db := openPath(t, path)
	require.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: "t", Status: "active"}))
	require.NoError(t, os.Rename(path, path+".away"))
	_, err := Open(ctx, "sqlite:"+path)
	require.ErrorContains(t, err, "x.db is missing but x.db-wal exists")
	require.NoFileExists(t, path)
	require.NoError(t, os.Rename(path+".away", path))
}

func TestADatabaseIsReadWhenItsFileHasChangedAndOtherwiseSeldom(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	require.NoError(t, os.WriteFile(path, []byte("a"), 0o600))
	stat := func() os.FileInfo {
		info, err := os.Stat(path)
		require.NoError(t, err)
		return info
	}
	c := healthCheck{db: &DB{}}
	assert.True(t, c.isReadDue(stat()), "it was never read")
	c.file = stat()
	assert.False(t, c.isReadDue(stat()), "nothing has changed")
	c.rounds = readEvery
	assert.True(t, c.isReadDue(stat()), "it was not read for long")
	c.rounds = 1
	require.NoError(t, os.WriteFile(path, []byte("ab"), 0o600))
	require.NoError(t, os.Chtimes(path, c.file.ModTime(), c.file.ModTime()))
	assert.True(t, c.isReadDue(stat()), "it has grown")
	c.file = stat()
	require.NoError(t, os.Chtimes(path, c.file.ModTime(), c.file.ModTime().Add(time.Second)))
	assert.True(t, c.isReadDue(stat()), "it was written")
	c.file = stat()
	c.db.setHealth(ErrCorrupt)
	assert.True(t, c.isReadDue(stat()), "it was corrupt, and may have been mended")
}
