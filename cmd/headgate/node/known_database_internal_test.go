package node

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
)

// The password fits an emptied database as well as a new one. What tells them apart is that this gateway has used it before.
func TestADatabaseThatWasEmptiedIsRefused(t *testing.T) {
	t.Setenv(PasswordVar, "a long enough password for tests")
	open := func(t *testing.T, url string) error {
		r, err := OpenStore(t.Context(), &config.Config{Store: config.Store{URL: url}})
		if err == nil {
			require.NoError(t, r.Close(t.Context()))
		}
		return err
	}
	for name, c := range map[string]func(t *testing.T) (url string, empty func()){
		"PostgreSQL": func(t *testing.T) (string, func()) {
			url := storetest.Postgres(t)
			return url, func() {
				db, err := sql.Open("pgx", url)
				require.NoError(t, err)
				defer func() { require.NoError(t, db.Close()) }()
				_, err = db.ExecContext(t.Context(), "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
				require.NoError(t, err)
			}
		},
		"SQLite": func(t *testing.T) (string, func()) {
			require.NoError(t, os.Mkdir("data", 0o700))
			return "sqlite:data/x.db", func() {
				for _, suffix := range []string{"", "-wal", "-shm"} {
					require.NoError(t, os.RemoveAll("data/x.db"+suffix))
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			url, empty := c(t)
			for range 2 {
				require.NoError(t, open(t, url))
			}
			empty()
			for range 2 { // a start that was refused does not make the database known
				err := open(t, url)
				require.ErrorContains(t, err, "is empty, and headgate.databases says that it has held records")
				assert.NotContains(t, err.Error(), "password")
			}
			require.NoError(t, open(t, "sqlite:other.db"), "another database is none of those that it has used")

			files, err := filepath.Glob("*/" + databasesFile)
			require.NoError(t, err)
			for _, f := range append(files, databasesFile) {
				require.NoError(t, os.Remove(f))
			}
			require.NoError(t, open(t, url), "the operator begins anew")
		})
	}
}

func TestAFolderThatCannotBeWrittenKeepsNoGatewayFromStarting(t *testing.T) {
	t.Setenv(PasswordVar, "a long enough password for tests")
	t.Chdir(t.TempDir())
	url := storetest.Postgres(t)
	require.NoError(t, os.Symlink("absent/file", databasesFile)) // not even root can create it
	for range 2 {
		r, err := OpenStore(t.Context(), &config.Config{Store: config.Store{URL: url}})
		require.NoError(t, err)
		require.NoError(t, r.Close(t.Context()))
	}
}
