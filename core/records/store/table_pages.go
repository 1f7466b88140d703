package store

import (
	"context"
	"fmt"
	"iter"
)

// page selects records behind a place in creation order, or before it in reverse order.
type page struct {
	where      string // optional
	args       []any
	after      Cursor
	limit      int // 0: all
	descending bool
}

func (p *page) add(column string, value any) {
	if p.where != "" {
		p.where += " AND "
	}
	p.where += column + " = ?"
	p.args = append(p.args, value)
}

// listRecords lists records page by page. It holds no connection while the caller processes a record, and needs the
// memory of one page. It sees concurrent changes that lie ahead. The first error ends the list.
func (t *table[T]) listRecords(ctx context.Context, db *DB, p page) iter.Seq2[T, error] {
	compare, order := "(created_at, id) > (?, ?)", " ORDER BY created_at, id LIMIT ?"
	if p.descending {
		compare, order = "(created_at, id) < (?, ?)", " ORDER BY created_at DESC, id DESC LIMIT ?"
	}
	return func(yield func(T, error) bool) {
		after := p.after
		for left := p.limit; ; {
			n := pageRows
			if p.limit > 0 {
				n = min(n, left)
			}
			where, args := p.where, p.args[:len(p.args):len(p.args)]
			if after != (Cursor{}) {
				if where != "" {
					where += " AND "
				}
				where, args = where+compare, append(args, after.At.UnixMicro(), after.ID)
			}
			if where != "" {
				where = " WHERE " + where
			}
			list, err := t.read(ctx, db.read.bound, "SELECT "+t.listed+" FROM "+t.name+where+order, append(args, n)...)
			if err != nil {
				yield(*new(T), fmt.Errorf("list from %s: %w", t.name, err))
				return
			}
			for i := range list {
				if !yield(list[i], nil) {
					return
				}
			}
			left -= len(list)
			if len(list) < n || p.limit > 0 && left == 0 {
				return
			}
			h := t.head(&list[len(list)-1])
			after = Cursor{*h.created, *h.id}
		}
	}
}
