package store

import (
	"database/sql/driver"
	"encoding/hex"
	"strings"
)

const (
	// usageRows is how many records one statement stores. Single-row statements cost about 0.3 us more per record; the
	// gain of 32 rows over 16 is not measurable.
	usageRows    = 16
	usageColumns = 14
	idSize       = 16 // bytes of a hexadecimal exchange id
)

// buildUsageInsert inserts a number of rows. Unbound values are null. A refused row ends the transaction, as the writer
// would do anyway: to be able to undo one statement, SQLite copies each page before its first change, which costs about
// 1 us per record.
func buildUsageInsert(rows int) string {
	row := ", (?" + strings.Repeat(", ?", usageColumns-1) + ")"
	return `INSERT OR ROLLBACK INTO usage_record (at, exchange_id, series_id, latency_ms, ttfb_ms, input_tokens, output_tokens,
		cached_tokens, reasoning_tokens, end_user, estimated, cost, input_cost, blocked_by) VALUES ` + strings.Repeat(row, rows)[2:]
}

// usageInsert stores the usage records of a batch.
type usageInsert struct {
	one, many driver.StmtExecContext
	series    seriesIDs
	last      span         // series of the previous record in the batch
	lastID    driver.Value // its number, or nil
	args      []driver.NamedValue
	ids       [usageRows][idSize]byte
	boxed     [usageRows]driver.Value // reused id slices; only their bytes change
}

func (u *usageInsert) run(q *queue) error {
	u.lastID = nil
	for rest := q.usage; len(rest) > 0; {
		st, n := u.many, usageRows
		if len(rest) < n {
			st, n = u.one, 1
		}
		u.args = u.args[:0]
		for i := range n {
			if err := u.bind(q, i, &rest[i]); err != nil {
				return err
			}
		}
		if _, err := st.ExecContext(direct, u.args); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}

// bind binds only the present values. Each binding is a cgo call, and unbound values are null.
func (u *usageInsert) bind(q *queue, row int, e *usageEntry) error {
	if u.lastID == nil || e.series != u.last {
		id, err := u.series.resolveID(q.readBytes(e.series))
		if err != nil {
			return err
		}
		u.last, u.lastID = e.series, id
	}
	args, first := u.args, row*usageColumns+1
	set := func(column int, v driver.Value) {
		args = append(args, driver.NamedValue{Ordinal: first + column, Value: v})
	}
	number := func(column int, n int64) {
		if n != 0 {
			set(column, n)
		}
	}
	set(0, e.at)
	set(1, u.convertID(q, row, e.exchange))
	set(2, u.lastID)
	set(3, e.latency)
	number(4, e.firstByte)
	if e.counted || e.estimated {
		set(5, e.input)
		set(6, e.output)
		number(7, e.cached)
		number(8, e.reasoning)
	}
	if e.user.start != e.user.end {
		set(9, q.readText(e.user))
	}
	if e.estimated {
		set(10, int64(1))
	}
	if e.priced {
		set(11, e.cost)
		set(12, e.inputCost)
	}
	if e.link.start != e.link.end {
		set(13, q.readText(e.link))
	}
	u.args = args
	return nil
}

// convertID returns the exchange id as bytes if it is lower-case hexadecimal, and otherwise as it is.
func (u *usageInsert) convertID(q *queue, row int, s span) driver.Value {
	text := q.readBytes(s)
	if len(text) != 2*idSize {
		return q.readText(s)
	}
	for _, c := range text {
		if c >= 'A' && c <= 'F' { // would be read back in lower case
			return q.readText(s)
		}
	}
	if _, err := hex.Decode(u.ids[row][:], text); err != nil {
		return q.readText(s)
	}
	if u.boxed[row] == nil {
		u.boxed[row] = u.ids[row][:]
	}
	return u.boxed[row]
}
