package store

import (
	"context"
	"fmt"
)

// CountByType returns the number of records of each event type, for one tenant or, if tenant is empty, for all. It
// reads all records.
func (al Audit) CountByType(ctx context.Context, tenantID string) (map[string]int64, error) {
	counts := map[string]*int64{}
	err := al.Visit(ctx, AuditFilter{Tenant: tenantID}, func(r *AuditRecord) error {
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
