package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

func TestATenantIsChangedAsItStands(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		now := time.UnixMicro(1_700_000_000_000_001).UTC()
		db := openURL(t, url, WithClock(func() time.Time { return now }))
		require.NoError(
			t,
			db.Tenants().Insert(ctx, Tenant{ID: "acme", Name: "Acme", Status: "active", Source: SourceAPI, Metadata: map[string]any{"a": "b"}}),
		)
		require.ErrorIs(t, db.Tenants().Insert(ctx, Tenant{ID: "acme"}), ErrExists)
		require.Error(t, db.Tenants().Insert(ctx, Tenant{}), "a tenant without an id")
		first, err := db.Tenants().Get(ctx, "acme")
		require.NoError(t, err)
		v := version(t, db)

		same, err := db.Tenants().Change(ctx, "acme", func(*Tenant) error { return nil })
		require.NoError(t, err)
		assert.Equal(t, first, same)
		assert.Equal(t, v, version(t, db), "nothing has changed")

		got, err := db.Tenants().Change(ctx, "acme", func(t *Tenant) error {
			t.ID, t.Name, t.CreatedAt, t.UpdatedAt = "other", "Acme Ltd", time.Time{}, time.Time{}
			return nil
		})
		require.NoError(t, err)
		assert.Equal(t, first.UpdatedAt.Add(time.Microsecond), got.UpdatedAt, "two states never bear one time")
		want := first
		want.Name, want.UpdatedAt = "Acme Ltd", got.UpdatedAt
		assert.Equal(t, want, got)
		stored, err := db.Tenants().Get(ctx, "acme")
		require.NoError(t, err)
		assert.Equal(t, want, stored)
		assert.Equal(t, v+1, version(t, db))

		refused := errors.New("stale")
		_, err = db.Tenants().Change(ctx, "acme", func(t *Tenant) error { t.Name = "X"; return refused })
		require.ErrorIs(t, err, refused)
		_, err = db.Tenants().Change(ctx, "nobody", func(*Tenant) error { return nil })
		require.ErrorIs(t, err, ErrNotFound)
		_, err = db.Tenants().Get(ctx, "nobody")
		require.ErrorIs(t, err, ErrNotFound)
		stored, err = db.Tenants().Get(ctx, "acme")
		require.NoError(t, err)
		assert.Equal(t, want, stored)
	})
}

func TestATenantTakesAllThatIsItsOwnWithIt(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		for _, id := range []string{"acme", "other"} {
			require.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: id, Status: "active"}))
			require.NoError(t, db.Keys().Insert(ctx, Key{ID: id + "-key", TenantID: id, Hash: sha256.Sum256([]byte(id)), Status: KeyActive}))
			_, err := db.Policies().Insert(ctx, policydoc.Record{ID: id + "-policy", Tenant: id, Name: "p", Status: "ACTIVE"})
			require.NoError(t, err)
			require.NoError(t, db.ShadowEvents().Insert(ctx, []policydoc.ShadowEvent{{Policy: "of the file", Tenant: id, At: time.Now()}}))
			require.NoError(t, db.BatchFiles().Insert(ctx, &BatchFile{ID: id + "-file", Tenant: id}))
			require.NoError(t, db.BatchJobs().Insert(ctx, &BatchJob{ID: id + "-open", Tenant: id}))
			require.NoError(t, db.BatchJobs().Insert(ctx, &BatchJob{ID: id + "-settled", Tenant: id, Settled: true}))
			_, err = db.Vault().InsertKeyOnce(ctx, id, []byte("wrapped"))
			require.NoError(t, err)
			w := newWriter(t, db, WriterOptions{})
			require.NoError(
				t,
				w.AppendToken(
					ctx,
					&VaultToken{Tenant: id, Token: "tok", Digest: []byte("d"), Sealed: []byte("s"), Seen: time.Now(), Expires: time.Now().Add(time.Hour)},
				),
			)
			require.NoError(t, w.AppendUsage(ctx, &UsageRecord{ExchangeID: "x", Tenant: id}))
			require.NoError(t, w.Close(ctx))
		}
		v := version(t, db)
		refused := errors.New("stale")
		require.ErrorIs(t, db.Tenants().Delete(ctx, "acme", func(Tenant) error { return refused }), refused)
		require.ErrorIs(t, db.Tenants().Delete(ctx, "nobody", nil), ErrNotFound)
		assert.Equal(t, v, version(t, db))
		require.NoError(t, db.Tenants().Delete(ctx, "acme", func(t Tenant) error {
			if t.ID != "acme" {
				return refused
			}
			return nil
		}))
		for table, left := range map[string]int{
			"tenant": 1, "api_key": 1, "policy": 1, "policy_version": 1, "policy_shadow_event": 1, "batch_file": 1,
			"batch_job": 3, "vault_key": 1, "vault_token": 1, "usage_record": 2,
		} {
			assert.Equal(t, left, count(t, db, table), table)
		}
		list, complete, err := db.Config().ListChanges(ctx, v)
		require.NoError(t, err)
		assert.True(t, complete)
		assert.Equal(
			t,
			[]Change{{v + 1, "key", "acme-key"}, {v + 1, "policy", "acme-policy"}, {v + 1, "tenant", "acme"}, {v + 1, "vault_key", "acme"}},
			list,
		)
		require.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: "acme", Status: "active"}), "the id is free again")
	})
}

