package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
)

func TestEachTestHasADatabaseOfItsOwn(t *testing.T) {
	ctx := context.Background()
	for range 2 {
		RunOnBothDatabases(t, func(t *testing.T, db *store.DB) {
			v, err := db.Config().ReadVersion(ctx)
			require.NoError(t, err)
			assert.EqualValues(t, 1, v)
			require.NoError(t, db.Config().Advance(ctx, "plugin", "a.wasm"))
			v, err = db.Config().ReadVersion(ctx)
			require.NoError(t, err)
			assert.EqualValues(t, 2, v)
		})
	}
}

func TestSeededRecordsAddUp(t *testing.T) {
	size := Size{Tenants: 3, Keys: 100, Costs: 1000, End: time.Now()}
	RunWithBothURLs(t, func(t *testing.T, url string) {
		Seed(t, url, size)
		db := Open(t, url)
		total, err := db.Usage().SumUsage(t.Context(), store.UsageFilter{})
		require.NoError(t, err)
		assert.EqualValues(t, size.Costs, total.Records)
		assert.EqualValues(t, size.Costs, total.Counted)
		assert.Positive(t, total.Cost)
		sums, err := db.Usage().SumCosts(t.Context(), store.CostFilter{}, store.ByTenant|store.ByKey|store.ByModel|store.ByProvider)
		require.NoError(t, err)
		assert.Greater(t, len(sums), 100, "keys and models mix")
		cost := int64(0)
		for i := range sums {
			cost += sums[i].Cost()
			assert.Equal(t, sums[i].Model == "mock-echo", sums[i].Cost() == 0, "%+v", sums[i])
		}
		assert.Equal(t, total.Cost, cost)
		list, _, err := db.Usage().ListExchanges(t.Context(), store.ExchangeFilter{Tenant: FormatTenantID(1)}, nil, 5)
		require.NoError(t, err)
		require.Len(t, list, 5)
		assert.Len(t, list[0].ID, 32)
		assert.WithinDuration(t, size.End, list[0].At, time.Hour*24)
	})
}
