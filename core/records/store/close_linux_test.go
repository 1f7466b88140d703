package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
)

// SQLite keeps a connection whose statements are not all finalized, with its files and locks, behind the caller's back.
func TestAClosedDatabaseKeepsNoFileOpen(t *testing.T) {
	url := storetest.CopyMigrated(t)
	db, err := store.Open(t.Context(), url)
	require.NoError(t, err)
	w := store.NewWriter(db, store.WriterOptions{})
	require.NoError(t, w.AppendUsage(t.Context(), &store.UsageRecord{ExchangeID: "x", Tenant: "t", KeyID: "k", At: time.Now(), Model: "m", Outcome: "served"}))
	assert.NotEmpty(t, openFiles(t, url), "the database is open until it is closed")
	require.NoError(t, w.Close(t.Context()))
	require.NoError(t, db.Close(t.Context()))
	assert.Empty(t, openFiles(t, url))
}

// openFiles returns the files of a database that this process has open.
func openFiles(t *testing.T, url string) (names []string) {
	t.Helper()
	fds, err := filepath.Glob("/proc/self/fd/*")
	require.NoError(t, err)
	for _, fd := range fds {
		if name, err := os.Readlink(fd); err == nil && strings.HasPrefix(name, strings.TrimPrefix(url, "sqlite:")) {
			names = append(names, name)
		}
	}
	return names
}
