package store

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store/pgtest"
)

// openFile opens a database in a folder of the test's own, and closes it at the end.
func openFile(t testing.TB, opts ...Option) *DB {
	t.Helper()
	return openPath(t, filepath.Join(t.TempDir(), "headgate.db"), opts...)
}

func openPath(t testing.TB, path string, opts ...Option) *DB {
	t.Helper()
	return openURL(t, "sqlite:"+path, opts...)
}

// runOnBoth runs a test on a new file of SQLite and on a database of PostgreSQL without records.
func runOnBoth(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, "sqlite:"+filepath.Join(t.TempDir(), "x.db")) })
	t.Run("postgres", func(t *testing.T) {
		test(t, pgtest.CopyPrepared(t, func(url string) error {
			ctx := context.Background()
			db, err := Open(ctx, url)
			if err != nil {
				return err
			}
			return db.Close(ctx)
		}))
	})
}

// bothEmpty is both for tests of the schema: on PostgreSQL it is still to be made.
func bothEmpty(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, "sqlite:"+filepath.Join(t.TempDir(), "x.db")) })
	t.Run("postgres", func(t *testing.T) { test(t, pgtest.CreateSharedDatabase(t)) })
}

func openURL(t testing.TB, url string, opts ...Option) *DB {
	t.Helper()
	db, err := Open(context.Background(), url, opts...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close(context.Background())) })
	return db
}

func TestOpenSaysWhatIsWrongWithAnAddress(t *testing.T) {
	for name, c := range map[string]struct{ url, want string }{
		"another database":   {"mysql://localhost/x", "sqlite:<path>"},
		"no scheme":          {"headgate.db", "sqlite:<path>"},
		"no path":            {"sqlite:", "needs a path"},
		"a folder not there": {"sqlite:" + filepath.Join(t.TempDir(), "no", "x.db"), "does not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Open(context.Background(), c.url)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestOpenRefusesAFileThatIsNoDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	require.NoError(t, os.WriteFile(path, []byte("this is certainly no database, and it is long enough to tell"), 0o600))
	_, err := Open(context.Background(), "sqlite:"+path)
	require.Error(t, err)
}

func TestTheDatabaseIsSetUpForDurability(t *testing.T) {
	db := openFile(t)
	for pragma, want := range map[string]string{
		"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "5000", "secure_delete": "1",
	} {
		var got string
		require.NoError(t, db.write.Get(&got, "PRAGMA "+pragma))
		assert.Equal(t, want, got, pragma)
	}
	info, err := os.Stat(db.Path())
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	err = db.read.Exec("UPDATE config_version SET version = 7")
	require.Error(t, err, "readers cannot write")
}

func TestMemoryDatabasesAreApartAndNeedNoFile(t *testing.T) {
	ctx := context.Background()
	a, err := Open(ctx, "sqlite::memory:")
	require.NoError(t, err)
	b, err := Open(ctx, "sqlite::memory:")
	require.NoError(t, err)
	_, err = a.Tenants().Upsert(ctx, Tenant{ID: "t", Name: "T", Status: "active", Source: SourceFile})
	require.NoError(t, err)
	list, err := b.Tenants().List(ctx)
	require.NoError(t, err)
	assert.Empty(t, list)
	assert.Empty(t, a.Path())
	require.NoError(t, a.Close(ctx))
	require.NoError(t, b.Close(ctx))
}

func TestAPathMayHoldAnyCharacter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a %41?b#c&d e.db")
	openPath(t, path)
	_, err := os.Stat(path)
	require.NoError(t, err)
}

func TestTwoProcessesMayOpenANewDatabaseAtOnce(t *testing.T) {
	bothEmpty(t, func(t *testing.T, url string) {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				db, err := Open(context.Background(), url)
				if assert.NoError(t, err) {
					assert.NoError(t, db.Close(context.Background()))
				}
			})
		}
		wg.Wait()
	})
}

func version(t testing.TB, db *DB) int64 {
	t.Helper()
	v, err := db.Config().ReadVersion(context.Background())
	require.NoError(t, err)
	return v
}

// count is the number of rows of a table.
func count(t testing.TB, db *DB, table string) int {
	t.Helper()
	var n int
	err := db.read.Get(&n, "SELECT count(*) FROM "+table)
	if err != nil {
		require.ErrorIs(t, err, sql.ErrNoRows)
	}
	return n
}

// records is the number of audit records.
func records(t testing.TB, db *DB) int {
	t.Helper()
	counts, err := db.Audit().CountByType(context.Background(), "")
	require.NoError(t, err)
	sum := 0
	for _, n := range counts {
		sum += int(n)
	}
	return sum
}
