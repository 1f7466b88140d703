package store

import (
	"context"
	"fmt"
	"time"
)

// CountByType counts the tokens of a tenant that have not expired at now, by type; "" is every tenant.
func (v Vault) CountByType(ctx context.Context, tenantID string, now time.Time) (map[string]int64, error) {
	var rows []struct {
		Kind string `db:"kind"`
		N    int64  `db:"n"`
	}
	err := v.db.read.SelectContext(ctx, &rows, `
		SELECT kind, count(*) AS n FROM vault_token WHERE (? = '' OR tenant_id = ?) AND expires_at > ? GROUP BY kind`,
		tenantID, tenantID, now.UnixMicro())
	if err != nil {
		return nil, fmt.Errorf("count tokens by type: %w", err)
	}
	out := make(map[string]int64, len(rows))
	for _, r := range rows {
		out[r.Kind] = r.N
	}
	return out, nil
}
