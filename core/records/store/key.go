package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
)

// The states of a key.
const (
	KeyActive  = "active"
	KeyRotated = "rotated"
	KeyRevoked = "revoked"
)

// Key is a gateway key as stored. Only its owner knows the plaintext.
type Key struct {
	ID                   string
	Lineage              string // the id of the first key in a line of rotations; by default the key's own id
	TenantID, Name       string
	Prefix               string   // first characters of the plaintext, for display
	Hash                 [32]byte // SHA-256 of the plaintext
	Scopes               []string // empty means unrestricted
	Tier                 string
	Metadata             map[string]any
	Tags                 []string
	Models               []string // patterns of the models that it may ask for; empty means all
	Owner                string   // id of the user whose key it is; "" if it has no owner
	Status, Source       string
	ExpiresAt            time.Time // zero means never
	CreatedAt, UpdatedAt time.Time // set by the store
}

var keyTable = newTable(table[Key]{
	name: "api_key", noun: "key", kind: "key", owner: "tenant_id", idle: true,
	head: func(k *Key) head { return head{id: &k.ID, created: &k.CreatedAt, updated: &k.UpdatedAt} },
	prepare: func(k *Key) error {
		switch {
		case k.ID == "":
			return errors.New("a key needs an id")
		case k.Hash == [32]byte{}:
			return errors.New("a key needs the hash of its plaintext")
		}
		if k.Lineage == "" {
			k.Lineage = k.ID
		}
		return nil
	},
	fields: func(k *Key) []field {
		return []field{
			newFixedField("id", &k.ID),
			newFixedField("lineage", &k.Lineage),
			newFixedField("tenant_id", &k.TenantID),
			{column: "name", at: &k.Name},
			{column: "prefix", at: &k.Prefix},
			newFixedField("hash", newDigestCodec(&k.Hash)),
			{column: "scopes", at: newListCodec(&k.Scopes)},
			{column: "tier", at: &k.Tier},
			{column: "metadata", at: newMapCodec(&k.Metadata)},
			{column: "tags", at: newListCodec(&k.Tags)},
			{column: "models", at: newListCodec(&k.Models)},
			{column: "owner", at: &k.Owner},
			{column: "status", at: &k.Status},
			{column: "source", at: &k.Source},
			{column: "expires_at", at: newInstantCodec(&k.ExpiresAt)},
			newFixedField("created_at", newInstantCodec(&k.CreatedAt)),
			{column: "updated_at", at: newInstantCodec(&k.UpdatedAt)},
		}
	},
})

// Keys reads and writes the gateway keys.
type Keys struct{ Records[Key] }

// Keys returns the gateway keys.
func (db *DB) Keys() Keys { return Keys{Records[Key]{db, keyTable}} }

// Cursor is the place of the key in a list.
func (k *Key) Cursor() Cursor { return Cursor{k.CreatedAt, k.ID} }

// keysAtOnce is how many keys one statement stores. Each has 17 parameters, and SQLite allows 32766.
const keysAtOnce = 500

// InsertAll adds many keys in one transaction.
func (ks Keys) InsertAll(ctx context.Context, keys iter.Seq[Key]) error {
	err := ks.db.mutate(ctx, func(tx *Tx) (bool, error) {
		var batch []Key
		inserted, now := false, ks.db.readClock()
		for k := range keys {
			if err := keyTable.stamp(&k, now); err != nil {
				return false, err
			}
			inserted, batch = true, append(batch, k)
			if len(batch) == keysAtOnce {
				if err := keyTable.insert(ctx, tx, batch...); err != nil {
					return false, err
				}
				batch = batch[:0]
			}
		}
		return inserted, keyTable.insert(ctx, tx, batch...)
	})
	if err != nil {
		return fmt.Errorf("insert keys: %w", err)
	}
	return nil
}

// ListByTenant returns the keys of one tenant, ordered by creation.
func (ks Keys) ListByTenant(ctx context.Context, tenantID string) ([]Key, error) {
	return ks.list(ctx, "WHERE tenant_id = ? ORDER BY created_at, id", tenantID)
}

// Revoke revokes a key immediately. Revoking it again changes nothing.
func (ks Keys) Revoke(ctx context.Context, id string) error {
	_, err := ks.Records.Change(ctx, id, func(k *Key) error {
		k.Status = KeyRevoked
		return nil
	})
	if err != nil {
		return fmt.Errorf("revoke key: %w", errors.Unwrap(err))
	}
	return nil
}

// Change lets change edit a key as it is stored, and stores and returns the result. Id, tenant, lineage, hash and
// creation time do not change. An unchanged key keeps its UpdatedAt.
func (ks Keys) Change(ctx context.Context, id string, change func(k *Key) error) (Key, error) {
	return ks.Records.Change(ctx, id, requireStatus(change))
}

func requireStatus(change func(k *Key) error) func(k *Key) error {
	return func(k *Key) error {
		err := change(k)
		if err == nil && k.Status == "" {
			err = errors.New("a key needs a status")
		}
		return err
	}
}

// Rotate replaces a key by a new one in one transaction. change edits the old key and returns the new one, which takes
// over its tenant and lineage. Rotate returns the new key as stored. An error of change leaves everything unchanged.
func (ks Keys) Rotate(ctx context.Context, id string, change func(old *Key) (Key, error)) (Key, error) {
	var k Key
	err := ks.db.mutate(ctx, func(tx *Tx) (bool, error) {
		old, err := keyTable.lock(ctx, tx, id)
		if err != nil {
			return false, err
		}
		tenant, lineage := old.TenantID, old.Lineage
		_, err = keyTable.update(ctx, ks.db, tx, &old, requireStatus(func(old *Key) (err error) {
			k, err = change(old)
			return err
		}))
		if err != nil {
			return false, err
		}
		k.TenantID, k.Lineage = tenant, lineage
		if err := keyTable.stamp(&k, ks.db.readClock()); err != nil {
			return false, err
		}
		if err := keyTable.insert(ctx, tx, k); err != nil {
			return false, err
		}
		k, err = keyTable.lock(ctx, tx, k.ID)
		return true, err
	})
	if err != nil {
		return Key{}, fmt.Errorf("rotate key: %w", err)
	}
	return k, nil
}

// Insert adds a key.
func (ks Keys) Insert(ctx context.Context, k Key) error {
	_, err := ks.Records.Insert(ctx, k)
	return err
}
