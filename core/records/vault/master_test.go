package vault

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
)

func openDB(t testing.TB, path string) *store.DB {
	t.Helper()
	db, err := store.Open(context.Background(), "sqlite:"+path)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close(context.Background())) })
	return db
}

func TestAPasswordGivesTheSameKeysAgain(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	db := openDB(t, filepath.Join(dir, "a.db"))
	first, warning, err := LoadMaster(ctx, db, "correct horse")
	require.NoError(t, err)
	assert.Empty(t, warning)
	again, _, err := LoadMaster(ctx, db, "correct horse")
	require.NoError(t, err)
	assert.Equal(t, first.AuditKey(), again.AuditKey())
	assert.Len(t, first.AuditKey(), 32)
	assert.Equal(t, "master key master key master key", fmt.Sprintf("%v %+v %#v", first, first, first))
	assert.NotEqual(t, first.AuditKey(), first.derive("headgate vault wrap 1"), "each purpose has its own key")

	other := openDB(t, filepath.Join(dir, "b.db"))
	elsewhere, _, err := LoadMaster(ctx, other, "correct horse")
	require.NoError(t, err)
	assert.NotEqual(t, first.AuditKey(), elsewhere.AuditKey(), "each installation has its own salt")
	_, err = os.Stat(filepath.Join(dir, KeyFileName))
	require.ErrorIs(t, err, os.ErrNotExist, "no key file is made beside a password")
}

func TestAMasterKeyThatDoesNotFitIsRefused(t *testing.T) {
	ctx := context.Background()
	withPassword := openDB(t, filepath.Join(t.TempDir(), "a.db"))
	_, _, err := LoadMaster(ctx, withPassword, "right")
	require.NoError(t, err)
	_, _, err = LoadMaster(ctx, withPassword, "wrong")
	require.ErrorIs(t, err, ErrWrongMaster)
	assert.NotContains(t, err.Error(), "wrong\"")
	_, _, err = LoadMaster(ctx, withPassword, "")
	require.ErrorIs(t, err, ErrWrongMaster)
	require.ErrorContains(t, err, "set HEADGATE_ENCRYPTION_MASTER_PASSWORD")

	dir := t.TempDir()
	withFile := openDB(t, filepath.Join(dir, "a.db"))
	_, _, err = LoadMaster(ctx, withFile, "")
	require.NoError(t, err)
	_, _, err = LoadMaster(ctx, withFile, "a password now")
	require.ErrorIs(t, err, ErrWrongMaster)
	path := filepath.Join(dir, KeyFileName)
	require.NoError(t, os.Remove(path))
	_, _, err = LoadMaster(ctx, withFile, "")
	require.ErrorIs(t, err, ErrWrongMaster)
	_, err = os.Stat(path)
	require.ErrorIs(t, err, os.ErrNotExist, "no new key is made for an old database")
	require.NoError(t, os.WriteFile(path, []byte(keyFileMark+strings.Repeat("ab", 32)+"\n"), 0o600))
	_, _, err = LoadMaster(ctx, withFile, "")
	require.ErrorIs(t, err, ErrWrongMaster)
	for _, damaged := range []string{"", "x", keyFileMark, keyFileMark + "zz", keyFileMark + strings.Repeat("ab", 33)} {
		require.NoError(t, os.WriteFile(path, []byte(damaged), 0o600))
		_, _, err = LoadMaster(ctx, withFile, "")
		require.ErrorContains(t, err, "damaged")
	}
}

func TestTheKeyFileIsMadeOnceAndForItsOwnerAlone(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	path := filepath.Join(dir, KeyFileName)
	db := openDB(t, filepath.Join(dir, "a.db"))
	masters := make([]*Master, 4)
	var wg sync.WaitGroup
	for i := range masters {
		wg.Go(func() {
			m, warning, err := LoadMaster(ctx, db, "")
			if assert.NoError(t, err) {
				assert.Contains(t, warning, KeyFileName)
				masters[i] = m
			}
		})
	}
	wg.Wait()
	for _, m := range masters {
		require.NotNil(t, m)
		assert.Equal(t, masters[0].AuditKey(), m.AuditKey())
	}
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	entries, err := filepath.Glob(filepath.Join(dir, "."+KeyFileName+"*"))
	require.NoError(t, err)
	assert.Empty(t, entries, "nothing is left lying about")

	require.NoError(t, os.Chmod(path, 0o644))
	_, warning, err := LoadMaster(ctx, db, "")
	require.NoError(t, err)
	assert.Contains(t, warning, "can be read by others (mode 0644)")
}

func TestRecordsInPostgreSQLWantAPassword(t *testing.T) {
	ctx := context.Background()
	db := storetest.Open(t, storetest.CreatePostgres(t))
	_, _, err := LoadMaster(ctx, db, "")
	require.ErrorContains(t, err, "set HEADGATE_ENCRYPTION_MASTER_PASSWORD")
	first, warning, err := LoadMaster(ctx, db, "correct horse")
	require.NoError(t, err)
	assert.Empty(t, warning)
	again, _, err := LoadMaster(ctx, db, "correct horse")
	require.NoError(t, err)
	assert.Equal(t, first.AuditKey(), again.AuditKey(), "another node has the same keys")
	_, _, err = LoadMaster(ctx, db, "wrong")
	require.ErrorIs(t, err, ErrWrongMaster)
}

func TestAnEmptyDatabaseBesideAKeyFileIsRefused(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	open := func() error {
		db, err := store.Open(ctx, "sqlite:"+filepath.Join(dir, "x.db"))
		require.NoError(t, err)
		defer func() { require.NoError(t, db.Close(ctx)) }()
		_, _, err = LoadMaster(ctx, db, "")
		return err
	}
	require.NoError(t, open())
	require.NoError(t, open())
	require.NoError(t, os.Remove(filepath.Join(dir, "x.db")))
	require.ErrorContains(t, open(), "headgate.key exists but the database x.db beside it is empty")
	require.Error(t, open(), "the refused start did not make it known")
	require.NoError(t, os.Remove(filepath.Join(dir, KeyFileName)))
	require.NoError(t, open(), "the operator starts over")
}
