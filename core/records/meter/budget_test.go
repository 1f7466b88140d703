package meter_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
)

func TestWhatADeletedKeyHasSpentStaysSpentOfItsBudget(t *testing.T) {
	ctx := t.Context()
	db := storetest.Open(t, storetest.CreateSQLite(t))
	require.NoError(t, db.Tenants().Insert(ctx, store.Tenant{ID: "acme", Status: "active"}))
	for i, id := range []string{"k1", "k2", "k3"} { // the second one follows the first
		k := store.Key{ID: id, Lineage: "k1", TenantID: "acme", Hash: [32]byte{byte(i + 1)}, Status: store.KeyActive, Source: store.SourceAPI}
		if id == "k3" {
			k.Lineage = id
		}
		require.NoError(t, db.Keys().Insert(ctx, k))
	}
	now := time.Now()
	w := store.NewWriter(db, store.WriterOptions{})
	for id, cost := range map[string]int64{"k1": 1, "k2": 10, "k3": 100} {
		require.NoError(t, w.AppendUsage(ctx, &store.UsageRecord{
			ExchangeID: "x", Tenant: "acme", KeyID: id, Provider: "p", Model: "m", Counted: true, Priced: true, Cost: cost, At: now,
		}))
	}
	require.NoError(t, w.Close(ctx))
	for range 2 {
		sum, err := meter.SumSpent(ctx, db, &spending.Budget{Tenant: "acme", Key: "k1"}, now.Add(-time.Hour), now.Add(time.Hour))
		require.NoError(t, err)
		assert.EqualValues(t, 11, sum.Cost())
		if k, err := db.Keys().List(ctx); assert.NoError(t, err) && len(k) == 3 {
			require.NoError(t, db.Keys().Delete(ctx, "k1", nil))
		}
	}
}
