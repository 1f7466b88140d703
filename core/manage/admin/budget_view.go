package admin

import (
	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/store"
)

func (s Budgets) findInFile(id string) *FileBudget {
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

func viewBudget(b *store.BudgetRecord) Budget {
	limit := money.Amount(b.Limit)
	return Budget{
		ID: b.ID, Tenant: nilIfEmpty(b.Tenant), Key: nilIfEmpty(b.Key), Name: b.Name, Period: b.Period, Limit: &limit, SoftPct: b.SoftPct,
		Enabled: b.Enabled, Version: b.Version, Source: store.SourceAPI, CreatedAt: &b.CreatedAt, UpdatedAt: &b.UpdatedAt,
	}
}

func viewFileBudget(f *FileBudget) Budget {
	v := Budget{
		ID:      f.ID,
		Tenant:  nilIfEmpty(f.Tenant),
		Key:     nilIfEmpty(f.Key),
		Name:    f.Name,
		Period:  f.Period.String(),
		SoftPct: f.Soft,
		Enabled: f.Enabled,
		Version: 1,
		Source:  store.SourceFile,
	}
	if f.Limit >= 0 {
		limit := money.Amount(f.Limit)
		v.Limit = &limit
	}
	return v
}
