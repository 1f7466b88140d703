package store

import (
	"context"
	"crypto/sha256"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMigrationsAreListedAndMade(t *testing.T) {
	bothEmpty(t, func(t *testing.T, url string) {
		ctx := context.Background()
		if strings.HasPrefix(url, "sqlite:") {
			_, err := ListMigrations(ctx, url)
			require.ErrorContains(t, err, "no database yet")
		} else {
			list, err := ListMigrations(ctx, url)
			require.NoError(t, err)
			for _, m := range list {
				assert.True(t, m.Applied.IsZero(), m.Name)
			}
		}
		taken, err := Migrate(ctx, url)
		require.NoError(t, err)
		assert.Equal(t, "records", taken[0].Name)
		list, err := ListMigrations(ctx, url)
		require.NoError(t, err)
		assert.Len(t, list, len(taken))
		for _, m := range list {
			assert.WithinDuration(t, time.Now(), m.Applied, time.Hour, m.Name)
		}
		taken, err = Migrate(ctx, url)
		require.NoError(t, err)
		assert.Empty(t, taken)

		db := openURL(t, url)
		db.unmake(t)
		_, err = db.migrate(ctx)
		require.NoError(t, err, "one with a smaller number than others is made late")
		assert.Zero(t, count(t, db, "config_change"))
	})
}

// unmake takes back a migration, as if it had been added to the program later.
func (db *DB) unmake(t *testing.T) {
	t.Helper()
	_, err := db.write.Exec("DROP TABLE config_change")
	require.NoError(t, err)
	_, err = db.write.Exec("DELETE FROM goose_db_version WHERE version_id = 6")
	require.NoError(t, err)
}

func TestADatabaseOfANewerProgramIsRefused(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		insert := "INSERT INTO goose_db_version (version_id, is_applied) VALUES (?, ?)"
		_, err := db.write.Exec(db.write.Rebind(insert), 99999, true)
		require.NoError(t, err)
		_, err = Open(ctx, url)
		require.ErrorIs(t, err, ErrNewer)
		require.ErrorContains(t, err, "99999")
		_, err = Migrate(ctx, url)
		require.ErrorIs(t, err, ErrNewer)
		list, err := ListMigrations(ctx, url)
		require.ErrorIs(t, err, ErrNewer)
		assert.Equal(t, Migration{Version: 99999}, list[len(list)-1])
		require.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: "t", Status: "active"}), "one that runs goes on")
	})
}

// A newer program adds columns while this one runs.
func TestAProgramGoesOnWhenColumnsAreAdded(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		w := newWriter(t, db, WriterOptions{})
		use := func(id string) {
			require.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: id, Status: "active"}))
			require.NoError(t, db.Keys().Insert(ctx, Key{ID: id, TenantID: id, Hash: sha256.Sum256([]byte(id)), Status: KeyActive}))
			for range 10 { // on all connections
				_, err := db.Tenants().Get(ctx, id)
				require.NoError(t, err)
				_, err = db.Keys().List(ctx)
				require.NoError(t, err)
			}
			_, err := db.Keys().Change(ctx, id, func(k *Key) error { k.Name = "x"; return nil })
			require.NoError(t, err)
			appendTraffic(t, w, id, 1)
			require.NoError(t, w.Sync(ctx))
		}
		use("a")
		newer := openURL(t, url)
		for _, table := range []string{"tenant", "api_key", "usage_record", "usage_series", "vault_token", "audit_segment", "audit_head", "config_version"} {
			_, err := newer.write.Exec("ALTER TABLE " + table + " ADD COLUMN of_the_future TEXT NOT NULL DEFAULT 'x'")
			require.NoError(t, err)
		}
		use("b")
		assert.Equal(t, 2, count(t, db, "usage_record WHERE of_the_future = 'x'"))
	})
}

// Both databases have the same migrations, apart from those that one of them alone needs.
func TestBothDatabasesHaveTheSameMigrations(t *testing.T) {
	alone := map[string]bool{"00007_traffic_writer.sql": true, "00090_audit_frames.sql": true}
	lite, err := migrations.ReadDir("migrations/sqlite")
	require.NoError(t, err)
	pg, err := migrations.ReadDir("migrations/postgres")
	require.NoError(t, err)
	var names [2][]string
	for _, e := range lite {
		names[0] = append(names[0], path.Base(e.Name()))
	}
	for _, e := range pg {
		if !alone[e.Name()] {
			names[1] = append(names[1], path.Base(e.Name()))
		}
	}
	assert.Equal(t, names[0], names[1])
}

// The tables of both databases have the same columns.
func TestBothDatabasesHaveTheSameColumns(t *testing.T) {
	columns := map[string][]string{}
	runOnBoth(t, func(t *testing.T, url string) {
		db := openURL(t, url)
		query := `SELECT m.name || '.' || c.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
			WHERE m.name NOT LIKE 'sqlite%' AND m.name NOT LIKE 'goose%' AND m.type IN ('table', 'view') ORDER BY 1`
		if db.postgres {
			query = `SELECT CAST(table_name || '.' || column_name AS TEXT) COLLATE "C" FROM information_schema.columns
				WHERE table_schema = 'public' AND table_name NOT LIKE 'goose%' AND table_name <> 'traffic_writer' ORDER BY 1`
		}
		var list []string
		require.NoError(t, db.read.Select(&list, query))
		columns[t.Name()] = list
	})
	if len(columns) == 2 { // PostgreSQL may be missing
		assert.Equal(t, columns[t.Name()+"/sqlite"], columns[t.Name()+"/postgres"])
	}
}
