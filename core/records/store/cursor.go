package store

import (
	"context"
	"fmt"
	"iter"
	"time"
)

// Cursor is a place in a list that is in the order of its records' making: behind the record that was made at At and has
// the ID. The zero Cursor is the start of the list. It needs no record to be there still.
type Cursor struct {
	At time.Time
	ID string
}

// pageRows is how many records of a list are held at a time.
const pageRows = 500

// each lists rows page by page: no connection is held while the caller looks at one, and a list of any length takes the
// memory of a page. What changes meanwhile shows if it lies ahead. read reads up to n rows behind a place.
func each[R, T any](ctx context.Context, after Cursor, limit int,
	read func(ctx context.Context, after Cursor, n int) ([]R, error), record func(*R) (T, Cursor, error),
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		at, left := after, limit
		for {
			n := pageRows
			if limit > 0 {
				n = min(n, left)
			}
			rows, err := read(ctx, at, n)
			if err != nil {
				yield(*new(T), err)
				return
			}
			for i := range rows {
				v, cursor, err := record(&rows[i])
				if !yield(v, err) || err != nil {
					return
				}
				at = cursor
			}
			left -= len(rows)
			if len(rows) < n || limit > 0 && left == 0 {
				return
			}
		}
	}
}

// page selects rows of a table in the order of their making. where may be empty; it and its arguments choose rows.
func page[R any](ctx context.Context, db *DB, table, where string, args []any, after Cursor, n int) (rows []R, err error) {
	query := "SELECT * FROM " + table
	if after != (Cursor{}) {
		if where != "" {
			where += " AND "
		}
		where += "(created_at, id) > (?, ?)"
		args = append(args[:len(args):len(args)], after.At.UnixMicro(), after.ID)
	}
	if where != "" {
		query += " WHERE " + where
	}
	err = db.read.SelectContext(ctx, &rows, query+" ORDER BY created_at, id LIMIT ?", append(args[:len(args):len(args)], n)...)
	if err != nil {
		return nil, fmt.Errorf("list from %s: %w", table, err)
	}
	return rows, nil
}

// eachOf lists the rows of a table that have a value in a column, or with "" all of them, page by page as each does.
func eachOf[R, T any](ctx context.Context, db *DB, table, column, value string, after Cursor, limit int, record func(*R) (T, Cursor, error)) iter.Seq2[T, error] {
	where, args := "", []any(nil)
	if value != "" {
		where, args = column+" = ?", []any{value}
	}
	return each(ctx, after, limit, func(ctx context.Context, after Cursor, n int) ([]R, error) {
		return page[R](ctx, db, table, where, args, after, n)
	}, record)
}

// later is the time of a change to what was changed last at before: it rises whatever the clock does, so that two states
// of a record never bear one time.
func (db *DB) later(before time.Time) time.Time {
	now := db.now().UTC().Truncate(time.Microsecond)
	if !now.After(before) {
		now = before.Add(time.Microsecond)
	}
	return now
}
