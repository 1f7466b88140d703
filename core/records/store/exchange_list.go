package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

// Exchange is the recorded data of one exchange.
type Exchange struct {
	ID, Tenant, Key string // Key is an id
	Dialect         string
	ModelRequested  string
	Provider, Model string
	Outcome         string
	Status          int
	Streamed        bool
	Counted         bool // Input and Output are known
	Estimated       bool
	Input, Output   int64
	Cached          int64
	Priced          bool
	Cost            int64 // units of 1e-10 USD
	Latency         time.Duration
	FirstByte       time.Duration // 0 if there was none
	At              time.Time
	cursor          CostCursor
}

// Cursor returns the place behind the exchange.
func (e *Exchange) Cursor() CostCursor { return e.cursor }

// ExchangeFilter selects exchanges. A zero field matches all.
type ExchangeFilter struct {
	ID, Tenant string
	Key        string // an id
	Model      string // the client's or the provider's name
	ModelPart  string // a part of one of them, in any case
	Outcome    string
	Status     int
	From, To   time.Time // From is inclusive, To exclusive
}

// exchangeScan is the maximum number of records scanned for one filtered page.
const exchangeScan = 50_000

type exchangeRow struct {
	RowID     int64         `db:"id"`
	At        int64         `db:"at"`
	Series    int64         `db:"series_id"`
	ID        string        `db:"exchange_id"`
	Tenant    string        `db:"tenant_id"`
	Key       string        `db:"key_id"`
	Dialect   string        `db:"dialect"`
	Requested string        `db:"model_requested"`
	Provider  string        `db:"provider"`
	Model     string        `db:"model"`
	Outcome   string        `db:"outcome"`
	Status    int           `db:"status"`
	Streamed  int           `db:"streamed"`
	Input     sql.NullInt64 `db:"input_tokens"`
	Output    sql.NullInt64 `db:"output_tokens"`
	Cached    sql.NullInt64 `db:"cached_tokens"`
	Estimated sql.NullInt64 `db:"estimated"`
	Cost      sql.NullInt64 `db:"cost"`
	Latency   int64         `db:"latency_ms"`
	FirstByte sql.NullInt64 `db:"ttfb_ms"`
}

func (r *exchangeRow) convertExchange() Exchange {
	return Exchange{
		ID: r.ID, Tenant: r.Tenant, Key: r.Key, Dialect: r.Dialect, ModelRequested: r.Requested, Provider: r.Provider, Model: r.Model,
		Outcome: r.Outcome, Status: r.Status, Streamed: r.Streamed != 0, Counted: r.Input.Valid, Estimated: r.Estimated.Valid,
		Input: r.Input.Int64, Output: r.Output.Int64, Cached: r.Cached.Int64, Priced: r.Cost.Valid, Cost: r.Cost.Int64,
		Latency: time.Duration(r.Latency) * time.Millisecond, FirstByte: time.Duration(r.FirstByte.Int64) * time.Millisecond,
		At: time.UnixMicro(r.At).UTC(), cursor: CostCursor{r.At, r.Series, r.RowID},
	}
}

