package store

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// An hour and a day in microseconds.
const (
	hourMicros = 3_600_000_000
	dayMicros  = 24 * hourMicros
)

// UsageSums are sums over usage records. Money is in units of 1e-10 USD.
type UsageSums struct {
	Calls      int64 `db:"calls"`    // all exchanges
	Requests   int64 `db:"requests"` // exchanges that used tokens: the cost records
	Unpriced   int64 `db:"unpriced"` // cost records without a known price
	Input      int64 `db:"input_tokens"`
	Output     int64 `db:"output_tokens"`
	Cached     int64 `db:"cached_tokens"`
	Reasoning  int64 `db:"reasoning_tokens"`
	InputCost  int64 `db:"input_cost"`
	OutputCost int64 `db:"output_cost"`
}

// Cost returns the total cost.
func (s *UsageSums) Cost() int64 { return s.InputCost + s.OutputCost }

// Add adds o to s.
func (s *UsageSums) Add(o *UsageSums) {
	s.Calls += o.Calls
	s.Requests += o.Requests
	s.Unpriced += o.Unpriced
	s.Input += o.Input
	s.Output += o.Output
	s.Cached += o.Cached
	s.Reasoning += o.Reasoning
	s.InputCost += o.InputCost
	s.OutputCost += o.OutputCost
}

func (s *UsageSums) count(e *usageEntry) {
	s.Calls++
	if e.counted || e.estimated {
		s.Requests++
		s.Input += e.input
		s.Output += e.output
		s.Cached += e.cached
		s.Reasoning += e.reasoning
		if !e.priced {
			s.Unpriced++
		}
	}
	if e.priced {
		s.InputCost += e.inputCost
		s.OutputCost += e.cost - e.inputCost
	}
}

// The statements that add to the sums that are stored. Their parameters are the key and then the sums in sumColumns'
// order; for keys a set of hours stands in between.
const (
	sumColumns = "calls, unpriced, requests, input_tokens, output_tokens, cached_tokens, reasoning_tokens, input_cost, output_cost"
	sumCount   = 9

	usageHourSQL = `INSERT INTO usage_hour (hour, tenant_id, provider, model, ` + sumColumns + `)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
		ON CONFLICT (hour, tenant_id, provider, model) DO UPDATE SET calls = usage_hour.calls + excluded.calls,
		unpriced = usage_hour.unpriced + excluded.unpriced, requests = usage_hour.requests + excluded.requests,
		input_tokens = usage_hour.input_tokens + excluded.input_tokens, output_tokens = usage_hour.output_tokens + excluded.output_tokens,
		cached_tokens = usage_hour.cached_tokens + excluded.cached_tokens,
		reasoning_tokens = usage_hour.reasoning_tokens + excluded.reasoning_tokens,
		input_cost = usage_hour.input_cost + excluded.input_cost, output_cost = usage_hour.output_cost + excluded.output_cost`
	usageDaySQL = `INSERT INTO usage_day (day, tenant_id, provider, model, ` + sumColumns + `)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
		ON CONFLICT (day, tenant_id, provider, model) DO UPDATE SET calls = usage_day.calls + excluded.calls,
		unpriced = usage_day.unpriced + excluded.unpriced, requests = usage_day.requests + excluded.requests,
		input_tokens = usage_day.input_tokens + excluded.input_tokens, output_tokens = usage_day.output_tokens + excluded.output_tokens,
		cached_tokens = usage_day.cached_tokens + excluded.cached_tokens,
		reasoning_tokens = usage_day.reasoning_tokens + excluded.reasoning_tokens,
		input_cost = usage_day.input_cost + excluded.input_cost, output_cost = usage_day.output_cost + excluded.output_cost`
	usageKeyDaySQL = `INSERT INTO usage_key_day (day, tenant_id, key_id, provider, model, hours, ` + sumColumns + `)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
		ON CONFLICT (day, tenant_id, key_id, provider, model) DO UPDATE SET hours = usage_key_day.hours | excluded.hours,
		calls = usage_key_day.calls + excluded.calls,
		unpriced = usage_key_day.unpriced + excluded.unpriced, requests = usage_key_day.requests + excluded.requests,
		input_tokens = usage_key_day.input_tokens + excluded.input_tokens, output_tokens = usage_key_day.output_tokens + excluded.output_tokens,
		cached_tokens = usage_key_day.cached_tokens + excluded.cached_tokens,
		reasoning_tokens = usage_key_day.reasoning_tokens + excluded.reasoning_tokens,
		input_cost = usage_key_day.input_cost + excluded.input_cost, output_cost = usage_key_day.output_cost + excluded.output_cost`
)

