package audit

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
)

// BenchmarkPaced measures the CPU time, including the kernel's, that the records of an exchange cost a gateway under load,
// by the number of exchanges between two flushes, with 25 flushes a second and one goroutine. "nothing" is the same loop
// without records: subtract its cost from the others. Two exchanges per flush show the cost of a flush. Run it with a fixed
// number of exchanges: -benchtime 60000x, and 500x for two per flush.
func BenchmarkPaced(b *testing.B) {
	const tick = 40 * time.Millisecond
	for _, kind := range []string{"nothing", "audit", "usage", "both"} {
		for _, batch := range []int{2, 250, 400} {
			b.Run(fmt.Sprint(kind, " ", batch, " per flush"), func(b *testing.B) {
				ctx := context.Background()
				db, err := store.Open(ctx, "sqlite:"+filepath.Join(b.TempDir(), "x.db"))
				require.NoError(b, err)
				w := store.NewWriter(db, store.WriterOptions{Interval: time.Hour, Wait: time.Minute})
				log, _, err := Open(ctx, db, w, testKey)
				require.NoError(b, err)
				use := usage
				flushes := time.NewTicker(tick)
				defer flushes.Stop()
				n, before := 0, cpu()
				for b.Loop() {
					n++
					if kind == "audit" || kind == "both" {
						require.NoError(b, log.Append(ctx, Event{Tenant: "default", Type: GatewayRequest, Payload: request}))
						require.NoError(b, log.Append(ctx, Event{Tenant: "default", Type: GatewayResponse, Payload: response}))
					}
					if kind == "usage" || kind == "both" {
						require.NoError(b, w.AppendUsage(ctx, &use))
					}
					if n%batch == 0 {
						require.NoError(b, w.Sync(ctx))
						<-flushes.C
					}
				}
				require.NoError(b, w.Sync(ctx))
				b.ReportMetric(float64(cpu()-before)/float64(n), "cpu-ns/exchange")
				require.NoError(b, log.Close(ctx))
				require.NoError(b, w.Close(ctx))
				require.NoError(b, db.Close(ctx))
			})
		}
	}
}
