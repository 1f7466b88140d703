package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The units of the pace of traffic. Minutes are kept for paceMinutes.
const (
	minuteMicros = 60_000_000
	paceMinutes  = 3 * time.Hour
)

// LatencyBuckets is the number of latency buckets: two per doubling, up to more than an hour.
const LatencyBuckets = 48

// findLatencyBucket returns the bucket of a latency in milliseconds.
func findLatencyBucket(ms int64) int {
	if ms < 2 {
		return int(max(ms, 0))
	}
	n := bits.Len64(uint64(ms))
	return min(2*(n-1)+int(ms>>(n-2)&1), LatencyBuckets-1)
}

// ConvertLatency returns the lower bound of a bucket. The next bucket's is its upper bound.
func ConvertLatency(bucket int) time.Duration {
	if bucket < 2 {
		return time.Duration(max(bucket, 0)) * time.Millisecond
	}
	return time.Duration((2+int64(bucket%2))<<(bucket/2-1)) * time.Millisecond
}

// formatBucketSQL is findLatencyBucket as an expression.
func formatBucketSQL(ms string) string {
	var b strings.Builder
	b.WriteString("CASE")
	for i := LatencyBuckets - 1; i > 0; i-- {
		b.WriteString(" WHEN " + ms + " >= " + strconv.FormatInt(ConvertLatency(i).Milliseconds(), 10) + " THEN " + strconv.Itoa(i))
	}
	return b.String() + " ELSE 0 END"
}

const usagePaceSQL = `INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost) VALUES ($1, $2, $3, $4, $5, $6, $7)
	ON CONFLICT (unit, tenant_id, span, outcome, bucket) DO UPDATE SET calls = usage_pace.calls + excluded.calls, cost = usage_pace.cost + excluded.cost`

// paceKey is the grouping of the counts. An empty tenant is the total.
type paceKey struct {
	unit    int64 // in seconds
	tenant  string
	span    int64 // units since 1970
	outcome string
	bucket  int
}

func (k paceKey) compare(o paceKey) int {
	return cmp.Or(
		cmp.Compare(k.unit, o.unit),
		cmp.Compare(k.tenant, o.tenant),
		cmp.Compare(k.span, o.span),
		cmp.Compare(k.outcome, o.outcome),
		cmp.Compare(k.bucket, o.bucket),
	)
}

type paceRow struct{ calls, cost int64 }

// seriesMinute is the first level of counting, which costs one lookup per run of records.
type seriesMinute struct {
	series string // aliases the queue
	minute int64
}

// batchPace counts the records of a batch.
type batchPace struct {
	series map[seriesMinute]*[LatencyBuckets]paceRow
	rows   map[paceKey]paceRow
}

func (b *batchPace) gather(q *queue, text func(string) string) {
	if b.series == nil {
		b.series, b.rows = map[seriesMinute]*[LatencyBuckets]paceRow{}, map[paceKey]paceRow{}
	}
	var last seriesMinute
	var counts *[LatencyBuckets]paceRow
	for i := range q.usage {
		e := &q.usage[i]
		at := seriesMinute{q.readText(e.series), divideDown(e.at, minuteMicros)}
		if counts == nil || at != last {
			if counts = b.series[at]; counts == nil {
				counts = new([LatencyBuckets]paceRow)
				b.series[at] = counts
			}
			last = at
		}
		row := &counts[findLatencyBucket(e.latency)]
		row.calls++
		if e.priced {
			row.cost += e.cost
		}
	}
	for at, counts := range b.series {
		t := splitSeriesNames([]byte(at.series))
		tenant, outcome := text(t[0]), text(t[6])
		for bucket, c := range counts {
			if c.calls == 0 {
				continue
			}
			b.add(paceKey{60, tenant, at.minute, outcome, bucket}, c)
			b.add(paceKey{60, "", at.minute, outcome, bucket}, c)
			b.add(paceKey{3600, tenant, divideDown(at.minute, 60), outcome, bucket}, c)
			b.add(paceKey{3600, "", divideDown(at.minute, 60), outcome, bucket}, c)
		}
	}
}

func (b *batchPace) add(k paceKey, c paceRow) {
	r := b.rows[k]
	b.rows[k] = paceRow{r.calls + c.calls, r.cost + c.cost}
}

func (b *batchPace) forget() {
	clear(b.series)
	clear(b.rows)
}

