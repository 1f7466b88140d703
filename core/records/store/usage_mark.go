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

// AppendNodeUsage queues a node's usage records behind number from, up to upto. They are stored together, or not at all
// if the node's cursor is not at from. After Sync, Fleet.GetCursors shows which.
func (w *Writer) AppendNodeUsage(ctx context.Context, node string, from, upto int64, records []UsageRecord) error {
	size := len(node)
	for i := range records {
		size += records[i].measureSize()
	}
	if err := w.lockForAppend(ctx, load{1, size}); err != nil {
		return err
	}
	q := w.in
	m := usageMark{node: strings.Clone(node), from: from, upto: upto, first: len(q.usage)}
	for i := range records {
		w.addUsage(q, &records[i])
	}
	m.last = len(q.usage)
	q.marks = append(q.marks, m)
	w.unlockAfterAppend()
	return nil
}

// applyMarks moves the cursors and removes records that another batch has stored. It processes later marks first, so that
// earlier positions stay valid.
func (q *queue) applyMarks(move func(m *usageMark) (moved bool, err error)) error {
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

func (f *sqliteFlusher) writeMarks(q *queue) error {
	return q.applyMarks(func(m *usageMark) (bool, error) {
		res, err := f.move.ExecContext(direct, nameValues([]driver.Value{m.node, spoolUsage, m.upto, m.from}))
		if err != nil {
			return false, err
		}
		n, err := res.RowsAffected()
		return n > 0, err
	})
}

var moveCursorPostgres = sqlx.Rebind(sqlx.DOLLAR, moveCursorSQL)

func (f *postgresFlusher) writeMarks(ctx context.Context, tx pgx.Tx, q *queue) error {
	return q.applyMarks(func(m *usageMark) (bool, error) {
		tag, err := tx.Exec(ctx, moveCursorPostgres, m.node, spoolUsage, m.upto, m.from)
		return err == nil && tag.RowsAffected() > 0, err
	})
}
