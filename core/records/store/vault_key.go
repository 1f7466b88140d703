package store

import (
	"context"
	"fmt"
)

// InsertKeyOnce stores the tenant's wrapped key unless a key exists, and returns the stored key. If two processes
// create a tenant's key at the same time, both continue with the first.
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
		return nil, fmt.Errorf("store vault key: %w", err)
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

// Shred deletes the tenant's tokens, replaces its wrapped key, and returns the number of tokens. Copies of the old
// rows, in backups or free pages, can no longer be decrypted.
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

// emptyLog checkpoints and truncates the write-ahead log, so that it retains no old key. A long read can prevent it;
// the log is then overwritten later as usual.
func (db *DB) emptyLog(ctx context.Context) error {
	if db.postgres {
		return nil // PostgreSQL keeps old row versions until it vacuums
	}
	release, err := db.acquireWriter(ctx)
	if err != nil {
		return err
	}
	defer release()
	if _, err := db.write.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		return fmt.Errorf("empty the write-ahead log: %w", err)
	}
	return nil
}

// ListTenantsWithoutKey returns the ids of the tenants without a vault key.
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

// AddKeys is InsertKeyOnce for many tenants in one configuration version.
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
		return fmt.Errorf("store vault keys: %w", err)
	}
	return nil
}
