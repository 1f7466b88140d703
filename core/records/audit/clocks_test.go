package audit

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
)

// The clocks of a node and of its control plane jump while the node delivers records, some of them twice.
func TestAFleetLosesNothingWhateverItsClocksDo(t *testing.T) {
	storetest.RunWithBothURLs(t, func(t *testing.T, url string) {
		ctx := context.Background()
		here, there := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
		node := storetest.Open(t, storetest.CopyMigrated(t), store.WithClock(func() time.Time { return here }))
		central := storetest.Open(t, url, store.WithClock(func() time.Time { return there }))
		w, cw := store.NewWriter(node, store.WriterOptions{}), store.NewWriter(central, store.WriterOptions{})
		log, _, err := Open(ctx, node, w, testKey, WithNode("edge"))
		require.NoError(t, err)
		own, _, err := Open(ctx, central, cw, testKey, WithNode("central"))
		require.NoError(t, err)
		hand := func() {
			t.Helper()
			h, err := central.Audit().GetHead(ctx, "edge")
			require.NoError(t, err)
			from := int64(0)
			if h != nil {
				from = h.Seq
			}
			for {
				run, err := node.Audit().ReadAfter(ctx, "edge", from)
				require.NoError(t, err)
				if run == nil {
					break
				}
				for range 2 {
					require.NoError(t, ImportRun(ctx, central, testKey, "edge", run))
				}
				from = run.Segments[len(run.Segments)-1].Last
			}
			usage, _, err := central.Fleet().GetCursors(ctx, "edge")
			require.NoError(t, err)
			list, last, err := node.Fleet().ListUsageAfter(ctx, usage, 1000)
			require.NoError(t, err)
			for range 2 {
				require.NoError(t, cw.AppendNodeUsage(ctx, "edge", usage, last, list))
				require.NoError(t, cw.Sync(ctx))
			}
		}
		exchanges := int64(0)
		for i, step := range []struct{ here, there time.Duration }{
			{0, 0},
			{time.Second, time.Second},
			{-48 * time.Hour, 0},
			{365 * 24 * time.Hour, -time.Hour},
			{-365 * 24 * time.Hour, 20 * 365 * 24 * time.Hour},
			{time.Minute, -20 * 365 * 24 * time.Hour},
			{0, time.Second},
		} {
			here, there = here.Add(step.here), there.Add(step.there)
			for n := range 5 {
				id := fmt.Sprintf("%032x", i*100+n)
				require.NoError(t, log.Append(ctx, Event{Tenant: "t", Type: GatewayRequest, Payload: []byte(`{"request_id":"` + id + `"}`)}))
				use := store.UsageRecord{
					ExchangeID: id,
					Tenant:     "t",
					KeyID:      "k",
					Provider:   "p",
					Model:      "m",
					Outcome:    "served",
					Status:     200,
					Input:      1,
					Output:     1,
					Counted:    true,
					Priced:     true,
					Cost:       10,
					InputCost:  4,
					At:         here,
				}
				require.NoError(t, w.AppendUsage(ctx, &use))
				exchanges++
			}
			require.NoError(t, own.Append(ctx, Event{Type: ConfigChanged, Payload: []byte(`{}`)}))
			require.NoError(t, log.WriteCheckpoint(ctx))
			require.NoError(t, own.WriteCheckpoint(ctx))
			require.NoError(t, log.Sync(ctx))
			require.NoError(t, own.Sync(ctx))
			hand()
		}
		proof, err := Verify(ctx, central, testKey)
		require.NoError(t, err)
		assert.True(t, proof.Valid(), "%+v", proof.Chains)
		require.Len(t, proof.Chains, 2)
		assert.Equal(t, exchanges, proof.ByType()[GatewayRequest])
		rows, err := central.Usage().SumCosts(ctx, store.CostFilter{}, 0)
		require.NoError(t, err)
		assert.Equal(t, []int64{exchanges, 10 * exchanges}, []int64{rows[0].Requests, rows[0].Cost()}, "spent once")
		got, err := central.Usage().SumUsage(ctx, store.UsageFilter{})
		require.NoError(t, err)
		assert.Equal(t, exchanges, got.Records)
		for _, err := range []error{log.Close(ctx), own.Close(ctx), w.Close(ctx), cw.Close(ctx)} {
			require.NoError(t, err)
		}
	})
}
