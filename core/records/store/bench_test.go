package store

import (
	"context"
	"crypto/sha256"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// cpu is what the process has used, in nanoseconds: wall time says nothing on a shared machine.
func cpu() int64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return r.Utime.Nano() + r.Stime.Nano()
}

// benchRecords appends records in batches of 1000 and waits for each batch; it reports the CPU time of all of it.
func benchRecords(b *testing.B, add func(w *Writer, n int) error) {
	b.Helper()
	ctx := context.Background()
	w := newWriter(b, openFile(b), WriterOptions{Interval: time.Hour, Wait: time.Minute})
	b.ReportAllocs()
	n, before := 0, cpu()
	for b.Loop() {
		n++
		if err := add(w, n); err != nil {
			b.Fatal(err)
		}
		if n%1000 == 0 {
			if err := w.Sync(ctx); err != nil {
				b.Fatal(err)
			}
		}
	}
	require.NoError(b, w.Sync(ctx))
	b.ReportMetric(float64(cpu()-before)/float64(n), "cpu-ns/record")
}

func BenchmarkWriteAudit(b *testing.B) {
	ctx := context.Background()
	for _, size := range []int{50, 150, 300, 1000} {
		payload := fmt.Appendf(nil, `{"text":"%0*d"}`, size-11, 0)
		b.Run(fmt.Sprint("payload ", size), func(b *testing.B) {
			benchRecords(b, func(w *Writer, _ int) error { return w.AppendAudit(ctx, "default", "GATEWAY_REQUEST", payload) })
		})
	}
}

func BenchmarkWriteUsage(b *testing.B) {
	ctx := context.Background()
	use := &UsageRecord{
		ExchangeID: "4bf92f3577b34da6a3ce929d0e0e4736", Tenant: "default", KeyID: "3f1c2a7e9b", Dialect: "openai",
		ModelRequested: "gpt-4o-mini", Provider: "openai", Model: "gpt-4o-mini", Outcome: "done", Status: 200,
		Input: 300, Output: 45, Counted: true, Latency: 12 * time.Millisecond, FirstByte: 11 * time.Millisecond,
	}
	benchRecords(b, func(w *Writer, _ int) error { return w.AppendUsage(ctx, use) })
}

func BenchmarkWriteToken(b *testing.B) {
	ctx := context.Background()
	now := time.Now()
	t := &VaultToken{Tenant: "default", Kind: "EMAIL", Sealed: make([]byte, 44), Seen: now, Expires: now.Add(time.Hour)}
	for name, values := range map[string]int{"new": 1 << 40, "known": 100} {
		b.Run(name, func(b *testing.B) {
			benchRecords(b, func(w *Writer, n int) error {
				sum := sha256.Sum256(fmt.Append(nil, n%values))
				t.Token = fmt.Sprintf("{{PII_EMAIL_%x}}", sum[:8])
				t.Digest, t.Bindings = sum[8:24], sum[16:]
				return w.AppendToken(ctx, t)
			})
		})
	}
}

// BenchmarkAppend is the cost to the exchange alone: the queue is thrown away instead of written.
func BenchmarkAppend(b *testing.B) {
	ctx := context.Background()
	w := newWriter(b, openFile(b), WriterOptions{Interval: time.Hour, FlushRecords: 1 << 20, MaxRecords: 1 << 20})
	payload := make([]byte, 150)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		if n++; n%1000 == 0 {
			w.mu.Lock()
			w.in.reset()
			w.mu.Unlock()
		}
		if err := w.AppendAudit(ctx, "default", "GATEWAY_REQUEST", payload); err != nil {
			b.Fatal(err)
		}
	}
	w.mu.Lock()
	w.in.reset()
	w.mu.Unlock()
}
