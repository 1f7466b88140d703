// Package storetest opens databases for tests: CreateSQLite in a folder of the test's own, and PostgreSQL, of which one server
// is started for the test process. One suite runs over both.
package storetest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/pgtest"
)

// RunOnBothDatabases runs the test twice: on a fresh database of CreateSQLite and on one of PostgreSQL. Without
// PostgreSQL the second is skipped, and fails where CI is true.
func RunOnBothDatabases(t *testing.T, test func(t *testing.T, db *store.DB)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, Open(t, CopyMigrated(t))) })
	t.Run("postgres", func(t *testing.T) { test(t, Open(t, CreatePostgres(t))) })
}

// RunWithBothURLs is like RunOnBothDatabases, for tests that open the database themselves: with their own clock or more than once.
func RunWithBothURLs(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, CreateSQLite(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, CreatePostgres(t)) })
}

// CreateSQLite returns the URL of a file that is not there yet.
func CreateSQLite(t testing.TB) string {
	t.Helper()
	return "sqlite:" + filepath.Join(t.TempDir(), "headgate.db")
}

// CopyMigrated is the URL of a file without records, its schema up to date: bringing it there takes longer than many a test.
func CopyMigrated(t testing.TB) string {
	t.Helper()
	text, err := empty()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "headgate.db")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return "sqlite:" + path
}

// empty are the bytes of a database without records.
var empty = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "headgate-storetest-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system's folder for temporary files is cleaned by others too
	ctx, path := context.Background(), filepath.Join(dir, "headgate.db")
	db, err := store.Open(ctx, "sqlite:"+path)
	if err != nil {
		return nil, err
	}
	if err := db.Close(ctx); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// CreatePostgres returns the URL of a database without records, its schema up to date. Without PostgreSQL the test is skipped, and
// fails where CI is true.
func CreatePostgres(t testing.TB) string {
	t.Helper()
	return pgtest.CopyPrepared(t, func(url string) error {
		ctx := context.Background()
		db, err := store.Open(ctx, url)
		if err != nil {
			return err
		}
		return db.Close(ctx)
	})
}

// Open opens a database, and closes it at the end of the test.
func Open(t testing.TB, url string, opts ...store.Option) *store.DB {
	t.Helper()
	db, err := store.Open(context.Background(), url, opts...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close(context.Background())) })
	return db
}