// visitRows calls row for each row, in the same order on all nodes.
func (b *batchPace) visitRows(row func(statement string, args []any) error) error {
	for _, k := range slices.SortedFunc(maps.Keys(b.rows), paceKey.compare) {
		r := b.rows[k]
		if err := row(usagePaceSQL, []any{k.unit, k.tenant, k.span, k.outcome, int64(k.bucket), r.calls, r.cost}); err != nil {
			return err
		}
	}
	return nil
}

// UsagePace counts the exchanges of one outcome and one latency bucket that began in a unit of time, with their cost.
type UsagePace struct {
	Span    int64  `db:"span"` // units since 1970 in UTC
	Outcome string `db:"outcome"`
	Bucket  int    `db:"bucket"` // see ConvertLatency
	Calls   int64  `db:"calls"`
	Cost    int64  `db:"cost"` // units of 1e-10 USD
}

// ListPace returns the traffic between two times in spans of step, for one tenant or, if tenant is "", for all. Steps
// are whole minutes, kept for three hours, or whole hours. Both ends are rounded down to the step's unit.
func (u Usage) ListPace(ctx context.Context, tenant string, from, to time.Time, step time.Duration) ([]UsagePace, error) {
	unit := choosePaceUnit(step)
	n := int64(step / unit)
	var rows []UsagePace
	err := u.db.read.SelectContext(
		ctx,
		&rows,
		`SELECT span / ? AS span, outcome, bucket, CAST(sum(calls) AS BIGINT) AS calls, CAST(sum(cost) AS BIGINT) AS cost
		FROM usage_pace WHERE unit = ? AND tenant_id = ? AND span >= ? AND span < ? GROUP BY 1, outcome, bucket`,
		n,
		int64(unit/time.Second),
		tenant,
		divideDown(from.UnixMicro(), unit.Microseconds()),
		divideDown(to.UnixMicro(), unit.Microseconds()),
	)
	if err != nil {
		return nil, fmt.Errorf("read the pace of traffic: %w", err)
	}
	return rows, nil
}

// choosePaceUnit returns the unit that is kept for steps of a length.
func choosePaceUnit(step time.Duration) time.Duration {
	if step >= time.Hour {
		return time.Hour
	}
	return time.Minute
}

// SweepPace deletes minutes that have expired.
func (u Usage) SweepPace(ctx context.Context) error {
	until := divideDown(u.db.now().Add(-paceMinutes).UnixMicro(), minuteMicros)
	err := u.db.exec(ctx, "sweep minutes of traffic", "DELETE FROM usage_pace WHERE unit = 60 AND span < ?", until)
	return errors.Join(err, u.db.exec(ctx, "sweep minutes of links", "DELETE FROM usage_link WHERE unit = 60 AND span < ?", until))
}

// rebuildPace recounts the records from a time in microseconds on. What was counted of earlier ones, which retention removed, stays.
func (tx *Tx) rebuildPace(ctx context.Context, now time.Time, kept int64) error {
	minutes := divideDown(now.Add(-paceMinutes).UnixMicro(), minuteMicros) * minuteMicros
	for _, p := range []struct{ seconds, from int64 }{{60, max(minutes, kept)}, {3600, kept}} {
		unit, first := strconv.FormatInt(p.seconds, 10), divideDown(p.from, p.seconds*1_000_000)
		if _, err := tx.ExecContext(ctx, "DELETE FROM usage_pace WHERE unit = "+unit+" AND span >= ?", first); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost)
			SELECT `+unit+", tenant_id, at / "+unit+"000000, outcome, "+formatBucketSQL("latency_ms")+`,
				count(*), CAST(coalesce(sum(cost), 0) AS BIGINT)
			FROM usage_exchange WHERE at >= ? GROUP BY 1, 2, 3, 4, 5`, p.from)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO usage_pace (unit, tenant_id, span, outcome, bucket, calls, cost)
			SELECT unit, '', span, outcome, bucket, CAST(sum(calls) AS BIGINT), CAST(sum(cost) AS BIGINT) FROM usage_pace
			WHERE unit = `+unit+` AND span >= ? GROUP BY unit, span, outcome, bucket
			ON CONFLICT (unit, tenant_id, span, outcome, bucket) DO UPDATE SET calls = excluded.calls, cost = excluded.cost`, first)
		if err == nil {
			err = tx.rebuildLinks(ctx, p.seconds, p.from)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
