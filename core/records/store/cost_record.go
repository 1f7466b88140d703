package store

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
)

// CostRecord is the usage and cost of one exchange, or of one model of a batch.
type CostRecord struct {
	ID            int64
	Tenant, Key   string // Key is an id
	Provider      string
	Model         string
	Input, Output int64 // tokens
	InputCost     int64 // units of 1e-10 USD
	OutputCost    int64
	Priced        bool // the price was known; otherwise the costs are 0
	PriceID       string
	At            time.Time
	series        int64
}

// CostCursor is a place in the list of cost records: behind the record that it was taken from.
type CostCursor struct{ At, Series, ID int64 }

// Cursor returns the place behind the record.
func (r *CostRecord) Cursor() CostCursor {
	return CostCursor{r.At.UnixMicro(), r.series, r.ID}
}

type costRow struct {
	ID        int64         `db:"id"`
	At        int64         `db:"at"`
	Series    int64         `db:"series_id"`
	Tenant    string        `db:"tenant_id"`
	Key       string        `db:"key_id"`
	Provider  string        `db:"provider"`
	Model     string        `db:"model"`
	Input     int64         `db:"input_tokens"`
	Output    int64         `db:"output_tokens"`
	Cost      sql.NullInt64 `db:"cost"`
	InputCost int64         `db:"input_cost"`
	PriceID   string        `db:"pricing_id"`
}

func (r *costRow) buildRecord() CostRecord {
	return CostRecord{
		ID: r.ID, Tenant: r.Tenant, Key: r.Key, Provider: r.Provider, Model: r.Model, Input: r.Input, Output: r.Output,
		InputCost: r.InputCost, OutputCost: r.Cost.Int64 - r.InputCost, Priced: r.Cost.Valid, PriceID: r.PriceID,
		At: time.UnixMicro(r.At).UTC(), series: r.Series,
	}
}

// costChunk is how many records one query reads, so that no statement stays open while a slow reader consumes them.
const costChunk = 1000

// ListCosts lists the cost records that match f, newest first, behind a cursor. A limit of 0 means no limit.
func (u Usage) ListCosts(ctx context.Context, f CostFilter, after *CostCursor, limit int) iter.Seq2[CostRecord, error] {
	return func(yield func(CostRecord, error) bool) {
		w := &costWalk{db: u.db, f: f, after: after}
		for left := limit; limit == 0 || left > 0; {
			n := costChunk
			if limit > 0 {
				n = min(n, left)
			}
			rows, more, err := w.readRows(ctx, n)
			if err != nil {
				yield(CostRecord{}, fmt.Errorf("list costs: %w", err))
				return
			}
			for i := range rows {
				if !yield(rows[i].buildRecord(), nil) {
					return
				}
			}
			left -= len(rows)
			if !more {
				return
			}
		}
	}
}

// costWalk reads records backwards in time. With a filter it first searches the sums for hours that have matching
// records.
type costWalk struct {
	db            *DB
	f             CostFilter
	after         *CostCursor
	hours         []int64 // hours with matching records, still to be read; the next one last
	until         int64   // earlier hours or days have not been searched
	looked, ended bool    // until is set; the search is complete
}

// readRows reads up to n records. more is false if none remain.
func (w *costWalk) readRows(ctx context.Context, n int) (rows []costRow, more bool, err error) {
	if w.f.Tenant == "" && w.f.Key == "" && w.f.Provider == "" && w.f.Model == "" {
		rows, err = w.read(ctx, w.f.From, w.f.To, n)
		return rows, len(rows) == n, err
	}
	for len(rows) < n {
		if len(w.hours) == 0 {
			if err := w.findHours(ctx); err != nil {
				return nil, false, err
			}
			if len(w.hours) == 0 {
				return rows, false, nil
			}
		}
		hour := w.hours[len(w.hours)-1]
		from, to := time.UnixMicro(hour*hourMicros), time.UnixMicro((hour+1)*hourMicros)
		if !w.f.From.IsZero() && w.f.From.After(from) {
			from = w.f.From
		}
		if !w.f.To.IsZero() && w.f.To.Before(to) {
			to = w.f.To
		}
		some, err := w.read(ctx, from, to, n-len(rows))
		if err != nil {
			return nil, false, err
		}
		if rows = append(rows, some...); len(rows) < n {
			w.hours = w.hours[:len(w.hours)-1]
		}
	}
	return rows, true, nil
}

