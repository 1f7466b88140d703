package meter

import (
	"context"
	"time"

	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/core/records/store"
)

// SumSpent returns what the records of an interval charge to a budget.
func SumSpent(ctx context.Context, db *store.DB, b *spending.Budget, from, to time.Time) (sum store.UsageSums, err error) {
	keys, err := listBudgetKeys(ctx, db, b)
	if err != nil {
		return sum, err
	}
	for _, key := range keys {
		if b.Model != "" {
			one, err := db.Usage().SumModels(ctx, store.CostFilter{Tenant: b.Tenant, Key: key, From: from, To: to}, b.Model)
			if err != nil {
				return sum, err
			}
			sum.Add(&one)
			continue
		}
		rows, err := db.Usage().SumCosts(ctx, store.CostFilter{Tenant: b.Tenant, Key: key, From: from, To: to}, 0)
		if err != nil {
			return sum, err
		}
		for i := range rows {
			sum.Add(&rows[i].UsageSums)
		}
	}
	return sum, nil
}

// listBudgetKeys returns the ids of the keys that a budget names by id or name, or one empty id for a budget of all keys.
// It always includes the budget's key as written: a key that was rotated and deleted has still spent.
func listBudgetKeys(ctx context.Context, db *store.DB, b *spending.Budget) ([]string, error) {
	if b.Key == "" {
		return []string{""}, nil
	}
	list, err := db.Keys().List(ctx)
	if err != nil {
		return nil, err
	}
	ids := []string{b.Key}
	for _, k := range list {
		if (b.Tenant == "" || k.TenantID == b.Tenant) && k.ID != b.Key && (k.Name == b.Key || k.Lineage == b.Key) {
			ids = append(ids, k.ID)
		}
	}
	return ids, nil
}
