package store

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"
	"time"
)

// UsageRecord says what one exchange used. The zero value of a field means that the exchange did not have it.
type UsageRecord struct {
	ExchangeID, Tenant, KeyID, EndUser string
	Dialect                            string // the client's shape
	ModelRequested                     string // as the client named it
	Provider, Model                    string // where the call went
	Outcome                            string // how the exchange ended
	Status                             int    // HTTP status the client got

	Input, Output, Cached, Reasoning int64 // tokens by the provider's count
	Counted                          bool  // the provider gave a count; without it the four above are not stored
	Streamed                         bool

	Latency   time.Duration // from the request's receipt to the answer's end; stored in milliseconds
	FirstByte time.Duration // from the request's receipt to the answer's first byte; zero when there was none
	At        time.Time     // when the exchange was received; zero means now
}

type usageEntry struct {
	text                             [9]span
	input, output, cached, reasoning int64
	latency, firstByte               int64 // milliseconds
	at                               int64
	status                           int32
	counted, streamed                bool
}

// AppendUsage queues one usage record and copies what it is given. It waits when the queue is full, see ErrBusy.
func (w *Writer) AppendUsage(ctx context.Context, r *UsageRecord) error {
	size := len(r.ExchangeID) + len(r.Tenant) + len(r.KeyID) + len(r.EndUser) + len(r.Dialect) + len(r.ModelRequested) +
		len(r.Provider) + len(r.Model) + len(r.Outcome)
	if err := w.enter(ctx, size); err != nil {
		return err
	}
	at := r.At
	if at.IsZero() {
		at = w.db.now()
	}
	q := w.in
	q.usage = append(q.usage, usageEntry{
		text: [9]span{
			put(q, r.ExchangeID), put(q, r.Tenant), put(q, r.KeyID), put(q, r.EndUser), put(q, r.Dialect),
			put(q, r.ModelRequested), put(q, r.Provider), put(q, r.Model), put(q, r.Outcome),
		},
		input: r.Input, output: r.Output, cached: r.Cached, reasoning: r.Reasoning, counted: r.Counted,
		streamed: r.Streamed, latency: r.Latency.Milliseconds(), firstByte: r.FirstByte.Milliseconds(),
		at: at.UnixMicro(), status: int32(r.Status),
	})
	w.leave()
	return nil
}

const usageInsertSQL = `INSERT INTO usage_record (at, exchange_id, tenant_id, key_id, end_user, dialect, model_requested,
	provider, model, outcome, status, input_tokens, output_tokens, cached_tokens, reasoning_tokens, streamed, counted,
	latency_ms, ttfb_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

type usageInsert struct {
	insert driver.StmtExecContext
	args   []driver.NamedValue
	text   [9]boxed
}

func (u *usageInsert) run(q *queue) error {
	for i := range q.usage {
		u.bind(q, &q.usage[i])
		if _, err := u.insert.ExecContext(direct, u.args); err != nil {
			return err
		}
	}
	return nil
}

// bind names only the values that are there: what is not bound is null, and each binding is a call into C.
func (u *usageInsert) bind(q *queue, e *usageEntry) {
	u.args = u.args[:0]
	set := func(ordinal int, v driver.Value) {
		u.args = append(u.args, driver.NamedValue{Ordinal: ordinal, Value: v})
	}
	number := func(ordinal int, n int64) {
		if n != 0 {
			set(ordinal, n)
		}
	}
	set(1, e.at)
	set(2, q.text(e.text[0])) // never the same twice
	set(3, u.text[1].of(q.text(e.text[1])))
	for i := 2; i < len(e.text); i++ {
		if e.text[i].start != e.text[i].end {
			set(i+2, u.text[i].of(q.text(e.text[i])))
		}
	}
	number(11, int64(e.status))
	if e.counted {
		set(12, e.input)
		set(13, e.output)
		number(14, e.cached)
		number(15, e.reasoning)
		set(17, int64(1))
	}
	if e.streamed {
		set(16, int64(1))
	}
	set(18, e.latency)
	number(19, e.firstByte)
}

// UsageFilter chooses usage records. A zero field chooses all.
type UsageFilter struct {
	Tenant, KeyID, EndUser string
	From, To               time.Time // From is included, To is not
}

// UsageTotals are sums over usage records.
type UsageTotals struct {
	Records   int64 `db:"records"`
	Counted   int64 `db:"counted"` // records with a count of the provider's
	Streamed  int64 `db:"streamed"`
	Input     int64 `db:"input"`
	Output    int64 `db:"output"`
	Cached    int64 `db:"cached"`
	Reasoning int64 `db:"reasoning"`
}

// UsageTotals sums the usage records that f chooses.
func (db *DB) UsageTotals(ctx context.Context, f UsageFilter) (UsageTotals, error) {
	var q strings.Builder
	q.WriteString(`SELECT count(*) AS records, count(counted) AS counted, count(streamed) AS streamed,
		coalesce(sum(input_tokens), 0) AS input, coalesce(sum(output_tokens), 0) AS output,
		coalesce(sum(cached_tokens), 0) AS cached, coalesce(sum(reasoning_tokens), 0) AS reasoning
		FROM usage_record WHERE 1`)
	var args []any
	and := func(clause string, v any) {
		q.WriteString(" AND " + clause)
		args = append(args, v)
	}
	if f.Tenant != "" {
		and("tenant_id = ?", f.Tenant)
	}
	if f.KeyID != "" {
		and("key_id = ?", f.KeyID)
	}
	if f.EndUser != "" {
		and("end_user = ?", f.EndUser)
	}
	if !f.From.IsZero() {
		and("at >= ?", f.From.UnixMicro())
	}
	if !f.To.IsZero() {
		and("at < ?", f.To.UnixMicro())
	}
	var t UsageTotals
	if err := db.read.GetContext(ctx, &t, q.String(), args...); err != nil {
		return UsageTotals{}, fmt.Errorf("sum usage records: %w", err)
	}
	return t, nil
}
