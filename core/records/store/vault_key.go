package store

import (
	"context"
	"fmt"
)

// InsertKeyOnce stores the tenant's wrapped key unless there is one already, and returns the one that is in force: of two
// processes that meet a new tenant at the same time, both go on with the key of the first.
func (v Vault) InsertKeyOnce(ctx context.Context, tenantID string, wrapped []byte) ([]byte, error) {
	var kept []byte
	err := v.db.mutate(ctx, func(tx *Tx) (bool, error) {
		res, err := tx.ExecContext(ctx,
			"INSERT INTO vault_key (tenant_id, wrapped, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
			tenantID, wrapped, v.db.now().UnixMicro())
		if err != nil {
			return false, err
		}
		n, err := res.RowsAffected()
		if err != nil {
			return false, err
		}
		tx.noteChange("vault_key", tenantID)
		return n > 0, tx.GetContext(ctx, &kept, "SELECT wrapped FROM vault_key WHERE tenant_id = ?", tenantID)
	})
	if err != nil {
		return nil, fmt.Errorf("keep vault key: %w", err)
	}
	return kept, nil
}

// GetKey reads the tenant's wrapped key, or ErrNotFound.
func (v Vault) GetKey(ctx context.Context, tenantID string) ([]byte, error) {
	var wrapped []byte
	err := v.db.read.GetContext(ctx, &wrapped, "SELECT wrapped FROM vault_key WHERE tenant_id = ?", tenantID)
	if err != nil {
		return nil, fmt.Errorf("read vault key: %w", mapDriverError(err))
	}
	return wrapped, nil
}

// Shred deletes the tenant's tokens and its key, puts the new wrapped key in its place, and answers how many
// tokens there were. Copies of the old rows, in a backup or in free pages of the file, cannot be opened any more.
func (v Vault) Shred(ctx context.Context, tenantID string, wrapped []byte) (removed int, err error) {
	err = v.db.mutate(ctx, func(tx *Tx) (bool, error) {
		res, err := tx.ExecContext(ctx, "DELETE FROM vault_token WHERE tenant_id = ?", tenantID)
		if err != nil {
			return false, err
		}
		n, err := res.RowsAffected()
		if err != nil {
			return false, err
		}
		removed = int(n)
		_, err = tx.ExecContext(ctx, `INSERT INTO vault_key (tenant_id, wrapped, created_at) VALUES (?, ?, ?)
			ON CONFLICT (tenant_id) DO UPDATE SET wrapped = excluded.wrapped, created_at = excluded.created_at`,
			tenantID, wrapped, v.db.now().UnixMicro())
		tx.noteChange("vault_key", tenantID)
		return true, err
	})
	if err != nil {
		return 0, fmt.Errorf("shred vault: %w", err)
	}
	return removed, v.db.emptyLog(ctx)
}

// emptyLog copies the write-ahead log into the database and cuts it to nothing, so that it keeps no old key. A reader in
// the middle of a long read can stand in the way; then the log is overwritten later, as it always is.
func (db *DB) emptyLog(ctx context.Context) error {
	if db.postgres {
		return nil // it keeps old versions of rows until it vacuums
	}
	release, err := db.take(ctx)
	if err != nil {
		return err
	}
	defer release()
	if _, err := db.write.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		return fmt.Errorf("empty the write-ahead log: %w", err)
	}
	return nil
}

// ListTenantsWithoutKey are the ids of the tenants whose vault has no key yet.
func (v Vault) ListTenantsWithoutKey(ctx context.Context) ([]string, error) {
	var ids []string
	err := v.db.read.SelectContext(
		ctx,
		&ids,
		"SELECT id FROM tenant WHERE NOT EXISTS (SELECT 1 FROM vault_key WHERE vault_key.tenant_id = tenant.id) ORDER BY id",
	)
	if err != nil {
		return nil, fmt.Errorf("list tenants without a vault key: %w", err)
	}
	return ids, nil
}

// AddKeys is InsertKeyOnce for many tenants, in one step of the configuration version.
func (v Vault) AddKeys(ctx context.Context, wrapped map[string][]byte) error {
	err := v.db.mutate(ctx, func(tx *Tx) (bool, error) {
		for id, key := range wrapped {
			_, err := tx.ExecContext(ctx, "INSERT INTO vault_key (tenant_id, wrapped, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
				id, key, v.db.now().UnixMicro())
			if err != nil {
				return false, err
			}
			tx.noteChange("vault_key", id)
		}
		return len(wrapped) > 0, nil
	})
	if err != nil {
		return fmt.Errorf("keep vault keys: %w", err)
	}
	return nil
}
