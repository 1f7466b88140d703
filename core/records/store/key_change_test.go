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
)

func TestAKeyIsChangedRotatedAndDeleted(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		now := time.UnixMicro(1_700_000_000_000_001).UTC()
		db := openURL(t, url, WithClock(func() time.Time { return now }))
		require.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: "acme", Status: "active"}))
		first := Key{ID: "k1", TenantID: "acme", Name: "dev", Hash: sha256.Sum256([]byte("1")), Status: KeyActive, Scopes: []string{"a"}}
		require.NoError(t, db.Keys().Insert(ctx, first))
		v := version(t, db)

		k, err := db.Keys().Change(ctx, "k1", func(k *Key) error {
			k.Name, k.TenantID, k.Hash, k.Lineage = "prod", "other", [32]byte{1}, "x"
			return nil
		})
		require.NoError(t, err)
		assert.Equal(t, []string{"prod", "acme", "k1"}, []string{k.Name, k.TenantID, k.Lineage})
		assert.Equal(t, first.Hash, k.Hash)
		stored, err := db.Keys().Get(ctx, "k1")
		require.NoError(t, err)
		assert.Equal(t, k, stored)
		_, err = db.Keys().Change(ctx, "k1", func(*Key) error { return nil })
		require.NoError(t, err)
		assert.Equal(t, v+1, version(t, db), "the second change was none")

		now = now.Add(time.Minute)
		next, err := db.Keys().Rotate(ctx, "k1", func(old *Key) (Key, error) {
			old.Status, old.ExpiresAt = KeyRotated, now.Add(time.Hour)
			return Key{ID: "k2", Name: old.Name, Hash: sha256.Sum256([]byte("2")), Status: KeyActive}, nil
		})
		require.NoError(t, err)
		assert.Equal(t, []string{"k2", "acme", "k1"}, []string{next.ID, next.TenantID, next.Lineage})
		assert.Equal(t, now, next.CreatedAt)
		stored, err = db.Keys().Get(ctx, "k2")
		require.NoError(t, err)
		assert.Equal(t, next, stored)
		old, err := db.Keys().Get(ctx, "k1")
		require.NoError(t, err)
		assert.Equal(t, KeyRotated, old.Status)
		assert.Equal(t, now.Add(time.Hour), old.ExpiresAt)
		list, complete, err := db.Config().ListChanges(ctx, v+1)
		require.NoError(t, err)
		assert.True(t, complete)
		assert.Equal(t, []Change{{v + 2, "key", "k1"}, {v + 2, "key", "k2"}}, list)

		refused := errors.New("no")
		_, err = db.Keys().Rotate(ctx, "k2", func(old *Key) (Key, error) { old.Status = KeyRotated; return Key{}, refused })
		require.ErrorIs(t, err, refused)
		_, err = db.Keys().Rotate(ctx, "k2", func(old *Key) (Key, error) {
			old.Status = KeyRotated
			return Key{ID: "k3", Hash: old.Hash, Status: KeyActive}, nil
		})
		require.ErrorIs(t, err, ErrExists, "the same plaintext again")
		stored, err = db.Keys().Get(ctx, "k2")
		require.NoError(t, err)
		assert.Equal(t, KeyActive, stored.Status, "all or nothing")

		require.ErrorIs(t, db.Keys().Delete(ctx, "k1", func(Key) error { return refused }), refused)
		require.NoError(t, db.Keys().Delete(ctx, "k1", nil))
		require.ErrorIs(t, db.Keys().Delete(ctx, "k1", nil), ErrNotFound)
		_, err = db.Keys().Get(ctx, "k1")
		require.ErrorIs(t, err, ErrNotFound)
	})
}

func TestKeysAreListedInPagesAndAsAStream(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		const n = 2*pageRows + 7
		for _, tenant := range []string{"a", "b"} {
			require.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: tenant, Status: "active"}))
		}
		require.NoError(t, db.mutate(ctx, func(tx *Tx) (bool, error) {
			for i := range n {
				k := Key{ID: fmt.Sprintf("%06d", n-i), TenantID: "a", Hash: sha256.Sum256(fmt.Append(nil, i)), Status: KeyActive}
				if i == 3 {
					k.TenantID = "b"
				}
				if err := keyTable.stamp(&k, time.UnixMicro(int64(i)).UTC()); err != nil {
					return false, err
				}
				if err := keyTable.insert(ctx, tx, k); err != nil {
					return false, err
				}
			}
			return true, nil
		}))
		all := func(tenant string, after Cursor, limit int) (ids []string, last Cursor) {
			for k, err := range db.Keys().ListByOwner(ctx, tenant, after, limit) {
				require.NoError(t, err)
				ids, last = append(ids, k.ID), k.Cursor()
			}
			return ids, last
		}
		ids, _ := all("", Cursor{}, 0)
		assert.Len(t, ids, n)
		assert.Equal(t, fmt.Sprintf("%06d", n), ids[0])
		ids, at := all("a", Cursor{}, 4)
		assert.Equal(t, []string{fmt.Sprintf("%06d", n), fmt.Sprintf("%06d", n-1), fmt.Sprintf("%06d", n-2), fmt.Sprintf("%06d", n-4)}, ids)
		rest, _ := all("a", at, 0)
		assert.Len(t, rest, n-5)
		assert.Equal(t, "000001", rest[len(rest)-1])
		ids, _ = all("b", Cursor{}, pageRows+1)
		assert.Len(t, ids, 1)
		for _, err := range db.Keys().ListByOwner(ctx, "a", Cursor{}, 0) {
			require.NoError(t, err)
			break // which ends it without a word
		}
		gone, cancel := context.WithCancel(ctx)
		cancel()
		for _, err := range db.Keys().ListByOwner(gone, "a", Cursor{}, 0) {
			require.ErrorIs(t, err, context.Canceled)
		}
	})
}

func TestManyKeysAreInsertedAllOrNone(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		require.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: "a", Status: "active"}))
		many := func(from, to int) func(func(Key) bool) {
			return func(yield func(Key) bool) {
				for i := from; i < to; i++ {
					if !yield(Key{ID: fmt.Sprint(i), TenantID: "a", Hash: sha256.Sum256(fmt.Append(nil, i)), Status: KeyActive}) {
						return
					}
				}
			}
		}
		const n = 2*keysAtOnce + 3
		v := version(t, db)
		require.NoError(t, db.Keys().InsertAll(ctx, many(0, n)))
		assert.Equal(t, n, count(t, db, "api_key"))
		require.ErrorIs(t, db.Keys().InsertAll(ctx, many(n-1, 2*n)), ErrExists)
		require.NoError(t, db.Keys().InsertAll(ctx, many(0, 0)))
		assert.Equal(t, n, count(t, db, "api_key"))
		assert.Equal(t, v+1, version(t, db))
	})
}
