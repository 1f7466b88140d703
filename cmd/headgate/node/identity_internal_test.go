package node

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/configs"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
	"github.com/headgate-dev/headgate/providers"
)

// serveOnce opens the records of a gateway that serves, closes them, and returns its warnings.
func serveOnce(t *testing.T, url string) ([]string, error) {
	t.Helper()
	cfg, _, err := config.Load(config.Source{
		Default: configs.Gateway, Set: []string{"store.url=" + url},
		Known: config.Known{Providers: providers.ListNames(), Stages: []string{"pii"}},
	})
	require.NoError(t, err)
	r, err := openRecords(t.Context(), cfg, func(err error, _ int) { t.Error(err) })
	if err != nil {
		return nil, err
	}
	require.NoError(t, r.Close(t.Context()))
	return r.warns, nil
}

func runSQL(t *testing.T, url, statement string) {
	t.Helper()
	db, err := sql.Open("pgx", url)
	require.NoError(t, err)
	_, err = db.ExecContext(t.Context(), statement)
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

const dropAll = "DROP SCHEMA public CASCADE; CREATE SCHEMA public"

// The password fits an emptied database as well as a new one. Only data outside the database distinguishes them.
func TestADatabaseThatWasEmptiedIsRefused(t *testing.T) {
	t.Setenv(PasswordVar, "a long enough password for tests")
	for name, c := range map[string]func(t *testing.T) (url, file string, empty func()){
		"PostgreSQL without tables": func(t *testing.T) (string, string, func()) {
			url := storetest.CreatePostgres(t)
			return url, "headgate.database", func() { runSQL(t, url, dropAll) }
		},
		"PostgreSQL with empty tables": func(t *testing.T) (string, string, func()) {
			url := storetest.CreatePostgres(t)
			return url, "headgate.database", func() {
				runSQL(t, url, dropAll)
				_, err := store.Migrate(t.Context(), url)
				require.NoError(t, err)
			}
		},
		"SQLite": func(t *testing.T) (string, string, func()) {
			require.NoError(t, os.Mkdir("data", 0o700))
			return "sqlite:data/x.db", "data/x.db-identity", func() {
				for _, suffix := range []string{"", "-wal", "-shm"} {
					require.NoError(t, os.RemoveAll("data/x.db"+suffix))
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			url, file, empty := c(t)
			for range 2 {
				warns, err := serveOnce(t, url)
				require.NoError(t, err)
				require.Empty(t, warns)
			}
			info, err := os.Stat(file)
			require.NoError(t, err)
			assert.Equal(t, os.FileMode(0o644), info.Mode().Perm(), "the file is not secret")

			empty()
			for range 2 { // a refused start leaves nothing that lets the next one pass
				_, err = serveOnce(t, url)
				full, _ := filepath.Abs(file)
				require.ErrorContains(t, err, "the database is empty, and "+full+" says")
				require.ErrorContains(t, err, "restore a backup, or remove "+full+" to start with an empty database")
				assert.NoFileExists(t, "data/x.db", "a refused start has created nothing")
			}
			require.NoError(t, os.Remove(file))
			_, err = serveOnce(t, url)
			require.NoError(t, err, "the operator starts over")
		})
	}
}

// A command on an emptied database must not make it look like one with records.
func TestACommandOnAnEmptiedDatabaseIsRefusedToo(t *testing.T) {
	t.Setenv(PasswordVar, "a long enough password for tests")
	t.Chdir(t.TempDir())
	url := storetest.CreatePostgres(t)
	_, err := serveOnce(t, url)
	require.NoError(t, err)
	runSQL(t, url, dropAll)
	_, err = OpenStore(t.Context(), &config.Config{Store: config.Store{URL: url}})
	require.ErrorContains(t, err, "the database is empty")
	applied, err := store.ListMigrations(t.Context(), url)
	require.NoError(t, err)
	for _, m := range applied {
		require.True(t, m.Applied.IsZero(), "the refused command has migrated %s", m.Name)
	}
}

func TestAnotherDatabaseWithRecordsIsServedWithAWarning(t *testing.T) {
	t.Setenv(PasswordVar, "a long enough password for tests")
	t.Chdir(t.TempDir())
	first, second := storetest.CreatePostgres(t), storetest.CreatePostgres(t)
	_, err := serveOnce(t, first)
	require.NoError(t, err)
	require.NoError(t, os.Remove(identityFile))
	_, err = serveOnce(t, second)
	require.NoError(t, err)

	warns, err := serveOnce(t, first)
	require.NoError(t, err)
	require.Len(t, warns, 1)
	assert.Contains(t, warns[0], "not the one that this node served last")
	warns, err = serveOnce(t, first)
	require.NoError(t, err)
	assert.Empty(t, warns, "the new one is now the database served last")
}

func TestAnIdentityThatCannotBeKeptIsAWarning(t *testing.T) {
	t.Setenv(PasswordVar, "a long enough password for tests")
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir(identityFile, 0o700)) // not even root reads or replaces it as a file
	url := storetest.CreatePostgres(t)
	for range 2 {
		warns, err := serveOnce(t, url)
		require.NoError(t, err)
		require.Len(t, warns, 1)
		assert.Contains(t, warns[0], "cannot be kept in headgate.database")
		assert.Contains(t, warns[0], "is a directory")
	}

	id := databaseIdentity{path: filepath.Join(t.TempDir(), "absent", identityFile)}
	db := storetest.Open(t, url)
	require.NoError(t, id.save(t.Context(), db))
	require.Len(t, id.warns, 1)
	assert.Contains(t, id.warns[0], "no such file or directory")
	assert.NotContains(t, id.warns[0], "/", "no path")
}

// A command that initializes an emptied database from another folder must not hide that from the node in this one.
func TestADatabaseThatACommandBeganAnewIsRefused(t *testing.T) {
	t.Setenv(PasswordVar, "a long enough password for tests")
	t.Chdir(t.TempDir())
	url := storetest.CreatePostgres(t)
	_, err := serveOnce(t, url)
	require.NoError(t, err)
	runSQL(t, url, dropAll)
	witness, err := filepath.Abs(identityFile)
	require.NoError(t, err)
	cfg := &config.Config{Store: config.Store{URL: url}}
	t.Run("elsewhere", func(t *testing.T) {
		t.Chdir(t.TempDir())
		r, err := OpenStore(t.Context(), cfg)
		require.NoError(t, err)
		require.NoError(t, r.Close(t.Context()))
	})
	for range 2 {
		_, err = serveOnce(t, url)
		require.ErrorContains(t, err, "the database has no audit log, and "+witness+" says")
		require.ErrorContains(t, err, "remove "+witness+" to start with an empty database")
	}
}

func TestACommandThatReadsDoesNotBeginADatabase(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, password := range []string{"", "a long enough password for tests"} {
		t.Setenv(PasswordVar, password)
		_, err := OpenExisting(t.Context(), &config.Config{Store: config.Store{URL: "sqlite:x.db"}})
		require.ErrorContains(t, err, "no database at ")
		files, err := os.ReadDir(".")
		require.NoError(t, err)
		assert.Empty(t, files)
	}
	cfg := &config.Config{Store: config.Store{URL: storetest.CreatePostgres(t)}}
	_, err := OpenExisting(t.Context(), cfg)
	require.ErrorIs(t, err, errNoRecords)
	_, err = store.Migrate(t.Context(), cfg.Store.URL)
	require.NoError(t, err)
	_, err = OpenExisting(t.Context(), cfg)
	require.ErrorIs(t, err, errNoRecords, "a schema does not count as records")
	_, err = serveOnce(t, cfg.Store.URL)
	require.NoError(t, err)
	r, err := OpenExisting(t.Context(), cfg)
	require.NoError(t, err)
	require.NoError(t, r.Close(t.Context()))
}

// A database whose key is in a file is not empty, although it has no salt.
func TestADatabaseWithAKeyFileIsAnotherAndNotEmpty(t *testing.T) {
	t.Setenv(PasswordVar, "")
	t.Chdir(t.TempDir())
	_, err := serveOnce(t, "sqlite:x.db")
	require.NoError(t, err)
	require.NoFileExists(t, "x.db-identity", "its key file is the witness")
	require.NoError(t, os.WriteFile("x.db-identity", []byte("another\n"), 0o600))
	warns, err := serveOnce(t, "sqlite:x.db")
	require.NoError(t, err)
	assert.Contains(t, warns, "the database is not the one that this node served last (x.db-identity): its records, keys and policies "+
		"are others; check `store.url` unless you moved on purpose")
	warns, err = serveOnce(t, "sqlite:x.db")
	require.NoError(t, err)
	assert.Len(t, warns, 1, "only that of the key file")
}
