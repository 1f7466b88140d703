package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// table reads and writes the records of one kind. Each kind declares its differences; newTable derives the statements.
type table[T any] struct {
	name   string // SQL table name
	noun   string // for error messages
	kind   string // in the log of changes; "" if changes do not concern the configuration
	owner  string // the column that ListByUser selects by
	order  string // of List; by default by creation
	fields func(*T) []field
	head   func(*T) head
	// blank is the record into which rows are read. It sets the fields that have no column.
	blank T
	// prepare completes a record and validates it before it is written. Optional.
	prepare func(*T) error
	// saved runs after a record was inserted or changed, in the same transaction; before is nil for a new one. Optional.
	saved func(ctx context.Context, tx *Tx, before, now *T) error
	// removing runs before a record is deleted, in the same transaction. Its error keeps the record. Optional.
	removing func(ctx context.Context, tx *Tx, was *T) error
	// idle means that a change without effect stores nothing and does not advance the configuration version.
	idle bool

	columns, listed  string // all columns; those of lists
	insertSQL, group string
	updateSQL        string
}

// head holds the fields that the store sets.
type head struct {
	id      *string
	version *int64     // counts the changes. Optional.
	created *time.Time // with the id, the position in lists
	updated *time.Time // Optional.
}

func newTable[T any](t table[T]) *table[T] {
	var names, listed, set []string
	for _, f := range t.fields(new(T)) {
		names = append(names, f.column)
		if f.large {
			listed = append(listed, "'' AS "+f.column)
		} else {
			listed = append(listed, f.column)
		}
		if !f.fixed {
			set = append(set, f.column+" = ?")
		}
	}
	if t.order == "" {
		t.order = "created_at, id"
	}
	t.columns, t.listed = strings.Join(names, ", "), strings.Join(listed, ", ")
	t.group = "(?" + strings.Repeat(", ?", len(names)-1) + ")"
	t.insertSQL = "INSERT INTO " + t.name + " (" + t.columns + ") VALUES " + t.group
	t.updateSQL = "UPDATE " + t.name + " SET " + strings.Join(set, ", ") + " WHERE id = ?"
	return &t
}

// listValues returns the values of a record in column order.
func (t *table[T]) listValues(v *T) ([]any, error) {
	fields := t.fields(v)
	args := make([]any, len(fields))
	for i := range fields {
		var err error
		if args[i], err = fields[i].readValue(); err != nil {
			return nil, err
		}
	}
	return args, nil
}

// read returns the records that a query selects, whose columns are those of the table.
func (t *table[T]) read(ctx context.Context, in bound, query string, args ...any) (list []T, err error) {
	rows, err := in.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, mapStatementError(rows.Close())) }()
	list = []T{}
	var v T
	fields := t.fields(&v)
	into := make([]any, len(fields))
	for i := range fields {
		into[i] = fields[i].at
	}
	for rows.Next() {
		v = t.blank
		if err := rows.Scan(into...); err != nil {
			return nil, fmt.Errorf("read %s %q: %w", t.noun, *t.head(&v).id, err)
		}
		list = append(list, v)
	}
	return list, mapStatementError(rows.Err())
}

// find returns the first record that a condition selects, or sql.ErrNoRows. tail may end in a lock.
func (t *table[T]) find(ctx context.Context, in bound, tail string, args ...any) (T, error) {
	list, err := t.read(ctx, in, "SELECT "+t.columns+" FROM "+t.name+" WHERE "+tail, args...)
	if err == nil && len(list) == 0 {
		err = sql.ErrNoRows
	}
	if err != nil {
		return *new(T), err
	}
	return list[0], nil
}

// lock reads a record that the transaction will change. Configuration changes are serialized anyway; see mutate.
func (t *table[T]) lock(ctx context.Context, tx *Tx, id string) (T, error) {
	tail := "id = ?"
	if t.kind == "" {
		tail += tx.buildLockClause()
	}
	return t.find(ctx, tx.bound, tail, id)
}

// transact runs fn in a transaction that advances the configuration version if the records belong to the configuration.
func (t *table[T]) transact(ctx context.Context, db *DB, fn func(tx *Tx) (changed bool, err error)) error {
	if t.kind != "" {
		return db.mutate(ctx, fn)
	}
	return db.transact(ctx, func(tx *Tx) error {
		_, err := fn(tx)
		return err
	})
}

// note adds the change of a record to the log of changes.
func (t *table[T]) note(tx *Tx, v *T) {
	if t.kind != "" {
		tx.noteChange(t.kind, *t.head(v).id)
	}
}

// stamp completes a new record created at now.
func (t *table[T]) stamp(v *T, now time.Time) error {
	h := t.head(v)
	*h.created = now
	if h.updated != nil {
		*h.updated = now
	}
	if h.version != nil {
		*h.version = 1
	}
	if t.prepare != nil {
		return t.prepare(v)
	}
	return nil
}

// insert writes new, stamped records in one statement.
func (t *table[T]) insert(ctx context.Context, tx *Tx, list ...T) error {
	if len(list) == 0 {
		return nil
	}
	var args []any
	for i := range list {
		values, err := t.listValues(&list[i])
		if err != nil {
			return err
		}
		args = append(args, values...)
		t.note(tx, &list[i])
	}
	if _, err := tx.ExecContext(ctx, t.insertSQL+strings.Repeat(", "+t.group, len(list)-1), args...); err != nil {
		return err
	}
	if t.saved == nil {
		return nil
	}
	for i := range list {
		if err := t.saved(ctx, tx, nil, &list[i]); err != nil {
			return err
		}
	}
	return nil
}

// update lets change edit the record v as it is stored, and stores the result as the next version. It reports whether
// it wrote anything.
func (t *table[T]) update(ctx context.Context, db *DB, tx *Tx, v *T, change func(*T) error) (changed bool, err error) {
	before := *v
	was, err := t.listValues(v)
	if err != nil {
		return false, err
	}
	if err := change(v); err != nil {
		return false, err
	}
	old, fields := t.fields(&before), t.fields(v)
	for i := range fields {
		if fields[i].fixed {
			if err := fields[i].copyValue(&old[i]); err != nil {
				return false, err
			}
		}
	}
	if t.prepare != nil {
		if err := t.prepare(v); err != nil {
			return false, err
		}
	}
	h, b := t.head(v), t.head(&before)
	if h.updated != nil {
		*h.updated = *b.updated
	}
	if t.idle {
		if now, err := t.listValues(v); err != nil || reflect.DeepEqual(was, now) {
			return false, err
		}
	}
	if h.updated != nil {
		*h.updated = db.chooseLaterTime(*b.updated)
	}
	if h.version != nil {
		*h.version = *b.version + 1
	}
	var args []any
	for i := range fields {
		if fields[i].fixed {
			continue
		}
		value, err := fields[i].readValue()
		if err != nil {
			return false, err
		}
		args = append(args, value)
	}
	t.note(tx, v)
	if _, err = tx.ExecContext(ctx, t.updateSQL, append(args, *h.id)...); err == nil && t.saved != nil {
		err = t.saved(ctx, tx, &before, v)
	}
	return true, err
}
