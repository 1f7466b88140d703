package store

import (
	"context"
	"fmt"
)

// CountByType is how many records each event type has, for one tenant or, with an empty id, for all. It reads all
// records.
func (al Audit) CountByType(ctx context.Context, tenantID string) (map[string]int64, error) {
	counts := map[string]*int64{}
	err := al.ForEach(ctx, AuditFilter{Tenant: tenantID}, func(r *AuditRecord) error {
		n := counts[r.Type]
		if n == nil {
			n = new(int64)
			counts[string([]byte(r.Type))] = n
		}
		*n++
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("count audit events: %w", err)
	}
	sums := make(map[string]int64, len(counts))
	for kind, n := range counts {
		sums[kind] = *n
	}
	return sums, nil
}
