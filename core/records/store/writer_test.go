package store

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// plain seals without any cryptography.
type plain struct {
	head, kept AuditHead
	fail       error
}

var _ Sealer = (*plain)(nil)

func (p *plain) Resume(h AuditHead) error { p.head = h; return p.fail }

func (p *plain) Node() string { return "n" }

func (p *plain) Seal(e *AuditEvent) (seq int64, tag [TagSize]byte) {
	p.head.Seq++
	p.head.At = max(p.head.At, e.At)
	e.At = p.head.At
	return p.head.Seq, tag
}
func (p *plain) Due() *AuditEvent             { return nil }
func (p *plain) Checkpoint() *AuditCheckpoint { return nil }
func (p *plain) SealSegment(*AuditSegment)    {}
func (p *plain) Head() AuditHead              { return p.head }
func (p *plain) MarkDurable()                 { p.kept = p.head }

func newWriter(t testing.TB, db *DB, o WriterOptions) *Writer {
	t.Helper()
	w := NewWriter(db, o)
	w.SetSealer(&plain{})
	t.Cleanup(func() { _ = w.Close(context.Background()) })
	return w
}

func TestRecordsOfAllKindsAreWrittenTogether(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		w := newWriter(t, db, WriterOptions{})
		payload := []byte(`{"a":1}`)
		for i := range 100 {
			require.NoError(t, w.AppendAudit(ctx, "acme", "GATEWAY_REQUEST", payload))
			require.NoError(t, w.AppendUsage(ctx, &UsageRecord{
				ExchangeID: fmt.Sprint("x", i), Tenant: "acme", KeyID: "k", EndUser: "u", Dialect: "openai", ModelRequested: "m",
				Provider: "mock", Model: "m2", Outcome: "done", Status: 200, Input: 3, Output: 4, Cached: 1, Reasoning: 2,
				Counted: true, Streamed: i%2 == 0, Latency: 5 * time.Millisecond, FirstByte: 2 * time.Millisecond,
			}))
			require.NoError(t, w.AppendUsage(ctx, &UsageRecord{ExchangeID: "y", Tenant: "other", Outcome: "blocked", Input: 9}))
		}
		copy(payload, "XXXXXXX") // the caller's buffer is its own again at once
		require.NoError(t, w.Sync(ctx))
		assert.Equal(t, 100, records(t, db))
		require.NoError(t, db.Audit().Visit(ctx, AuditFilter{}, func(r *AuditRecord) error {
			assert.Equal(t, [3]string{"acme", "GATEWAY_REQUEST", `{"a":1}`}, [3]string{r.Tenant, r.Type, r.Payload})
			return nil
		}))
		found := `audit_segment WHERE instr(data, CAST('{"a":1}' AS BLOB)) > 0`
		if db.postgres {
			found = `audit_segment WHERE position(CAST('{"a":1}' AS BYTEA) IN data) > 0`
		}
		assert.Positive(t, count(t, db, found), "payloads are readable in the database")
		assert.Equal(t, 100, count(t, db, "usage_exchange WHERE provider = 'mock' AND model = 'm2' AND outcome = 'done' AND "+
			"status = 200 AND latency_ms = 5 AND ttfb_ms = 2 AND key_id = 'k' AND end_user = 'u' AND dialect = 'openai' AND model_requested = 'm'"))
		totals, err := db.Usage().SumUsage(ctx, UsageFilter{Tenant: "acme", KeyID: "k", EndUser: "u"})
		require.NoError(t, err)
		assert.Equal(t, UsageTotals{Records: 100, Counted: 100, Streamed: 50, Input: 300, Output: 400, Cached: 100, Reasoning: 200}, totals)
		totals, err = db.Usage().SumUsage(ctx, UsageFilter{Tenant: "other", To: time.Now().Add(time.Hour), From: time.Now().Add(-time.Hour)})
		require.NoError(t, err)
		assert.Equal(t, UsageTotals{Records: 100}, totals, "what the provider did not count is not stored")
		s := w.Stats()
		assert.Equal(t, int64(300), s.Written)
		assert.Zero(t, s.Queued)
		assert.False(t, s.Failing)
	})
}

func TestRecordsComeThroughWithoutBeingAskedFor(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		db := openURL(t, url)
		w := newWriter(t, db, WriterOptions{Interval: time.Millisecond})
		require.NoError(t, w.AppendAudit(context.Background(), "t", "X", []byte("{}")))
		assert.Eventually(t, func() bool { return records(t, db) == 1 }, 10*time.Second, 5*time.Millisecond)
	})
}

