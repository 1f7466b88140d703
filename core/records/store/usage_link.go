package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"
)

const usageLinkSQL = `INSERT INTO usage_link (unit, tenant_id, span, link, calls) VALUES ($1, $2, $3, $4, $5)
	ON CONFLICT (unit, tenant_id, span, link) DO UPDATE SET calls = usage_link.calls + excluded.calls`

// linkKey is the grouping of blocked exchanges. An empty tenant is the total.
type linkKey struct {
	unit   int64 // in seconds
	tenant string
	span   int64 // units since 1970
	link   string
}

func (k linkKey) compare(o linkKey) int {
	return cmp.Or(
		cmp.Compare(k.unit, o.unit), cmp.Compare(k.tenant, o.tenant), cmp.Compare(k.span, o.span), cmp.Compare(k.link, o.link),
	)
}

// batchLinks counts the blocked exchanges of a batch by link. Its strings alias the queue.
type batchLinks map[linkKey]int64

// gather counts the records of q.
func (b *batchLinks) gather(q *queue, text func(string) string) {
	for i := range q.usage {
		e := &q.usage[i]
		if e.link.start == e.link.end {
			continue
		}
		if *b == nil {
			*b = batchLinks{}
		}
		tenant, link := text(splitSeriesNames(q.readBytes(e.series))[0]), text(q.readText(e.link))
		for _, unit := range []int64{60, 3600} {
			span := divideDown(e.at, unit*1_000_000)
			(*b)[linkKey{unit, "", span, link}]++
			if tenant != "" {
				(*b)[linkKey{unit, tenant, span, link}]++
			}
		}
	}
}

// visitRows calls row for each row, in the same order on all nodes.
func (b batchLinks) visitRows(row func(statement string, args []any) error) error {
	for _, k := range slices.SortedFunc(maps.Keys(b), linkKey.compare) {
		if err := row(usageLinkSQL, []any{k.unit, k.tenant, k.span, k.link, b[k]}); err != nil {
			return err
		}
	}
	return nil
}

// UsageLink counts the exchanges that a link blocked and that began in a unit of time.
type UsageLink struct {
	Span  int64  `db:"span"` // units since 1970 in UTC
	Link  string `db:"link"`
	Calls int64  `db:"calls"`
}

// ListBlocked returns how many exchanges each link blocked between two times in spans of step, for one tenant or, if tenant is "",
// for all. The steps and their ends are those of ListPace.
func (u Usage) ListBlocked(ctx context.Context, tenant string, from, to time.Time, step time.Duration) ([]UsageLink, error) {
	unit := choosePaceUnit(step)
	var rows []UsageLink
	err := u.db.read.SelectContext(
		ctx,
		&rows,
		`SELECT span / ? AS span, link, CAST(sum(calls) AS BIGINT) AS calls
		FROM usage_link WHERE unit = ? AND tenant_id = ? AND span >= ? AND span < ? GROUP BY 1, link ORDER BY 1, link`,
		int64(step/unit),
		int64(unit/time.Second),
		tenant,
		divideDown(from.UnixMicro(), unit.Microseconds()),
		divideDown(to.UnixMicro(), unit.Microseconds()),
	)
	if err != nil {
		return nil, fmt.Errorf("read what links blocked: %w", err)
	}
	return rows, nil
}

// rebuildLinks counts the blocked exchanges of a unit in seconds from a time in microseconds on.
func (tx *Tx) rebuildLinks(ctx context.Context, seconds, from int64) error {
	unit, first := strconv.FormatInt(seconds, 10), divideDown(from, seconds*1_000_000)
	if _, err := tx.ExecContext(ctx, "DELETE FROM usage_link WHERE unit = "+unit+" AND span >= ?", first); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO usage_link (unit, tenant_id, span, link, calls)
		SELECT `+unit+", s.tenant_id, r.at / "+unit+`000000, r.blocked_by, count(*)
		FROM usage_record AS r JOIN usage_series AS s ON s.id = r.series_id WHERE r.at >= ? AND r.blocked_by IS NOT NULL GROUP BY 1, 2, 3, 4`, from)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO usage_link (unit, tenant_id, span, link, calls)
		SELECT unit, '', span, link, CAST(sum(calls) AS BIGINT) FROM usage_link WHERE unit = `+unit+` AND span >= ? GROUP BY unit, span, link
		ON CONFLICT (unit, tenant_id, span, link) DO UPDATE SET calls = excluded.calls`, first)
	return err
}
