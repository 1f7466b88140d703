package store

import (
	"context"
	"fmt"
	"iter"
	"time"
)

// EachConsent lists what of a kind is approved and has not ended.
func (as Approvals) EachConsent(ctx context.Context, kind string) iter.Seq2[Approval, error] {
	return each(ctx, Cursor{}, 0, func(ctx context.Context, after Cursor, n int) ([]approvalRow, error) {
		return page[approvalRow](ctx, as.db, "approval", "status = ? AND kind = ? AND expires_at > ?",
			[]any{ApprovalApproved, kind, micros(as.db.now())}, after, n)
	}, func(r *approvalRow) (Approval, Cursor, error) {
		a := r.approval()
		return a, Cursor{a.CreatedAt, a.ID}, nil
	})
}

// Trim removes requests and consents whose time was over before an instant, whatever became of them. The audit
// chain goes on to tell of them. The configuration stays what it is, as nobody goes by what has ended.
func (as Approvals) Trim(ctx context.Context, before time.Time) (removed int64, err error) {
	err = as.db.transact(ctx, func(tx *Tx) error {
		res, err := tx.ExecContext(ctx, "DELETE FROM approval WHERE expires_at < ?", micros(before))
		if err != nil {
			return err
		}
		removed, err = res.RowsAffected()
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("remove approvals: %w", err)
	}
	return removed, nil
}