// sumKey is the grouping of the sums. key is empty in the sums of all keys.
type sumKey struct {
	span                         int64 // the hour or the day
	tenant, key, provider, model string
}

func (k sumKey) compare(o sumKey) int {
	return cmp.Or(
		cmp.Compare(k.span, o.span),
		cmp.Compare(k.tenant, o.tenant),
		cmp.Compare(k.key, o.key),
		cmp.Compare(k.provider, o.provider),
		cmp.Compare(k.model, o.model),
	)
}

// sumRow is what one batch adds to a stored row. Its strings alias the queue.
type sumRow struct {
	UsageSums
	hours int64
}

// batchSums adds up the records of a batch.
type batchSums struct {
	series             map[seriesHour]*UsageSums
	hours, days, byKey map[sumKey]*sumRow
	pace               batchPace
	links              batchLinks
}

type seriesHour struct {
	series string // aliases the queue
	hour   int64
}

// gather adds up the records of q. It first groups records of the same series and hour, which costs one lookup each.
func (b *batchSums) gather(q *queue, text func(string) string) {
	if b.series == nil {
		b.series, b.hours, b.days, b.byKey = map[seriesHour]*UsageSums{}, map[sumKey]*sumRow{}, map[sumKey]*sumRow{}, map[sumKey]*sumRow{}
	}
	b.pace.gather(q, text)
	b.links.gather(q, text)
	var last seriesHour
	var sums *UsageSums
	for i := range q.usage {
		e := &q.usage[i]
		at := seriesHour{q.readText(e.series), divideDown(e.at, hourMicros)}
		if sums == nil || at != last {
			if sums = b.series[at]; sums == nil {
				sums = new(UsageSums)
				b.series[at] = sums
			}
			last = at
		}
		sums.count(e)
	}
	for at, sums := range b.series {
		t := splitSeriesNames([]byte(at.series))
		for i := range t {
			t[i] = text(t[i])
		}
		day := divideDown(at.hour, 24)
		addSums(b.hours, sumKey{span: at.hour, tenant: t[0], provider: t[4], model: t[5]}, sums, 0)
		addSums(b.days, sumKey{span: day, tenant: t[0], provider: t[4], model: t[5]}, sums, 0)
		addSums(b.byKey, sumKey{span: day, tenant: t[0], key: t[1], provider: t[4], model: t[5]}, sums, 1<<(at.hour-24*day))
	}
}

func addSums(rows map[sumKey]*sumRow, k sumKey, sums *UsageSums, hours int64) {
	r := rows[k]
	if r == nil {
		r = new(sumRow)
		rows[k] = r
	}
	r.Add(sums)
	r.hours |= hours
}

// forget drops the sums, whose strings alias the queue.
func (b *batchSums) forget() {
	clear(b.series)
	clear(b.hours)
	clear(b.days)
	clear(b.byKey)
	b.pace.forget()
	clear(b.links)
}

// visitRows calls row for each row, in the same order on all nodes, so that two nodes that update the same rows cannot
// deadlock.
func (b *batchSums) visitRows(row func(statement string, args []any) error) error {
	for _, t := range []struct {
		statement string
		rows      map[sumKey]*sumRow
	}{{usageHourSQL, b.hours}, {usageDaySQL, b.days}, {usageKeyDaySQL, b.byKey}} {
		for _, k := range slices.SortedFunc(maps.Keys(t.rows), sumKey.compare) {
			r := t.rows[k]
			args := make([]any, 0, sumCount+6)
			if args = append(args, k.span, k.tenant); t.statement == usageKeyDaySQL {
				args = append(args, k.key, k.provider, k.model, r.hours)
			} else {
				args = append(args, k.provider, k.model)
			}
			args = append(args, r.Calls, r.Unpriced, r.Requests, r.Input, r.Output, r.Cached, r.Reasoning, r.InputCost, r.OutputCost)
			if err := row(t.statement, args); err != nil {
				return err
			}
		}
	}
	if err := b.pace.visitRows(row); err != nil {
		return err
	}
	return b.links.visitRows(row)
}

// splitSeriesNames returns the strings of a series. They alias key.
func splitSeriesNames(key []byte) (names [seriesTexts]string) {
	for i := range names {
		n, size := binary.Uvarint(key)
		b := key[size : size+int(n)]
		names[i] = zerocopy.String(b)
		key = key[size+int(n):]
	}
	return names
}

// divideDown returns a / b, rounded down.
func divideDown(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
