package audit

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
)

// BenchmarkAdminAudit is about a chain of a million records, of 200 tenants of which one is rare, in batches of a
// thousand; HEADGATE_BENCH_EVENTS sets another number. It reports how many records a second were written, and times
// lists of all, of a rare tenant and of a rare type, an export and a verification.
func BenchmarkAdminAudit(b *testing.B) {
	n := 100_000
	if text := os.Getenv("HEADGATE_BENCH_EVENTS"); text != "" {
		var err error
		n, err = strconv.Atoi(text)
		require.NoError(b, err)
	}
	ctx := context.Background()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	db, err := store.Open(ctx, "sqlite:"+filepath.Join(b.TempDir(), "x.db"), store.WithClock(func() time.Time { return now }))
	require.NoError(b, err)
	w := store.NewWriter(db, store.WriterOptions{Interval: time.Hour, Wait: time.Minute})
	log, _, err := Open(ctx, db, w, testKey)
	require.NoError(b, err)
	names := make([]string, 200)
	for i := range names {
		names[i] = fmt.Sprintf("tenant-%03d", i)
	}
	began := time.Now()
	for i := range n {
		now = now.Add(10 * time.Millisecond)
		e := Event{Tenant: names[i%199], Type: GatewayRequest, Payload: request}
		switch {
		case i == n/3:
			e.Tenant = names[199]
		case i == n/4:
			e.Type = TenantScopeViolation
		case i%2 == 1:
			e.Type, e.Payload = GatewayResponse, response
		}
		require.NoError(b, log.Append(ctx, e))
		if i%1000 == 999 {
			require.NoError(b, w.Sync(ctx))
		}
	}
	require.NoError(b, w.Sync(ctx))
	written := float64(n) / time.Since(began).Seconds()
	list := func(f store.AuditFilter, want int) func(b *testing.B) {
		return func(b *testing.B) {
			for b.Loop() {
				got := 0
				require.NoError(b, db.Audit().Visit(ctx, f, func(*store.AuditRecord) error { got++; return nil }))
				require.InDelta(b, want, got, 1) // a checkpoint may fall into a span
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms")
		}
	}
	b.Run("newest 50", list(store.AuditFilter{Limit: 50}, 50))
	b.Run("newest 50 of a tenant", list(store.AuditFilter{Limit: 50, Tenant: names[7]}, 50))
	b.Run("a rare tenant", list(store.AuditFilter{Tenant: names[199]}, 1))
	b.Run("a rare type", list(store.AuditFilter{Type: TenantScopeViolation}, 1))
	b.Run(
		"a minute long ago",
		list(
			store.AuditFilter{
				From: now.Add(-time.Duration(n/2) * 10 * time.Millisecond),
				To:   now.Add(-time.Duration(n/2)*10*time.Millisecond + time.Minute),
			},
			6000,
		),
	)
	b.Run("export", func(b *testing.B) {
		for b.Loop() {
			require.NoError(b, WriteJSON(ctx, io.Discard, db, store.AuditFilter{}))
		}
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "records/s")
	})
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			p, err := Verify(ctx, db, testKey)
			require.NoError(b, err)
			require.True(b, p.Valid())
		}
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "records/s")
	})
	b.Run("write", func(b *testing.B) {
		for b.Loop() { // measured above
		}
		b.ReportMetric(written, "records/s")
	})
	require.NoError(b, log.Close(ctx))
	require.NoError(b, w.Close(ctx))
	require.NoError(b, db.Close(ctx))
}
