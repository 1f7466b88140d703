package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store/pgtest"
)

func TestABackupIsTakenWhileTheGatewayWritesAndRestored(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	live, file, other := "sqlite:"+filepath.Join(dir, "live 1.db"), filepath.Join(dir, "back up.db"), "sqlite:"+filepath.Join(dir, "other.db")
	db := openURL(t, live)
	w := newWriter(t, db, WriterOptions{})
	for n := 1; n <= 5000; n++ {
		appendTraffic(t, w, "a", n)
	}
	require.NoError(t, w.Sync(ctx))
	require.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: "before", Status: "active"}))
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for n := 5001; !stop.Load(); n++ {
			appendTraffic(t, w, "a", n)
			assert.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: fmt.Sprint(n), Status: "active"}))
		}
	})
	err := Backup(ctx, live, file)
	stop.Store(true)
	wg.Wait()
	require.NoError(t, err)
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.ErrorContains(t, Backup(ctx, live, file), "already exists")

	require.NoError(t, Restore(ctx, other, file, false))
	restored := openURL(t, other)
	checkTraffic(t, restored, map[string]int{"a": 5000})
	_, err = restored.Tenants().Get(ctx, "before")
	require.NoError(t, err)
	assert.Equal(t, count(t, restored, "tenant"), count(t, restored, "config_change"), "one moment")
	assert.Greater(t, version(t, restored), version(t, db), "gateways take it for newer than what they have seen")
	_, complete, err := restored.Config().ListChanges(ctx, version(t, db))
	require.NoError(t, err)
	assert.False(t, complete)
	names, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, n := range names {
		assert.NotContains(t, n.Name(), ".part")
	}
}

func TestADatabaseIsOverwrittenOnlyOnDemandAndWhenNobodyHasIt(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	path, file := filepath.Join(dir, "x.db"), filepath.Join(dir, "backup")
	db, err := Open(ctx, "sqlite:"+path)
	require.NoError(t, err)
	require.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: "old", Status: "active"}))
	require.NoError(t, Backup(ctx, "sqlite:"+path, file))
	require.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: "new", Status: "active"}))
	require.ErrorContains(t, Restore(ctx, "sqlite:"+path, file, false), "already")
	require.ErrorContains(t, Restore(ctx, "sqlite:"+path, file, true), "stop the gateway")
	_, err = db.Tenants().Get(ctx, "new")
	require.NoError(t, err, "nothing has happened")
	v := version(t, db)
	require.NoError(t, db.Close(ctx))

	require.NoError(t, Restore(ctx, "sqlite:"+path, file, true))
	db = openPath(t, path)
	_, err = db.Tenants().Get(ctx, "old")
	require.NoError(t, err)
	_, err = db.Tenants().Get(ctx, "new")
	require.ErrorIs(t, err, ErrNotFound)
	assert.Greater(t, version(t, db), v)
}

func TestADamagedDatabaseIsReplaced(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	path, file := filepath.Join(dir, "x.db"), filepath.Join(dir, "backup")
	db, err := Open(ctx, "sqlite:"+path)
	require.NoError(t, err)
	require.NoError(t, db.Close(ctx))
	require.NoError(t, Backup(ctx, "sqlite:"+path, file))
	require.NoError(t, os.WriteFile(path, []byte("what is left of a database after the disk had failed"), 0o600))
	require.NoError(t, Restore(ctx, "sqlite:"+path, file, true))
	openPath(t, path)
}

// The write-ahead log of a database that is gone would be taken for that of the restored one.
func TestWhatALostDatabaseHasLeftIsNotTakenOver(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	path, file := filepath.Join(dir, "x.db"), filepath.Join(dir, "backup")
	db, err := Open(ctx, "sqlite:"+path)
	require.NoError(t, err)
	require.NoError(t, Backup(ctx, "sqlite:"+path, file))
	require.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: "later", Status: "active"}))
	log, err := os.ReadFile(path + "-wal")
	require.NoError(t, err)
	require.NotEmpty(t, log)
	require.NoError(t, db.Close(ctx))
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.WriteFile(path+"-wal", log, 0o600))
	require.NoError(t, Restore(ctx, "sqlite:"+path, file, false))
	db = openPath(t, path)
	_, err = db.Tenants().Get(ctx, "later")
	require.ErrorIs(t, err, ErrNotFound)
	var sound string
	require.NoError(t, db.read.Get(&sound, "PRAGMA integrity_check"))
	assert.Equal(t, "ok", sound)
}

func TestWhatIsNoBackupIsNotRestored(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	path, file := filepath.Join(dir, "x.db"), filepath.Join(dir, "backup")
	db, err := Open(ctx, "sqlite:"+path)
	require.NoError(t, err)
	_, err = db.write.Exec(
		"INSERT INTO setting (name, value) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 500) SELECT 's' || i, randomblob(1000) FROM n",
	)
	require.NoError(t, err)
	require.NoError(t, Backup(ctx, "sqlite:"+path, file))
	good, err := os.ReadFile(file)
	require.NoError(t, err)
	foreign := filepath.Join(dir, "foreign")
	lite, err := openLite("file:" + foreign)
	require.NoError(t, err)
	_, err = lite.Exec("CREATE TABLE x (y)")
	require.NoError(t, err)
	require.NoError(t, lite.Close())
	_, err = db.write.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, 1)")
	require.NoError(t, err)
	newer := filepath.Join(dir, "newer")
	require.ErrorIs(t, Backup(ctx, "sqlite:"+path, newer), ErrNewer, "an older program cannot know that it is whole")
	require.NoError(t, db.Close(ctx))
	target := "sqlite:" + filepath.Join(dir, "target.db")
	bad := filepath.Join(dir, "bad")
	damaged := append([]byte(nil), good...)
	for i := len(good) / 2; i < len(good)/2+30000; i++ {
		damaged[i] ^= 0x5a
	}
	for name, c := range map[string]struct {
		content []byte
		file    string
		want    string
	}{
		"no database":      {[]byte("this is certainly no database, and it is long enough to tell"), bad, "not a complete database"},
		"an empty file":    {nil, bad, "not one of headgate"},
		"cut short":        {good[:len(good)/2], bad, "not a complete database"},
		"damaged":          {damaged, bad, "not a complete database"},
		"another program":  {nil, foreign, "not one of headgate"},
		"a newer headgate": {nil, path, "newer version"},
		"no file":          {nil, filepath.Join(dir, "nothing"), "not a complete database"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.file == bad {
				require.NoError(t, os.WriteFile(bad, c.content, 0o600))
			}
			require.ErrorContains(t, Restore(ctx, target, c.file, true), c.want)
			_, err := os.Stat(filepath.Join(dir, "target.db"))
			require.ErrorIs(t, err, os.ErrNotExist)
		})
	}
}

func TestBackupsOfPostgreSQLAreItsOwn(t *testing.T) {
	ctx := context.Background()
	url := pgtest.CreateSharedDatabase(t)
	require.ErrorContains(t, Backup(ctx, url, filepath.Join(t.TempDir(), "x")), "pg_dump")
	require.ErrorContains(t, Restore(ctx, url, "x", true), "pg_restore")
	require.ErrorContains(t, Restore(ctx, "sqlite::memory:", "x", true), "sqlite:<path>")
	require.ErrorContains(t, Backup(ctx, "sqlite:"+filepath.Join(t.TempDir(), "no.db"), filepath.Join(t.TempDir(), "x")), "no database")
}
