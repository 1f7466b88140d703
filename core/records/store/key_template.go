package store

import (
	"context"
	"fmt"
)

// KeyTemplate limits the keys that members of a tenant create for themselves. A zero field sets no limit.
type KeyTemplate struct {
	Models  []string `json:"models,omitempty"`      // patterns of models
	Days    int      `json:"days,omitempty"`        // until a key expires
	Keys    int      `json:"keys,omitempty"`        // active keys of one member
	Monthly int64    `json:"monthly_usd,omitempty"` // budget of each key per month, in units of 1e-10 USD
}

// IsEmpty reports whether no limit is set.
func (t *KeyTemplate) IsEmpty() bool {
	return len(t.Models) == 0 && t.Days == 0 && t.Keys == 0 && t.Monthly == 0
}

// Add inserts a key unless check, which gets the number of the owner's active keys in the tenant, returns an error.
func (ks Keys) Add(ctx context.Context, k Key, check func(n int) error) error {
	err := keyTable.stamp(&k, ks.db.readClock())
	if err == nil {
		err = ks.db.mutate(ctx, func(tx *Tx) (bool, error) {
			var n int
			err := tx.GetContext(ctx, &n, "SELECT count(*) FROM api_key WHERE tenant_id = ? AND owner = ? AND owner <> '' AND status = ?",
				k.TenantID, k.Owner, KeyActive)
			if err == nil {
				err = check(n)
			}
			if err != nil {
				return false, err
			}
			return true, keyTable.insert(ctx, tx, k)
		})
	}
	if err != nil {
		return fmt.Errorf("add key: %w", err)
	}
	return nil
}

// ListOwned returns the newest keys of a user in a tenant, at most limit.
func (ks Keys) ListOwned(ctx context.Context, tenant, owner string, limit int) ([]Key, error) {
	return ks.list(ctx, "WHERE tenant_id = ? AND owner = ? AND owner <> '' ORDER BY created_at DESC, id LIMIT ?", tenant, owner, limit)
}
