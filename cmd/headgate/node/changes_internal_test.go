package node

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/records/store"
)

// manyKeys creates a database with n keys, in one tenant per hundred keys.
func manyKeys(t testing.TB, n int) *store.DB {
	t.Helper()
	ctx := context.Background()
	db, err := store.Open(ctx, "sqlite:"+filepath.Join(t.TempDir(), "many.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close(ctx)) })
	i, tenants := 0, max(n/100, 1)
	num := func(n int) json.Number { return json.Number(strconv.Itoa(n)) }
	require.NoError(t, db.Fleet().Import(ctx, 10, true, nil, func() (store.Row, error) {
		defer func() { i++ }()
		switch {
		case i < tenants:
			id := "tenant-" + strconv.Itoa(i)
			return store.Row{Kind: "tenant", ID: id, Columns: map[string]any{
				"id": id, "name": id, "status": "active", "region": "", "tier": "standard", "metadata": "{}", "tags": "[]", "source": "api",
				"created_at": num(1), "updated_at": num(1),
			}}, nil
		case i < tenants+n:
			id, hash := "key-"+strconv.Itoa(i-tenants), sha256.Sum256([]byte(plainKey(i-tenants)))
			return store.Row{Kind: "key", ID: id, Columns: map[string]any{
				"id": id, "lineage": id, "tenant_id": "tenant-" + strconv.Itoa(i%tenants), "name": "a key of the fleet", "prefix": "gw_0123456",
				"hash": base64.StdEncoding.EncodeToString(hash[:]), "scopes": `["completions:write"]`, "tier": "", "metadata": "{}", "tags": "[]",
				"status": "active", "source": "api", "expires_at": nil, "created_at": num(i), "updated_at": num(i),
			}}, nil
		}
		return store.Row{}, io.EOF
	}))
	return db
}

func plainKey(i int) string { return fmt.Sprintf("gw_%040d", i) }

// caller returns the tenant of a key and its region, or "" if the key does not authenticate.
func caller(k *auth.Keys, plain string) string {
	p, err := k.Authenticate(http.Header{"Authorization": {"Bearer " + plain}}, time.Now())
	if err != nil {
		return ""
	}
	return p.Tenant + "/" + p.KeyID + "/" + p.Region
}

// follow applies the changes since the last call.
func follow(t testing.TB, db *store.DB, keys *auth.Keys, since int64) (*auth.Keys, int64) {
	t.Helper()
	ctx := context.Background()
	c, err := readChanges(ctx, db, since)
	require.NoError(t, err)
	require.False(t, c.all)
	keys, err = changeKeys(ctx, db, &config.Config{}, keys, c.ids["tenant"], c.ids["key"])
	require.NoError(t, err)
	return keys, c.version
}

func TestSingleChangesComeToWhatLoadingAllGives(t *testing.T) {
	ctx, db, cfg := context.Background(), manyKeys(t, 300), &config.Config{}
	keys, err := loadKeys(ctx, db, cfg)
	require.NoError(t, err)
	require.Equal(t, 300, keys.Len())
	v, err := db.Config().ReadVersion(ctx)
	require.NoError(t, err)
	fresh := auth.NewKey()
	for _, c := range []struct {
		name, plain, now string
		change           func() error
	}{
		{"a key is made", fresh, "tenant-1/new/", func() error {
			return db.Keys().Insert(ctx, store.Key{ID: "new", TenantID: "tenant-1", Hash: auth.Hash(fresh), Status: store.KeyActive, Source: store.SourceAPI})
		}},
		{"a key is revoked", plainKey(7), "", func() error { return db.Keys().Revoke(ctx, "key-7") }},
		{"a tenant moves", plainKey(3), "tenant-0/key-3/eu", func() error {
			_, err := db.Tenants().Upsert(ctx, store.Tenant{ID: "tenant-0", Name: "a", Status: "active", Region: "eu", Source: "api"})
			return err
		}},
		{"a tenant is deleted", plainKey(4), "", func() error { return db.Tenants().Delete(ctx, "tenant-1", nil) }},
		{"and created again with the same id", plainKey(4), "", func() error {
			_, err := db.Tenants().Upsert(ctx, store.Tenant{ID: "tenant-1", Name: "a", Status: "active", Source: "api"})
			return err
		}},
		{"a key of another tenant is unchanged", plainKey(5), "tenant-2/key-5/", func() error { return nil }},
	} {
		require.NoError(t, c.change(), c.name)
		keys, v = follow(t, db, keys, v)
		assert.Equal(t, c.now, caller(keys, c.plain), c.name)
	}
	whole, err := loadKeys(ctx, db, cfg)
	require.NoError(t, err)
	for i := range 300 {
		assert.Equal(t, caller(whole, plainKey(i)), caller(keys, plainKey(i)))
	}
	assert.Equal(t, caller(whole, fresh), caller(keys, fresh))
}

// A tenant that was deleted and created again between two checks is a different one.
func TestATenantThatWasReplacedUnseenLosesItsKeys(t *testing.T) {
	ctx, db, cfg := context.Background(), manyKeys(t, 300), &config.Config{}
	keys, err := loadKeys(ctx, db, cfg)
	require.NoError(t, err)
	require.NoError(t, db.Tenants().Delete(ctx, "tenant-1", nil))
	_, err = db.Tenants().Upsert(ctx, store.Tenant{ID: "tenant-1", Name: "b", Status: "active", Source: "api"})
	require.NoError(t, err)
	keys, _ = follow(t, db, keys, 10)
	assert.Empty(t, caller(keys, plainKey(4)))
	assert.NotEmpty(t, caller(keys, plainKey(3)))
}

// The version after a reload covers changes made while a runtime is built, and every part includes them.
func TestAReloadLeavesNoChangeBehind(t *testing.T) {
	g := &gateway{rec: &Records{DB: manyKeys(t, 1)}, cfg: &config.Config{}, rt: &snapshot.Runtime{}}
	require.NoError(t, g.swap(context.Background()))
	assert.Equal(t, int64(10), g.version)
	for i := range takers {
		assert.True(t, g.owed[i], "%v", takers[i].kinds)
	}
}

// BenchmarkAdminSnapshot measures the cost of keys: building all of 100,000, and applying the change of one key or
// tenant, from the database to authentication.
func BenchmarkAdminSnapshot(b *testing.B) {
	ctx, db, cfg := context.Background(), manyKeys(b, 100_000), &config.Config{}
	keys, err := loadKeys(ctx, db, cfg)
	require.NoError(b, err)
	v, err := db.Config().ReadVersion(ctx)
	require.NoError(b, err)
	b.Run("build 100k keys", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, err := loadKeys(ctx, db, cfg)
			require.NoError(b, err)
		}
	})
	b.Run("one key", func(b *testing.B) {
		n := 0
		for b.Loop() {
			b.StopTimer()
			n++
			plain := auth.NewKey()
			require.NoError(
				b,
				db.Keys().Insert(
					ctx,
					store.Key{ID: "n" + strconv.Itoa(n), TenantID: "tenant-1", Hash: auth.Hash(plain), Status: store.KeyActive, Source: store.SourceAPI},
				),
			)
			b.StartTimer()
			keys, v = follow(b, db, keys, v)
		}
	})
	b.Run("one tenant", func(b *testing.B) {
		n := 0
		for b.Loop() {
			b.StopTimer()
			n++
			_, err := db.Tenants().Upsert(ctx, store.Tenant{ID: "tenant-1", Name: strconv.Itoa(n), Status: "active", Source: "api"})
			require.NoError(b, err)
			b.StartTimer()
			keys, v = follow(b, db, keys, v)
		}
	})
}
