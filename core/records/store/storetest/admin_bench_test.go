package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/pgtest"
)

// onEachDatabase runs a benchmark over both.
func onEachDatabase(b *testing.B, bench func(b *testing.B, url string)) {
	b.Helper()
	b.Run("sqlite", func(b *testing.B) { bench(b, CreateSQLite(b)) })
	b.Run("postgres", func(b *testing.B) { bench(b, pgtest.StartDurable(b).CreateDatabase(b)) })
}

// BenchmarkAdminRecords reads and writes single records and pages among as many as Sizes says. Targets at the median:
// 5 ms for a read, 20 ms for a write.
func BenchmarkAdminRecords(b *testing.B) {
	onEachDatabase(b, func(b *testing.B, url string) {
		ctx := context.Background()
		size := ReadSizes(b)
		began := time.Now()
		Seed(b, url, size)
		b.Logf("%d keys and %d cost records in %s", size.Keys, size.Costs, time.Since(began).Round(time.Millisecond))
		db := Open(b, url)
		n := 0
		next := func() store.Key { n++; return BuildKey(n*7919%size.Keys, size.Tenants) }
		b.Run("read a key", func(b *testing.B) {
			MeasureMedian(b, func() error { _, err := db.Keys().Get(ctx, next().ID); return err })
		})
		page := func(tenant string, after store.Cursor) error {
			rows := 0
			for _, err := range db.Keys().ListByOwner(ctx, tenant, after, 100) {
				if err != nil {
					return err
				}
				rows++
			}
			if rows != 100 {
				return fmt.Errorf("%d rows", rows)
			}
			return nil
		}
		middle, err := db.Keys().Get(ctx, BuildKey(size.Keys/2, size.Tenants).ID)
		require.NoError(b, err)
		b.Run("page of 100 keys", func(b *testing.B) { MeasureMedian(b, func() error { return page("", middle.Cursor()) }) })
		b.Run("page of 100 keys of a tenant", func(b *testing.B) {
			MeasureMedian(b, func() error { return page(next().TenantID, store.Cursor{}) })
		})
		b.Run("change a key", func(b *testing.B) {
			MeasureMedian(b, func() error {
				_, err := db.Keys().Change(ctx, next().ID, func(k *store.Key) error { k.Name = fmt.Sprint("changed ", n); return nil })
				return err
			})
		})
		made := size.Keys
		b.Run("insert a key", func(b *testing.B) {
			MeasureMedian(b, func() error { made++; return db.Keys().Insert(ctx, BuildKey(made, size.Tenants)) })
		})
		b.Run("rotate a key", func(b *testing.B) {
			MeasureMedian(b, func() error {
				made++
				_, err := db.Keys().Rotate(ctx, BuildKey(made/2, size.Tenants).ID, func(old *store.Key) (store.Key, error) {
					old.Status = store.KeyRotated
					return BuildKey(10*size.Keys+made, size.Tenants), nil
				})
				return err
			})
		})
		b.Run("all keys as a stream", func(b *testing.B) {
			MeasureMedian(b, func() error {
				for _, err := range db.Keys().ListByOwner(ctx, "", store.Cursor{}, 0) {
					if err != nil {
						return err
					}
				}
				return nil
			})
		})
	})
}

// BenchmarkAdminWriter writes what exchanges leave: a sealed audit event or a usage record each. The target is 20,000
// records a second on CreateSQLite.
func BenchmarkAdminWriter(b *testing.B) {
	onEachDatabase(b, func(b *testing.B, url string) {
		ctx := context.Background()
		db := Open(b, url)
		w := store.NewWriter(db, store.WriterOptions{Wait: time.Minute})
		log, _, err := audit.Open(ctx, db, w, make([]byte, audit.KeySize))
		require.NoError(b, err)
		payload := fmt.Appendf(nil, `{"text":"%0*d"}`, 200, 0)
		each := func(b *testing.B, add func(n int) error) {
			b.Helper()
			n := 0
			began := time.Now()
			for b.Loop() {
				n++
				if err := add(n); err != nil {
					b.Fatal(err)
				}
			}
			require.NoError(b, w.Sync(ctx))
			b.ReportMetric(float64(n)/time.Since(began).Seconds(), "records/s")
		}
		b.Run("audit", func(b *testing.B) {
			each(b, func(int) error {
				return log.Append(ctx, audit.Event{Tenant: "default", Type: audit.GatewayRequest, Payload: payload})
			})
		})
		b.Run("usage", func(b *testing.B) {
			each(b, func(n int) error {
				return w.AppendUsage(ctx, &store.UsageRecord{
					ExchangeID: fmt.Sprintf("%032x", n), Tenant: "default", KeyID: "key", Dialect: "openai", Provider: "openai",
					ModelRequested: "gpt-4o", Model: "gpt-4o", Outcome: "done", Status: 200, Input: 300, Output: 45, Counted: true,
					Cost: 12345, Priced: true, Latency: time.Second,
				})
			})
		})
		require.NoError(b, w.Close(ctx))
	})
}