// read reads the records of an interval and moves the cursor behind them.
func (w *costWalk) read(ctx context.Context, from, to time.Time, n int) ([]costRow, error) {
	var q strings.Builder
	q.WriteString(`SELECT r.id, r.at, r.series_id, s.tenant_id, s.key_id, s.provider, s.model, s.pricing_id, r.input_tokens,
		r.output_tokens, r.cost, coalesce(r.input_cost, 0) AS input_cost
		FROM usage_record AS r JOIN usage_series AS s ON s.id = r.series_id WHERE r.input_tokens IS NOT NULL`)
	var args []any
	and := func(clause string, v ...any) {
		q.WriteString(" AND " + clause)
		args = append(args, v...)
	}
	if !from.IsZero() {
		and("r.at >= ?", from.UnixMicro())
	}
	if !to.IsZero() {
		and("r.at < ?", to.UnixMicro())
	}
	if a := w.after; a != nil {
		and("r.at <= ? AND (r.at, r.series_id, r.id) < (?, ?, ?)", a.At, a.At, a.Series, a.ID)
	}
	if series, some := w.buildSeriesCondition(); series != "" {
		and("r.series_id IN (SELECT id FROM usage_series WHERE "+series+")", some...)
	}
	q.WriteString(" ORDER BY r.at DESC, r.series_id DESC, r.id DESC LIMIT ?")
	var rows []costRow
	if err := w.db.read.SelectContext(ctx, &rows, q.String(), append(args, n)...); err != nil {
		return nil, err
	}
	if len(rows) > 0 {
		last := &rows[len(rows)-1]
		w.after = &CostCursor{last.At, last.Series, last.ID}
	}
	return rows, nil
}

// buildSeriesCondition returns the condition on series or sums.
func (w *costWalk) buildSeriesCondition() (clause string, args []any) {
	for _, c := range []struct{ column, value string }{
		{"tenant_id", w.f.Tenant},
		{"key_id", w.f.Key},
		{"provider", w.f.Provider},
		{"model", w.f.Model},
	} {
		if c.value != "" {
			if clause != "" {
				clause += " AND "
			}
			clause += c.column + " = ?"
			args = append(args, c.value)
		}
	}
	return clause, args
}

// hoursAtOnce is how many hours, or days of a key, one search returns.
const hoursAtOnce = 64

// findHours finds the next hours with records that match the filter.
func (w *costWalk) findHours(ctx context.Context) error {
	if w.ended {
		return nil
	}
	table, unit, micros := "usage_hour", "hour", int64(hourMicros)
	if w.f.Key != "" {
		table, unit, micros = "usage_key_day", "day", dayMicros
	}
	if !w.looked {
		w.looked, w.until = true, 1<<60
		if !w.f.To.IsZero() {
			w.until = -divideDown(-w.f.To.UnixMicro(), micros)
		}
		if w.after != nil {
			w.until = min(w.until, divideDown(w.after.At, micros)+1)
		}
	}
	clause, args := w.buildSeriesCondition()
	where := " FROM " + table + " WHERE " + clause + " AND requests > 0 AND " + unit + " < ?"
	args = append(args, w.until)
	if !w.f.From.IsZero() {
		where += " AND " + unit + " >= ?"
		args = append(args, divideDown(w.f.From.UnixMicro(), micros))
	}
	var found []int64
	if err := w.db.read.SelectContext(
		ctx,
		&found,
		"SELECT DISTINCT "+unit+where+" ORDER BY "+unit+" DESC LIMIT ?",
		append(args, hoursAtOnce)...); err != nil {
		return err
	}
	if w.ended = len(found) < hoursAtOnce; len(found) == 0 {
		return nil
	}
	w.until = found[len(found)-1]
	if w.f.Key == "" {
		w.hours = found
	} else {
		var days []struct {
			Day   int64 `db:"day"`
			Hours int64 `db:"hours"`
		}
		if err := w.db.read.SelectContext(ctx, &days, "SELECT day, hours"+where+" AND day >= ?", append(args, w.until)...); err != nil {
			return err
		}
		for _, d := range days {
			for h := range int64(24) {
				if d.Hours&(1<<h) != 0 {
					w.hours = append(w.hours, 24*d.Day+h)
				}
			}
		}
	}
	slices.Sort(w.hours)
	w.hours = slices.Compact(w.hours)
	return nil
}
