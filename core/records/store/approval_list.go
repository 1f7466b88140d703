package store

import (
	"context"
	"iter"
)

// EachWaiting lists requests that are not decided and not over, in the order of their making.
func (as Approvals) EachWaiting(ctx context.Context, after Cursor, limit int) iter.Seq2[Approval, error] {
	return each(ctx, after, limit, func(ctx context.Context, after Cursor, n int) ([]approvalRow, error) {
		return page[approvalRow](ctx, as.db, "approval", "status = ? AND expires_at > ?", []any{ApprovalPending, micros(as.db.now())}, after, n)
	}, approvalCursor)
}

// EachPast lists requests that were decided, or whose time is over, the newest first.
func (as Approvals) EachPast(ctx context.Context, after Cursor, limit int) iter.Seq2[Approval, error] {
	return each(ctx, after, limit, func(ctx context.Context, after Cursor, n int) (rows []approvalRow, err error) {
		query, args := "SELECT * FROM approval WHERE (status <> ? OR expires_at <= ?)", []any{ApprovalPending, micros(as.db.now())}
		if after != (Cursor{}) {
			query, args = query+" AND (created_at, id) < (?, ?)", append(args, after.At.UnixMicro(), after.ID)
		}
		err = as.db.read.SelectContext(ctx, &rows, query+" ORDER BY created_at DESC, id DESC LIMIT ?", append(args, n)...)
		return rows, err
	}, approvalCursor)
}

func approvalCursor(r *approvalRow) (Approval, Cursor, error) {
	a := r.approval()
	return a, Cursor{a.CreatedAt, a.ID}, nil
}
