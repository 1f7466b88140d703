package store

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
)

// usageFields are the columns that usageCopy fills.
var usageFields = []string{
	"at", "exchange_id", "series_id", "latency_ms", "ttfb_ms", "input_tokens", "output_tokens", "cached_tokens",
	"reasoning_tokens", "end_user", "estimated", "cost", "input_cost", "blocked_by",
}

// usageCopy stores the usage records of a batch by COPY.
type usageCopy struct {
	series seriesNumbered
	row    []any
}

func (u *usageCopy) run(ctx context.Context, tx pgx.Tx, q *queue) error {
	if len(q.usage) == 0 {
		return nil
	}
	u.row = make([]any, len(usageFields))
	next := 0
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"usage_record"}, usageFields, pgx.CopyFromFunc(func() ([]any, error) {
		if next == len(q.usage) {
			return nil, nil // end of the rows
		}
		u.fill(q, &q.usage[next])
		next++
		return u.row, nil
	}))
	return err
}

func (u *usageCopy) fill(q *queue, e *usageEntry) {
	clear(u.row)
	number := func(column int, n int64) {
		if n != 0 {
			u.row[column] = n
		}
	}
	u.row[0], u.row[1], u.row[2], u.row[3] = e.at, cleanText(q.readText(e.exchange)), u.series.lookupID(q.readBytes(e.series)), e.latency
	number(4, e.firstByte)
	if e.counted || e.estimated {
		u.row[5], u.row[6] = e.input, e.output
		number(7, e.cached)
		number(8, e.reasoning)
	}
	if e.user.start != e.user.end {
		u.row[9] = cleanText(q.readText(e.user))
	}
	if e.estimated {
		u.row[10] = int64(1)
	}
	if e.priced {
		u.row[11] = e.cost
		u.row[12] = e.inputCost
	}
	if e.link.start != e.link.end {
		u.row[13] = cleanText(q.readText(e.link))
	}
}

// cleanText returns s in a form that PostgreSQL can store. Clients choose user and model names; a single invalid one
// would block the batch for ever.
func cleanText(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
