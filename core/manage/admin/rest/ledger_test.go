package rest_test

import (
	"context"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/core/records/store"
)

// The plane's configuration file contains one price and one budget.
func (*plane) FilePrices() []admin.Price {
	return []admin.Price{
		{ID: "fileprice", Model: "gpt-*", Provider: "mock", Input: money.USD, Output: 2 * money.USD, Source: store.SourceFile},
	}
}

func (*plane) FileBudgets() []store.BudgetRecord {
	return []store.BudgetRecord{
		{
			Budget: spending.Budget{
				ID:     "filebudget",
				Name:   "filebudget",
				Period: spending.Daily,
				Zone:   time.UTC,
				Limit:  5 * int64(money.USD),
				Tokens: -1,
			},
			Enabled: true,
		},
	}
}

func (*plane) FindProviderName(name string) string {
	if name == "azure" {
		return "azure-openai"
	}
	return name
}

func (*plane) AnomalyThreshold() int64 { return 50 }

// spend records exchanges of a tenant's key at the given cost each, an hour apart, the last one at the given time.
func (a *api) spend(tenant, key, provider, model string, last time.Time, costs ...int64) {
	a.t.Helper()
	w := store.NewWriter(a.db, store.WriterOptions{})
	for i, cost := range costs {
		require.NoError(a.t, w.AppendUsage(context.Background(), &store.UsageRecord{
			ExchangeID: "x", Tenant: tenant, KeyID: key, Provider: provider, Model: model, PriceID: "p1", Input: 100, Output: 50, Counted: true,
			Cost: cost, InputCost: cost / 4, Priced: true, At: last.Add(-time.Duration(len(costs)-1-i) * time.Hour),
		}))
	}
	require.NoError(a.t, w.Close(context.Background()))
}

// tenantAs creates a tenant with that id.
func (a *api) tenantAs(id string) {
	a.t.Helper()
	_, err := a.db.Tenants().Upsert(context.Background(), store.Tenant{ID: id, Name: id, Status: "active", Source: store.SourceAPI})
	require.NoError(a.t, err)
}

// keyAs creates a key with that id.
func (a *api) keyAs(tenant, id string) {
	a.t.Helper()
	require.NoError(a.t, a.db.Keys().Insert(context.Background(), store.Key{
		ID:       id,
		TenantID: tenant,
		Name:     id,
		Prefix:   "gw_x",
		Hash:     [32]byte([]byte((id + "                                ")[:32])),
		Status:   store.KeyActive,
		Source:   store.SourceAPI,
	}))
}