func TestCloseWritesWhatWaits(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		w := newWriter(t, db, WriterOptions{Interval: time.Hour})
		for range 10 {
			require.NoError(t, w.AppendAudit(ctx, "t", "X", []byte("{}")))
		}
		require.NoError(t, w.Close(ctx))
		require.NoError(t, w.Close(ctx), "closing twice does no harm")
		assert.Equal(t, 10, records(t, db))
		require.ErrorIs(t, w.AppendAudit(ctx, "t", "X", []byte("{}")), ErrClosed)
		require.NoError(t, w.Sync(ctx))
	})
}

func TestAnAppendThatWaitsGoesOnWhenThereIsRoom(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		w := newWriter(t, db, WriterOptions{Interval: time.Hour, MaxRecords: 4, Wait: time.Minute})
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 20 {
					assert.NoError(t, w.AppendAudit(ctx, "t", "X", []byte("{}")))
				}
			})
		}
		wg.Wait()
		require.NoError(t, w.Sync(ctx))
		assert.Equal(t, 160, records(t, db))
	})
}

func TestAdministrativeWritesGoOnBesideTraffic(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		w := newWriter(t, db, WriterOptions{Interval: time.Millisecond, MaxRecords: 200, Wait: time.Minute})
		stop := make(chan struct{})
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						assert.NoError(t, w.AppendAudit(ctx, "t", "X", []byte("{}")))
					}
				}
			})
		}
		for i := range 20 {
			_, err := db.Tenants().Upsert(ctx, Tenant{ID: fmt.Sprint(i), Status: "active"})
			require.NoError(t, err)
		}
		close(stop)
		wg.Wait()
		require.NoError(t, w.Sync(ctx))
		assert.EqualValues(t, w.Stats().Written, records(t, db))
	})
}

func TestEventsAppendedTogetherStayTogether(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		w := newWriter(t, db, WriterOptions{Interval: time.Millisecond})
		const pairs, senders = 50, 4
		var wg sync.WaitGroup
		for s := range senders {
			wg.Go(func() {
				for i := range pairs {
					payload := fmt.Appendf(nil, `{"s":%d,"i":%d}`, s, i)
					assert.NoError(
						t,
						w.AppendAudits(
							ctx,
							AuditText{Tenant: "t", Type: "FIRST", Payload: payload},
							AuditText{Tenant: "t", Type: "SECOND", Payload: payload},
						),
					)
				}
			})
		}
		wg.Wait()
		require.NoError(t, w.Sync(ctx))
		var behind AuditRecord
		seen := 0
		require.NoError(t, db.Audit().Visit(ctx, AuditFilter{}, func(r *AuditRecord) error { // the newest first
			if seen++; seen%2 == 0 {
				assert.Equal(t, "FIRST", r.Type)
				assert.Equal(t, "SECOND", behind.Type)
				assert.Equal(t, r.Payload, behind.Payload)
				assert.Equal(t, r.Seq+1, behind.Seq)
			}
			behind = r.Clone()
			return nil
		}))
		assert.Equal(t, 2*pairs*senders, seen)
		require.NoError(t, w.AppendAudits(ctx), "nothing is not a fault")
	})
}

func TestTheEndOfAnExchangeIsTakenWholeOrNotAtAll(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx, at := context.Background(), time.UnixMicro(1_800_000_000_000_000).UTC()
		db := openURL(t, url)
		w := newWriter(t, db, WriterOptions{MaxBytes: 1 << 10})
		end := []AuditText{{Tenant: "t", Type: "FIRST", Payload: []byte("{}"), At: at}, {Tenant: "t", Type: "SECOND", Payload: []byte("{}")}}
		u := &UsageRecord{ExchangeID: "x", Tenant: "t", Outcome: "served", EndUser: strings.Repeat("u", 1<<10)}
		require.ErrorIs(t, w.AppendExchange(ctx, u, end...), ErrTooLarge)
		u.EndUser = "u"
		require.NoError(t, w.AppendExchange(ctx, u, end...))
		u.ExchangeID = "y" // of the same series
		require.NoError(t, w.AppendExchange(ctx, u))
		u.ExchangeID, u.Outcome = "z", "blocked"
		require.NoError(t, w.AppendExchange(ctx, u))
		require.NoError(t, w.Sync(ctx))
		var types []string
		require.NoError(t, db.Audit().Visit(ctx, AuditFilter{}, func(r *AuditRecord) error {
			types = append(types, r.Type)
			assert.Equal(t, at, r.Time())
			return nil
		}))
		assert.ElementsMatch(t, []string{"FIRST", "SECOND"}, types)
		assert.Equal(t, 2, count(t, db, "usage_exchange WHERE outcome = 'served' AND end_user = 'u'"))
		assert.Equal(t, 1, count(t, db, "usage_exchange WHERE outcome = 'blocked' AND exchange_id = 'z'"))
	})
}
