package store

import (
	"context"
	"database/sql"
	"encoding/json"
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

// Key is a gateway key as stored: its plaintext is known to its owner only.
type Key struct {
	ID                   string
	Lineage              string // the id of the first key in a line of rotations; empty means the key's own id
	TenantID, Name       string
	Prefix               string   // leading characters of the plaintext, for people to tell keys apart
	Hash                 [32]byte // SHA-256 of the plaintext
	Scopes               []string // empty means unrestricted
	Tier                 string
	Metadata             map[string]any
	Tags                 []string
	Status, Source       string
	ExpiresAt            time.Time // zero means never
	CreatedAt, UpdatedAt time.Time // set by the store
}

type keyRow struct {
	ID        string        `db:"id"`
	Lineage   string        `db:"lineage"`
	TenantID  string        `db:"tenant_id"`
	Name      string        `db:"name"`
	Prefix    string        `db:"prefix"`
	Hash      []byte        `db:"hash"`
	Scopes    string        `db:"scopes"`
	Tier      string        `db:"tier"`
	Metadata  string        `db:"metadata"`
	Tags      string        `db:"tags"`
	Status    string        `db:"status"`
	Source    string        `db:"source"`
	ExpiresAt sql.NullInt64 `db:"expires_at"`
	CreatedAt sql.NullInt64 `db:"created_at"`
	UpdatedAt sql.NullInt64 `db:"updated_at"`
}

const keyInsertSQL = `INSERT INTO api_key (id, lineage, tenant_id, name, prefix, hash, scopes, tier, metadata, tags, status,
	source, expires_at, created_at, updated_at)
	VALUES (:id, :lineage, :tenant_id, :name, :prefix, :hash, :scopes, :tier, :metadata, :tags, :status, :source,
	:expires_at, :created_at, :updated_at)`

// Insert adds a key. An id or a hash that is there already is ErrExists, a tenant that is not is ErrNotFound.
func (ks Keys) Insert(ctx context.Context, k Key) error {
	row, err := k.row(ks.db.now())
	if err != nil {
		return fmt.Errorf("insert key: %w", err)
	}
	err = ks.db.mutate(ctx, func(tx *Tx) (bool, error) { return true, insertKey(ctx, tx, &row) })
	if err != nil {
		return fmt.Errorf("insert key: %w", err)
	}
	return nil
}

// keysAtOnce is how many keys one statement stores; each has 15 parameters, of which SQLite takes 32766.
const keysAtOnce = 500

// InsertAll adds many keys in one transaction, all or none. Errors are those of InsertKey.
func (ks Keys) InsertAll(ctx context.Context, keys iter.Seq[Key]) error {
	err := ks.db.mutate(ctx, func(tx *Tx) (bool, error) {
		var rows []keyRow
		store := func() error {
			if len(rows) == 0 {
				return nil
			}
			_, err := tx.NamedExecContext(ctx, keyInsertSQL, rows)
			rows = rows[:0]
			return err
		}
		any, now := false, ks.db.now()
		for k := range keys {
			row, err := k.row(now)
			if err != nil {
				return false, err
			}
			any, rows = true, append(rows, row)
			tx.changed("key", k.ID)
			if len(rows) == keysAtOnce {
				if err := store(); err != nil {
					return false, err
				}
			}
		}
		return any, store()
	})
	if err != nil {
		return fmt.Errorf("insert keys: %w", err)
	}
	return nil
}

func insertKey(ctx context.Context, tx *Tx, row *keyRow) error {
	_, err := tx.NamedExecContext(ctx, keyInsertSQL, row)
	tx.changed("key", row.ID)
	return err
}

// List are all keys, in the order of their making.
func (ks Keys) List(ctx context.Context) ([]Key, error) {
	return ks.list(ctx, "SELECT * FROM api_key ORDER BY created_at, id")
}

// ListByTenant are the keys of one tenant, in the order of their making.
func (ks Keys) ListByTenant(ctx context.Context, tenantID string) ([]Key, error) {
	return ks.list(ctx, "SELECT * FROM api_key WHERE tenant_id = ? ORDER BY created_at, id", tenantID)
}

// Revoke ends a key at once; ErrNotFound when there is none with the id. Revoking twice changes nothing.
func (ks Keys) Revoke(ctx context.Context, id string) error {
	now := micros(ks.db.now())
	err := ks.db.mutate(ctx, func(tx *Tx) (bool, error) {
		var status string
		if err := tx.GetContext(ctx, &status, "SELECT status FROM api_key WHERE id = ?", id); err != nil {
			return false, err
		}
		if status == KeyRevoked {
			return false, nil
		}
		_, err := tx.ExecContext(ctx, "UPDATE api_key SET status = ?, updated_at = ? WHERE id = ?", KeyRevoked, now, id)
		tx.changed("key", id)
		return true, err
	})
	if err != nil {
		return fmt.Errorf("revoke key: %w", err)
	}
	return nil
}

func (ks Keys) list(ctx context.Context, query string, args ...any) ([]Key, error) {
	var rows []keyRow
	if err := ks.db.read.SelectContext(ctx, &rows, query, args...); err != nil {
		return nil, fmt.Errorf("list keys: %w", err)
	}
	list := make([]Key, len(rows))
	for i := range rows {
		k, err := rows[i].key()
		if err != nil {
			return nil, fmt.Errorf("read key %q: %w", rows[i].ID, err)
		}
		list[i] = k
	}
	return list, nil
}

func (k Key) row(now time.Time) (keyRow, error) {
	switch {
	case k.ID == "":
		return keyRow{}, errors.New("a key needs an id")
	case k.Hash == [32]byte{}:
		return keyRow{}, errors.New("a key needs the hash of its plaintext")
	}
	r := keyRow{
		ID: k.ID, Lineage: k.Lineage, TenantID: k.TenantID, Name: k.Name, Prefix: k.Prefix, Hash: k.Hash[:],
		Tier: k.Tier, Status: k.Status, Source: k.Source, Scopes: "[]", Metadata: "{}", Tags: "[]",
		ExpiresAt: micros(k.ExpiresAt), CreatedAt: micros(now), UpdatedAt: micros(now),
	}
	if r.Lineage == "" {
		r.Lineage = k.ID
	}
	if len(k.Scopes) > 0 {
		b, err := json.Marshal(k.Scopes)
		if err != nil {
			return keyRow{}, fmt.Errorf("scopes: %w", err)
		}
		r.Scopes = string(b)
	}
	return r, encode(k.Metadata, &r.Metadata, k.Tags, &r.Tags)
}

func (r *keyRow) key() (Key, error) {
	k := Key{
		ID: r.ID, Lineage: r.Lineage, TenantID: r.TenantID, Name: r.Name, Prefix: r.Prefix, Tier: r.Tier,
		Status: r.Status, Source: r.Source, ExpiresAt: instant(r.ExpiresAt), CreatedAt: instant(r.CreatedAt),
		UpdatedAt: instant(r.UpdatedAt),
	}
	if copy(k.Hash[:], r.Hash) != len(k.Hash) {
		return Key{}, errors.New("its hash is damaged")
	}
	if err := json.Unmarshal([]byte(r.Scopes), &k.Scopes); err != nil {
		return Key{}, fmt.Errorf("scopes: %w", err)
	}
	if err := json.Unmarshal([]byte(r.Metadata), &k.Metadata); err != nil {
		return Key{}, fmt.Errorf("metadata: %w", err)
	}
	if err := json.Unmarshal([]byte(r.Tags), &k.Tags); err != nil {
		return Key{}, fmt.Errorf("tags: %w", err)
	}
	return k, nil
}
