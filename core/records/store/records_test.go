package store

import (
	"context"
	"crypto/sha256"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTenantsKeepTheirFields(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		now := time.UnixMicro(1_700_000_000_000_001).UTC()
		db := openURL(t, url, WithClock(func() time.Time { return now }))
		want := Tenant{
			ID: "acme", Name: "Acme", Status: "active", Region: "eu", Tier: "premium", Source: SourceFile,
			Metadata: map[string]any{"a": "b", "n": 1.5}, Tags: []string{"x", "y"}, CreatedAt: now, UpdatedAt: now,
		}
		changed, err := db.Tenants().Upsert(ctx, want)
		require.NoError(t, err)
		assert.True(t, changed)
		got, err := db.Tenants().List(ctx)
		require.NoError(t, err)
		assert.Equal(t, []Tenant{want}, got)
		before := version(t, db)

		changed, err = db.Tenants().Upsert(ctx, want)
		require.NoError(t, err)
		assert.False(t, changed, "the same tenant again")
		assert.Equal(t, before, version(t, db))

		want.Name, want.Metadata = "Acme Ltd", nil
		created := now
		now = now.Add(time.Hour)
		changed, err = db.Tenants().Upsert(ctx, want)
		require.NoError(t, err)
		assert.True(t, changed)
		assert.Equal(t, before+1, version(t, db))
		got, err = db.Tenants().List(ctx)
		require.NoError(t, err)
		assert.Equal(t, "Acme Ltd", got[0].Name)
		assert.Empty(t, got[0].Metadata, "metadata is replaced whole")
		assert.Equal(t, created, got[0].CreatedAt)
		assert.Equal(t, now, got[0].UpdatedAt)
	})
}

func TestKeysAreStoredAndRevoked(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		now := time.UnixMicro(1_700_000_000_000_001).UTC()
		db := openURL(t, url, WithClock(func() time.Time { return now }))
		key := Key{
			ID: "k1", TenantID: "acme", Name: "dev", Prefix: "gw_abcd", Hash: sha256.Sum256([]byte("gw_abcdef")),
			Scopes: []string{"completions:write"}, Tier: "bulk", Status: KeyActive, Source: SourceCLI,
			ExpiresAt: now.Add(time.Hour), Metadata: map[string]any{"team": "a"}, Tags: []string{"t"}, Models: []string{"gpt-*"}, Owner: "u1",
		}
		require.ErrorIs(t, db.Keys().Insert(ctx, key), ErrNotFound, "its tenant is not there")
		_, err := db.Tenants().Upsert(ctx, Tenant{ID: "acme", Name: "Acme", Status: "active", Source: SourceFile})
		require.NoError(t, err)
		before := version(t, db)
		require.NoError(t, db.Keys().Insert(ctx, key))
		assert.Equal(t, before+1, version(t, db))

		again := key
		again.ID = "k2"
		require.ErrorIs(t, db.Keys().Insert(ctx, again), ErrExists, "one plaintext, one key")
		again = key
		again.Hash = sha256.Sum256([]byte("other"))
		require.ErrorIs(t, db.Keys().Insert(ctx, again), ErrExists, "one id, one key")
		require.Error(t, db.Keys().Insert(ctx, Key{ID: "k3", TenantID: "acme"}), "a key without a hash")
		assert.Equal(t, before+1, version(t, db), "a refused write does not advance the version")

		want := key
		want.Lineage, want.CreatedAt, want.UpdatedAt = "k1", now, now
		got, err := db.Keys().List(ctx)
		require.NoError(t, err)
		assert.Equal(t, []Key{want}, got)

		require.NoError(t, db.Keys().Revoke(ctx, "k1"))
		require.NoError(t, db.Keys().Revoke(ctx, "k1"))
		assert.Equal(t, before+2, version(t, db))
		got, err = db.Keys().ListByTenant(ctx, "acme")
		require.NoError(t, err)
		assert.Equal(t, KeyRevoked, got[0].Status)
		got, err = db.Keys().ListByTenant(ctx, "nobody")
		require.NoError(t, err)
		assert.Empty(t, got)
		require.ErrorIs(t, db.Keys().Revoke(ctx, "nobody"), ErrNotFound)
	})
}

func TestAnotherConnectionSeesTheVersionAdvance(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		server, command := openURL(t, url), openURL(t, url)
		before := version(t, server)
		for i := range 5 {
			_, err := command.Tenants().Upsert(context.Background(), Tenant{ID: "t" + strconv.Itoa(i), Status: "active"})
			require.NoError(t, err)
			assert.Equal(t, before+int64(i)+1, version(t, server))
		}
	})
}

func TestSettingsAreKeptFromTheFirstWriter(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		_, err := db.Settings().Get(ctx, "salt")
		require.ErrorIs(t, err, ErrNotFound)
		for _, v := range []string{"first", "second"} {
			kept, err := db.Settings().InsertOnce(ctx, "salt", []byte(v))
			require.NoError(t, err)
			assert.Equal(t, "first", string(kept))
		}
	})
}
