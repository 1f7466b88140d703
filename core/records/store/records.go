package store

import (
	"context"
	"fmt"
	"iter"
)

// Records reads and writes the records of one kind. The zero value is of no use; an accessor of DB returns one. Its methods may be
// called from any goroutine, and it may be copied.
//
// A record that does not exist is ErrNotFound. One whose id, or another value that must be unique, is taken is ErrExists, and one
// that belongs to a record which does not exist is ErrNotFound as well.
type Records[T any] struct {
	db *DB
	t  *table[T]
}

// Insert adds a record and returns it as stored: the store sets its times and, if it has one, its version.
func (r Records[T]) Insert(ctx context.Context, v T) (T, error) {
	err := r.t.stamp(&v, r.db.readClock())
	if err == nil {
		err = r.t.transact(ctx, r.db, func(tx *Tx) (bool, error) { return true, r.t.insert(ctx, tx, v) })
	}
	if err != nil {
		return *new(T), fmt.Errorf("insert %s: %w", r.t.noun, err)
	}
	return v, nil
}

// Change lets change edit a record as it is stored, in the transaction that stores the result as the next version, and returns the
// result. change is where the caller compares versions; an error of it is returned and leaves the record as it is. Values that are
// fixed at insertion stay.
func (r Records[T]) Change(ctx context.Context, id string, change func(*T) error) (T, error) {
	return r.change(ctx, id, change, nil)
}

// change is Change with a step after it, in the same transaction, that is told the record before and after. Optional.
func (r Records[T]) change(ctx context.Context, id string, change func(*T) error, then func(tx *Tx, before, now *T) error) (T, error) {
	var v T
	err := r.t.transact(ctx, r.db, func(tx *Tx) (changed bool, err error) {
		if v, err = r.t.lock(ctx, tx, id); err != nil {
			return false, err
		}
		before := v
		changed, err = r.t.update(ctx, r.db, tx, &v, change)
		if err == nil && changed && then != nil {
			err = then(tx, &before, &v)
		}
		return changed, err
	})
	if err != nil {
		return *new(T), fmt.Errorf("change %s: %w", r.t.noun, err)
	}
	return v, nil
}

// Delete removes a record unless check, which sees it in the same transaction, returns an error. check is optional.
func (r Records[T]) Delete(ctx context.Context, id string, check func(T) error) error {
	return r.delete(ctx, id, check, nil)
}

// deleteTries is how often a deletion is tried that PostgreSQL aborts because of a deadlock.
const deleteTries = 3

// delete is Delete with a step after it, in the same transaction. Optional.
func (r Records[T]) delete(ctx context.Context, id string, check func(T) error, then func(tx *Tx, was *T) error) error {
	remove := func(tx *Tx) (bool, error) {
		v, err := r.t.lock(ctx, tx, id)
		if err == nil && check != nil {
			err = check(v)
		}
		if err == nil && r.t.removing != nil {
			err = r.t.removing(ctx, tx, &v)
		}
		if err != nil {
			return false, err
		}
		r.t.note(tx, &v)
		if _, err = tx.ExecContext(ctx, "DELETE FROM "+r.t.name+" WHERE id = ?", id); err == nil && then != nil {
			err = then(tx, &v)
		}
		return true, err
	}
	err := r.t.transact(ctx, r.db, remove)
	// A deletion cascades to rows that background work locks in another order. PostgreSQL then aborts one of the two
	// transactions, and expects that it is tried again.
	for tries := 1; tries < deleteTries && isDeadlock(err); tries++ {
		err = r.t.transact(ctx, r.db, remove)
	}
	if err != nil {
		return fmt.Errorf("delete %s: %w", r.t.noun, err)
	}
	return nil
}

// Get returns the record with an id.
func (r Records[T]) Get(ctx context.Context, id string) (T, error) { return r.find(ctx, "id = ?", id) }

// find returns the record that a condition selects.
func (r Records[T]) find(ctx context.Context, where string, args ...any) (T, error) {
	v, err := r.t.find(ctx, r.db.read.bound, where, args...)
	if err != nil {
		return v, fmt.Errorf("read %s: %w", r.t.noun, mapDriverError(err))
	}
	return v, nil
}

// List returns all records, in the order of their creation.
func (r Records[T]) List(ctx context.Context) ([]T, error) { return r.list(ctx, "ORDER BY "+r.t.order) }

// list returns the records that the end of a query selects.
func (r Records[T]) list(ctx context.Context, tail string, args ...any) ([]T, error) {
	list, err := r.t.read(ctx, r.db.read.bound, "SELECT "+r.t.listed+" FROM "+r.t.name+" "+tail, args...)
	if err != nil {
		return nil, fmt.Errorf("list from %s: %w", r.t.name, err)
	}
	return list, nil
}

// Iterate lists records behind a place in the order of their creation, page by page, at most limit of them; 0 is all. It holds no
// connection while the caller looks at a record. The first error ends the list.
func (r Records[T]) Iterate(ctx context.Context, after Cursor, limit int) iter.Seq2[T, error] {
	return r.t.listRecords(ctx, r.db, page{after: after, limit: limit})
}

// ListByOwner is like Iterate for the records of one owner, such as a tenant; "" is any.
func (r Records[T]) ListByOwner(ctx context.Context, owner string, after Cursor, limit int) iter.Seq2[T, error] {
	p := page{after: after, limit: limit}
	if owner != "" {
		p.add(r.t.owner, owner)
	}
	return r.t.listRecords(ctx, r.db, p)
}
