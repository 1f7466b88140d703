package store

import (
	"context"
	"fmt"
	"time"
)

// Add is InsertTenant for one that has to be allowed: check is asked with the number of tenants that there are, and
// its error is answered. It gives the tenant as it is stored.
func (ts Tenants) Add(ctx context.Context, t Tenant, check func(n int) error) (Tenant, error) {
	t.CreatedAt = ts.db.now().UTC().Truncate(time.Microsecond)
	t.UpdatedAt = t.CreatedAt
	row, err := t.row(t.CreatedAt)
	if err != nil {
		return Tenant{}, fmt.Errorf("add tenant: %w", err)
	}
	err = ts.db.mutate(ctx, func(tx *Tx) (bool, error) {
		var n int
		if err := tx.GetContext(ctx, &n, "SELECT count(*) FROM tenant"); err != nil {
			return false, err
		}
		if err := check(n); err != nil {
			return false, err
		}
		tx.changed("tenant", t.ID)
		return true, tx.insertTenant(ctx, &row)
	})
	if err != nil {
		return Tenant{}, fmt.Errorf("add tenant: %w", err)
	}
	return t, nil
}
