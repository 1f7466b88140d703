package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
)

// Get is one key; ErrNotFound when there is none with the id.
func (ks Keys) Get(ctx context.Context, id string) (Key, error) {
	var row keyRow
	if err := ks.db.read.GetContext(ctx, &row, "SELECT * FROM api_key WHERE id = ?", id); err != nil {
		return Key{}, fmt.Errorf("read key: %w", named(err))
	}
	return row.key()
}

// Each lists the keys of one tenant, or with an empty id those of all, behind a place, in the order of their making;
// a limit of 0 is none. An error ends the list.
func (ks Keys) Each(ctx context.Context, tenantID string, after Cursor, limit int) iter.Seq2[Key, error] {
	return eachOf(ctx, ks.db, "api_key", "tenant_id", tenantID, after, limit, func(r *keyRow) (Key, Cursor, error) {
		k, err := r.key()
		return k, k.Cursor(), err
	})
}

// Cursor is the place behind the key.
func (k *Key) Cursor() Cursor { return Cursor{k.CreatedAt, k.ID} }

// Change hands a key to change and stores what that makes of it, in one transaction. Its id, tenant, lineage, hash
// and the time of its making stay. An error of change leaves the key as it is; an unknown id is ErrNotFound. It gives the
// key as it is then; one that did not change keeps its UpdatedAt.
func (ks Keys) Change(ctx context.Context, id string, change func(k *Key) error) (Key, error) {
	var k Key
	err := ks.db.mutate(ctx, func(tx *Tx) (changed bool, err error) {
		if k, err = tx.key(ctx, id); err != nil {
			return false, err
		}
		before := k
		if err := change(&k); err != nil {
			return false, err
		}
		return ks.update(ctx, tx, &before, &k)
	})
	if err != nil {
		return Key{}, fmt.Errorf("change key: %w", err)
	}
	return k, nil
}

// Rotate puts a new key in the place of an old one, in one transaction: change sets what becomes of the old key, and
// answers the new one, which takes over its tenant and lineage. It gives the new key as stored. An error of change leaves
// all as it is; an unknown id is ErrNotFound.
func (ks Keys) Rotate(ctx context.Context, id string, change func(old *Key) (Key, error)) (Key, error) {
	var k Key
	err := ks.db.mutate(ctx, func(tx *Tx) (bool, error) {
		old, err := tx.key(ctx, id)
		if err != nil {
			return false, err
		}
		before := old
		if k, err = change(&old); err != nil {
			return false, err
		}
		if _, err := ks.update(ctx, tx, &before, &old); err != nil {
			return false, err
		}
		k.TenantID, k.Lineage = before.TenantID, before.Lineage
		row, err := k.row(ks.db.now())
		if err != nil {
			return false, err
		}
		if err := insertKey(ctx, tx, &row); err != nil {
			return false, err
		}
		k, err = row.key()
		return true, err
	})
	if err != nil {
		return Key{}, fmt.Errorf("rotate key: %w", err)
	}
	return k, nil
}

// Delete deletes a key; ErrNotFound when there is none with the id. An error of check, which may be nil, leaves it as
// it is.
func (ks Keys) Delete(ctx context.Context, id string, check func(Key) error) error {
	err := ks.db.mutate(ctx, func(tx *Tx) (bool, error) {
		k, err := tx.key(ctx, id)
		if err == nil && check != nil {
			err = check(k)
		}
		if err != nil {
			return false, err
		}
		return true, tx.deleteOwned(ctx, "api_key", "key", "id = ?", id)
	})
	if err != nil {
		return fmt.Errorf("delete key: %w", err)
	}
	return nil
}

func (tx *Tx) key(ctx context.Context, id string) (Key, error) {
	var row keyRow
	if err := tx.GetContext(ctx, &row, "SELECT * FROM api_key WHERE id = ?", id); err != nil {
		return Key{}, err
	}
	return row.key()
}

// update stores k where before was, and completes it. It answers whether they differ.
func (ks Keys) update(ctx context.Context, tx *Tx, before, k *Key) (bool, error) {
	if k.Status == "" {
		return false, errors.New("a key needs a status")
	}
	k.ID, k.TenantID, k.Lineage, k.Hash = before.ID, before.TenantID, before.Lineage, before.Hash
	k.CreatedAt, k.UpdatedAt = before.CreatedAt, before.UpdatedAt
	was, err := before.row(before.CreatedAt)
	if err != nil {
		return false, err
	}
	row, err := k.row(k.CreatedAt)
	if err != nil {
		return false, err
	}
	if row.same(&was) {
		return false, nil
	}
	k.UpdatedAt = ks.db.later(before.UpdatedAt)
	row.UpdatedAt = micros(k.UpdatedAt)
	_, err = tx.NamedExecContext(ctx, `
		UPDATE api_key SET name = :name, prefix = :prefix, scopes = :scopes, tier = :tier, metadata = :metadata, tags = :tags,
			status = :status, source = :source, expires_at = :expires_at, updated_at = :updated_at
		WHERE id = :id`, row)
	tx.changed("key", k.ID)
	return true, err
}

// same says whether two states of one key are equal, apart from the time of the change.
func (r *keyRow) same(other *keyRow) bool {
	a, b := *r, *other
	a.UpdatedAt, b.UpdatedAt = a.CreatedAt, a.CreatedAt
	return reflect.DeepEqual(a, b)
}
