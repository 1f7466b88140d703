package admin

import (
	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/store"
)

// findInFile returns the budget of the configuration file with the id, or nil.
func (s Budgets) findInFile(id string) *store.BudgetRecord {
	list := s.svc.Ledger.FileBudgets()
	for i := range list {
		if list[i].ID == id {
			return &list[i]
		}
	}
	return nil
}

func nilIfEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// viewBudget returns the view of a budget of the database or of the configuration file.
func viewBudget(b *store.BudgetRecord) Budget {
	v := Budget{
		ID: b.ID, Tenant: nilIfEmpty(b.Tenant), Key: nilIfEmpty(b.Key), Name: b.Name, Period: b.Period.String(), SoftPct: b.Soft,
		Enabled: b.Enabled, Version: b.Version, Source: store.SourceAPI, CreatedAt: &b.CreatedAt, UpdatedAt: &b.UpdatedAt,
	}
	if b.Limit >= 0 {
		limit := money.Amount(b.Limit)
		v.Limit = &limit
	}
	if b.CreatedAt.IsZero() {
		v.Source, v.Version, v.CreatedAt, v.UpdatedAt = store.SourceFile, 1, nil, nil
	}
	return v
}