// ListExchanges lists up to limit exchanges, newest first, behind a cursor. With a filter it scans at most exchangeScan
// records. looked is where the scan stopped and can continue, or nil if it reached the end or filled the page.
func (u Usage) ListExchanges(
	ctx context.Context,
	f ExchangeFilter,
	after *CostCursor,
	limit int,
) (list []Exchange, looked *CostCursor, err error) {
	w := &exchangeSearch{f: f, after: after}
	err = u.db.read.readSnapshot(ctx, func(tx *Tx) error {
		if err := w.findLastHour(ctx, tx); err != nil {
			return err
		}
		if looked, err = w.findBound(ctx, tx); err != nil {
			return err
		}
		var rows []exchangeRow
		query, args := w.query(looked, u.db.postgres)
		if err := tx.SelectContext(ctx, &rows, query, append(args, limit)...); err != nil {
			return err
		}
		for i := range rows {
			list = append(list, rows[i].convertExchange())
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("list exchanges: %w", err)
	}
	if len(list) == limit {
		looked = nil
	}
	return list, looked, nil
}

// exchangeSearch searches for exchanges backwards in time.
type exchangeSearch struct {
	f     ExchangeFilter
	after *CostCursor
	until int64 // only records before it, in microseconds; 0 for no bound
}

// findLastHour finds, in the sums, the last hour in which the tenant has records.
func (w *exchangeSearch) findLastHour(ctx context.Context, tx *Tx) error {
	if !w.f.To.IsZero() {
		w.until = w.f.To.UnixMicro()
	}
	if w.f.Tenant == "" {
		return nil
	}
	last := int64(1 << 60)
	if w.until != 0 {
		last = divideDown(w.until-1, hourMicros)
	}
	if w.after != nil {
		last = min(last, divideDown(w.after.At, hourMicros))
	}
	var hour []int64
	err := tx.SelectContext(
		ctx,
		&hour,
		"SELECT hour FROM usage_hour WHERE tenant_id = ? AND hour <= ? ORDER BY hour DESC LIMIT 1",
		w.f.Tenant,
		last,
	)
	if err != nil {
		return err
	}
	end := int64(-1 << 62) // no such hour
	if len(hour) > 0 {
		end = (hour[0] + 1) * hourMicros
	}
	if w.until == 0 || end < w.until {
		w.until = end
	}
	return nil
}

// buildTimeCondition returns the condition on the time of the records.
func (w *exchangeSearch) buildTimeCondition() (clause string, args []any) {
	clause = "1 = 1"
	if !w.f.From.IsZero() {
		clause, args = clause+" AND r.at >= ?", append(args, w.f.From.UnixMicro())
	}
	if w.until != 0 {
		clause, args = clause+" AND r.at < ?", append(args, w.until)
	}
	if a := w.after; a != nil {
		clause, args = clause+" AND r.at <= ? AND (r.at, r.series_id, r.id) < (?, ?, ?)", append(args, a.At, a.At, a.Series, a.ID)
	}
	return clause, args
}

// chooses reports whether the filter may skip records.
func (w *exchangeSearch) chooses() bool {
	return w.f.ID != "" || w.f.Key != "" || w.f.Tenant != "" || w.f.Model != "" || w.f.ModelPart != "" || w.f.Outcome != "" || w.f.Status != 0
}

const newestFirst = " ORDER BY r.at DESC, r.series_id DESC, r.id DESC LIMIT "

// findBound returns the last record to scan, or nil if there is no bound.
func (w *exchangeSearch) findBound(ctx context.Context, tx *Tx) (*CostCursor, error) {
	if !w.chooses() {
		return nil, nil // no bound
	}
	where, args := w.buildTimeCondition()
	var at []exchangeRow
	err := tx.SelectContext(
		ctx,
		&at,
		"SELECT r.at, r.series_id, r.id FROM usage_record AS r WHERE "+where+newestFirst+"1 OFFSET ?",
		append(args, exchangeScan)...)
	if err != nil || len(at) == 0 {
		return nil, err
	}
	return &CostCursor{at[0].At, at[0].Series, at[0].RowID}, nil
}

func (w *exchangeSearch) query(bound *CostCursor, postgres bool) (query string, args []any) {
	shown := "iif(typeof(r.exchange_id) = 'blob', lower(hex(r.exchange_id)), r.exchange_id)"
	if postgres {
		shown = "r.exchange_id"
	}
	where, args := w.buildTimeCondition()
	and := func(clause string, v ...any) {
		where += " AND " + clause
		args = append(args, v...)
	}
	if bound != nil {
		and("r.at >= ? AND (r.at, r.series_id, r.id) >= (?, ?, ?)", bound.At, bound.At, bound.Series, bound.ID)
	}
	if id := w.f.ID; id != "" {
		stored := any(id)
		if b, err := hex.DecodeString(id); err == nil && len(b) == idSize && strings.ToLower(id) == id && !postgres {
			stored = b
		}
		and("r.exchange_id = ?", stored)
	}
	var series []string
	var chosen []any
	of := func(clause string, v ...any) {
		series, chosen = append(series, clause), append(chosen, v...)
	}
	if w.f.Tenant != "" {
		of("tenant_id = ?", w.f.Tenant)
	}
	if w.f.Key != "" {
		of("key_id = ?", w.f.Key)
	}
	if w.f.Model != "" {
		of("(model = ? OR model_requested = ?)", w.f.Model, w.f.Model)
	}
	if part := w.f.ModelPart; part != "" { // LIKE would read % and _ in it as patterns
		find := "instr"
		if postgres {
			find = "strpos"
		}
		of("("+find+"(lower(model), lower(?)) > 0 OR "+find+"(lower(model_requested), lower(?)) > 0)", part, part)
	}
	if w.f.Outcome != "" {
		of("outcome = ?", w.f.Outcome)
	}
	if w.f.Status != 0 {
		of("status = ?", w.f.Status)
	}
	if len(series) > 0 {
		and("r.series_id IN (SELECT id FROM usage_series WHERE "+strings.Join(series, " AND ")+")", chosen...)
	}
	return `SELECT r.id, r.at, r.series_id, ` + shown + ` AS exchange_id, s.tenant_id, s.key_id, s.dialect, s.model_requested, s.provider, s.model, s.outcome,
		s.status, s.streamed, r.input_tokens, r.output_tokens, r.cached_tokens, r.estimated, r.cost, r.latency_ms, r.ttfb_ms
		FROM usage_record AS r JOIN usage_series AS s ON s.id = r.series_id WHERE ` + where + newestFirst + "?", args
}
