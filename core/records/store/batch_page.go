package store

import (
	"context"
	"database/sql"
	"fmt"
)

// BatchPage selects part of a tenant's files or batches.
type BatchPage struct {
	After   string // the id behind which the page begins; ErrNotFound if the tenant has no such record
	Limit   int
	Oldest  bool   // oldest first; otherwise newest first
	Purpose string // of files; "" for all
}

// getOwned returns the tenant's record with an id, or ErrNotFound.
func (t *table[T]) getOwned(ctx context.Context, db *DB, tenantID, id string) (*T, error) {
	v, err := t.find(ctx, db.read.bound, "id = ? AND tenant_id = ?", id, tenantID)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", t.noun, mapDriverError(err))
	}
	return &v, nil
}

// listOwned returns a page of the tenant's records, in the order of the numbers that they got at insertion.
func (t *table[T]) listOwned(ctx context.Context, db *DB, tenantID string, p BatchPage) ([]*T, error) {
	where, args := "tenant_id = ?", []any{tenantID}
	compare, order := " AND seq < ?", " ORDER BY seq DESC LIMIT ?"
	if p.Oldest {
		compare, order = " AND seq > ?", " ORDER BY seq LIMIT ?"
	}
	if p.After != "" {
		var seq sql.NullInt64
		if err := db.read.GetContext(ctx, &seq, "SELECT seq FROM "+t.name+" WHERE id = ? AND tenant_id = ?", p.After, tenantID); err != nil {
			return nil, fmt.Errorf("list from %s: %w", t.name, mapDriverError(err))
		}
		where, args = where+compare, append(args, seq.Int64)
	}
	if p.Purpose != "" {
		where, args = where+" AND purpose = ?", append(args, p.Purpose)
	}
	return t.queryPointers(ctx, db, "WHERE "+where+order, append(args, p.Limit)...)
}

// queryPointers returns the records that the end of a query selects.
func (t *table[T]) queryPointers(ctx context.Context, db *DB, tail string, args ...any) ([]*T, error) {
	list, err := Records[T]{db, t}.list(ctx, tail, args...)
	if err != nil {
		return nil, err
	}
	out := make([]*T, len(list))
	for i := range list {
		out[i] = &list[i]
	}
	return out, nil
}

// deleteOwned removes the tenant's record with an id, or returns ErrNotFound.
func (t *table[T]) deleteOwned(ctx context.Context, db *DB, tenantID, id string) error {
	return db.execOne(ctx, "delete "+t.noun, "DELETE FROM "+t.name+" WHERE id = ? AND tenant_id = ?", id, tenantID)
}