func TestTenantsAreListedInTheOrderOfTheirMaking(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		now := time.UnixMicro(1_700_000_000_000_000).UTC()
		db := openURL(t, url, WithClock(func() time.Time { return now }))
		var want []string
		for i := range 20 {
			now = now.Add(time.Duration(i%2) * time.Second) // two at a time
			id := fmt.Sprint([]string{"z", "B", "a", "Ä"}[i/2%4], i)
			require.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: id, Status: "active"}))
			want = append(want, id)
		}
		for i := 1; i < len(want)-1; i += 2 { // of two, the order of their ids
			if want[i] > want[i+1] {
				want[i], want[i+1] = want[i+1], want[i]
			}
		}
		var got []string
		var at Cursor
		for len(got) < len(want) { // in pages of 3, which cut pairs apart
			n := 0
			for tenant, err := range db.Tenants().Iterate(ctx, at, 3) {
				require.NoError(t, err)
				got, at, n = append(got, tenant.ID), tenant.Cursor(), n+1
			}
			require.Positive(t, n)
		}
		assert.Equal(t, want, got)
		for tenant, err := range db.Tenants().Iterate(ctx, at, 3) {
			require.NoError(t, err)
			require.Fail(t, "there are no more", tenant.ID)
		}
	})
}

// A table that has tenants is one whose rows go with them, or is named here.
func TestEachTableSaysWhatBecomesOfItsTenant(t *testing.T) {
	db := openFile(t)
	known := map[string]bool{
		"usage_series": true, "usage_hour": true, "usage_day": true, "usage_key_day": true, "usage_pace": true, "usage_link": true, // what was consumed
		"chargeback_report": true, "compliance_report": true, // what was accounted for
		"webhook_event": true, // what the platform's subscribers are still to hear
	}
	for _, o := range owned {
		known[o.table] = true
	}
	var tables []string
	require.NoError(t, db.read.Select(&tables, `SELECT m.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
		WHERE m.type = 'table' AND c.name = 'tenant_id' ORDER BY 1`))
	require.NotEmpty(t, tables)
	for _, table := range tables {
		var cascades int
		require.NoError(t, db.read.Get(&cascades, "SELECT count(*) FROM pragma_foreign_key_list(?) WHERE on_delete = 'CASCADE'", table))
		assert.True(t, known[table] || cascades > 0, "%s: add it to owned, or to the list here when its rows stay", table)
	}
}
