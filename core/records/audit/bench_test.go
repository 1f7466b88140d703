package audit

import (
	"context"
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
)

var (
	request = []byte(
		`{"exchange_id":"4bf92f3577b34da6a3ce929d0e0e4736","dialect":"openai","model":"gpt-4o-mini","api_key":"gw_abcd","stream":false,"findings":2}`,
	)
	response = []byte(
		`{"exchange_id":"4bf92f3577b34da6a3ce929d0e0e4736","model":"gpt-4o-mini","provider":"openai","status":200,"latency_ms":12,"api_key":"gw_abcd","tokens_total":345}`,
	)
)

var usage = store.UsageRecord{
	ExchangeID: "4bf92f3577b34da6a3ce929d0e0e4736", Tenant: "default", KeyID: "3f1c2a7e9b", Dialect: "openai",
	ModelRequested: "gpt-4o-mini", Provider: "openai", Model: "gpt-4o-mini", Outcome: "done", Status: 200,
	Input: 300, Output: 45, Counted: true, Latency: 12 * time.Millisecond, FirstByte: 11 * time.Millisecond,
}

// cpu is what the process has used, in nanoseconds: wall time says nothing on a shared machine.
func cpu() int64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return r.Utime.Nano() + r.Stime.Nano()
}

// BenchmarkExchange books what one governed exchange books: two audit events and one usage record, in batches as they
// come at so many exchanges between two flushes.
func BenchmarkExchange(b *testing.B) {
	for _, batch := range []int{50, 300, 1000} {
		b.Run(fmt.Sprint(batch, " per flush"), func(b *testing.B) {
			ctx := context.Background()
			db, err := store.Open(ctx, "sqlite:"+filepath.Join(b.TempDir(), "x.db"))
			require.NoError(b, err)
			w := store.NewWriter(db, store.WriterOptions{Interval: time.Hour, Wait: time.Minute})
			log, _, err := Open(ctx, db, w, testKey)
			require.NoError(b, err)
			use := usage
			b.ReportAllocs()
			n, before := 0, cpu()
			for b.Loop() {
				n++
				if err := log.Append(ctx, Event{Tenant: "default", Type: GatewayRequest, Payload: request}); err != nil {
					b.Fatal(err)
				}
				if err := log.Append(ctx, Event{Tenant: "default", Type: GatewayResponse, Payload: response}); err != nil {
					b.Fatal(err)
				}
				if err := w.AppendUsage(ctx, &use); err != nil {
					b.Fatal(err)
				}
				if n%batch == 0 {
					if err := w.Sync(ctx); err != nil {
						b.Fatal(err)
					}
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

func BenchmarkSeal(b *testing.B) {
	c, err := newChain("node", testKey)
	require.NoError(b, err)
	e := store.AuditEvent{Tenant: "default", Type: GatewayResponse, Payload: string(response), At: 1}
	b.ReportAllocs()
	for b.Loop() {
		c.Seal(&e)
	}
}

func BenchmarkPayload(b *testing.B) {
	var p Payload
	b.ReportAllocs()
	for b.Loop() {
		p.Reset()
		p.AddStr("exchange_id", "4bf92f3577b34da6a3ce929d0e0e4736")
		p.AddStr("model", "gpt-4o-mini")
		p.AddStr("provider", "openai")
		p.AddInt("status", 200)
		p.AddInt("latency_ms", 12)
		p.AddInt("tokens_total", 345)
		_ = p.Bytes()
	}
}
