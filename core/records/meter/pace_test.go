package meter_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
)

func TestThePaceTellsOutcomesAndLatencies(t *testing.T) {
	db := storetest.Open(t, storetest.CopyMigrated(t))
	now := time.Now().UTC()
	w := store.NewWriter(db, store.WriterOptions{})
	add := func(ago time.Duration, tenant, outcome string, latency time.Duration) {
		u := store.UsageRecord{ExchangeID: "x", Tenant: tenant, Outcome: outcome, Latency: latency, At: now.Add(-ago), Cost: 100, Priced: true}
		if outcome == "blocked" {
			u.BlockedBy = "guard"
		}
		require.NoError(t, w.AppendUsage(t.Context(), &u))
	}
	for i := range 100 {
		add(time.Minute, "a", "served", time.Duration(i+1)*10*time.Millisecond)
	}
	for _, o := range []string{"answered", "blocked", "blocked", "faulted", "crashed", "upstream_error", "refused", "client_gone"} {
		add(20*time.Minute, "b", o, time.Hour)
	}
	add(5*time.Hour, "b", "served", time.Millisecond)
	require.NoError(t, w.Close(t.Context()))

	p, err := meter.ReadPace(t.Context(), db, "", meter.LastHour, now)
	require.NoError(t, err)
	assert.Len(t, p.Steps, 60)
	assert.Equal(
		t,
		[]int64{108, 100, 1, 2, 3, 2, 10800},
		[]int64{p.Sum.Calls, p.Sum.Served, p.Sum.Answered, p.Sum.Blocked, p.Sum.Failed, p.Sum.Refused, p.Sum.Cost},
	)
	assert.EqualValues(t, 100, p.Steps[58].Calls)
	assert.EqualValues(t, 100, p.Now.Calls)
	assert.InEpsilon(t, 500*time.Millisecond, p.Steps[58].P50, .1)
	assert.InEpsilon(t, 950*time.Millisecond, p.Steps[58].P95, .1)
	assert.Zero(t, p.Steps[0].P50)
	require.Len(t, p.Blocked, 1)
	assert.Equal(t, "guard", p.Blocked[0].Link)
	assert.EqualValues(t, 2, p.Blocked[0].Sum)
	assert.EqualValues(t, 2, p.Blocked[0].Steps[39])

	for _, s := range []meter.Span{meter.LastDay, meter.LastWeek} {
		p, err = meter.ReadPace(t.Context(), db, "b", s, now)
		require.NoError(t, err)
		assert.EqualValues(t, 9, p.Sum.Calls, s.Name)
		assert.Len(t, p.Steps, s.Steps)
	}
	p, err = meter.ReadPace(t.Context(), db, "nobody", meter.LastDay, now)
	require.NoError(t, err)
	assert.Zero(t, p.Sum)
}
