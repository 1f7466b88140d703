package store

import (
	"context"
	"database/sql/driver"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jmoiron/sqlx"
)

// usageMark says that some records of a batch are a node's records behind number from, up to upto. The transaction that
// stores them also moves the node's cursor, so that repeated deliveries are stored once.
type usageMark struct {
	node        string
	from, upto  int64
	first, last int // in the queue's usage records; equal if they were omitted
}

// AppendUsageOf queues a node's usage records behind number from, up to upto. They are stored together, or not at all
// if the node's cursor is not at from. After Sync, Fleet.GetCursors shows which.
func (w *Writer) AppendUsageOf(ctx context.Context, node string, from, upto int64, records []UsageRecord) error {
	size := len(node)
	for i := range records {
		size += records[i].size()
	}
	if err := w.enter(ctx, load{1, size}); err != nil {
		return err
	}
	q := w.in
	m := usageMark{node: strings.Clone(node), from: from, upto: upto, first: len(q.usage)}
	for i := range records {
		w.addUsage(q, &records[i])
	}
	m.last = len(q.usage)
	q.marks = append(q.marks, m)
	w.leave()
	return nil
}

// settle moves the cursors and removes records that another batch has stored. It processes later marks first, so that
// earlier positions stay valid.
func (q *queue) settle(move func(m *usageMark) (moved bool, err error)) error {
	for i := len(q.marks) - 1; i >= 0; i-- {
		m := &q.marks[i]
		if m.first == m.last {
			continue
		}
		moved, err := move(m)
		if err != nil {
			return err
		}
		if moved {
			continue
		}
		n := m.last - m.first
		q.usage = slices.Delete(q.usage, m.first, m.last)
		m.last = m.first
		for k := i + 1; k < len(q.marks); k++ {
			q.marks[k].first -= n
			q.marks[k].last -= n
		}
	}
	return nil
}

func (f *sqliteFlusher) marks(q *queue) error {
	return q.settle(func(m *usageMark) (bool, error) {
		res, err := f.move.ExecContext(direct, namedValues([]driver.Value{m.node, spoolUsage, m.upto, m.from}))
		if err != nil {
			return false, err
		}
		n, err := res.RowsAffected()
		return n > 0, err
	})
}

var moveCursorPostgres = sqlx.Rebind(sqlx.DOLLAR, moveCursorSQL)

func (f *postgresFlusher) marks(ctx context.Context, tx pgx.Tx, q *queue) error {
	return q.settle(func(m *usageMark) (bool, error) {
		tag, err := tx.Exec(ctx, moveCursorPostgres, m.node, spoolUsage, m.upto, m.from)
		return err == nil && tag.RowsAffected() > 0, err
	})
}
