package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The maximum number of pending requests per kind, tenant and scope, and per requester among them. A client may choose
// what requests name, such as models.
const (
	pendingMost    = 200
	pendingMostOne = 20
)

// ErrQueueFull means that the maximum number of requests is pending.
var ErrQueueFull = errors.New("too many requests for approval wait already")

// AddRequest adds a pending request and returns it. If a request with the same digest is pending, it returns that one.
// Expired requests do not count. ErrQueueFull means that too many are pending.
func (as Approvals) AddRequest(ctx context.Context, a Approval) (kept Approval, err error) {
	a.Status, a.CreatedAt = ApprovalPending, as.db.readClock()
	err = as.db.transact(ctx, func(tx *Tx) error {
		if err := tx.enqueueApproval(ctx, &a, a.CreatedAt); err != nil {
			return err
		}
		kept, err = approvalTable.find(ctx, tx.bound, "status = ? AND digest = ?", ApprovalPending, a.Digest[:])
		if err != nil || kept.ID != a.ID { // it was requested before
			return err
		}
		return tx.emitRequest(ctx, &a)
	})
	if err != nil {
		return Approval{}, fmt.Errorf("ask for approval: %w", err)
	}
	return kept, nil
}

// enqueueApproval adds a request unless it exists, and replaces an expired one. Two concurrent requests may both take
// the last place.
func (tx *Tx) enqueueApproval(ctx context.Context, a *Approval, now time.Time) error {
	if _, err := tx.ExecContext(ctx, "UPDATE approval SET status = ? WHERE status = ? AND digest = ? AND expires_at <= ?",
		ApprovalDenied, ApprovalPending, a.Digest[:], convertToMicros(now)); err != nil {
		return err
	}
	var n struct {
		There int `db:"there"`
		All   int `db:"waiting"`
		One   int `db:"own"`
	}
	err := tx.GetContext(ctx, &n, `SELECT count(CASE WHEN digest = ? THEN 1 END) AS there, count(*) AS waiting,
		count(CASE WHEN requester = ? THEN 1 END) AS own
		FROM approval WHERE status = ? AND kind = ? AND tenant_id = ? AND scope = ? AND expires_at > ?`,
		a.Digest[:], a.Requester, ApprovalPending, a.Kind, a.TenantID, a.Scope, convertToMicros(now))
	switch {
	case err != nil:
		return err
	case n.There > 0:
		return nil
	case n.All >= pendingMost || n.One >= pendingMostOne:
		return ErrQueueFull
	}
	args, err := approvalTable.listValues(a)
	if err == nil {
		_, err = tx.ExecContext(ctx, approvalTable.insertSQL+" ON CONFLICT DO NOTHING", args...)
	}
	return err
}

// Import adds the requests of a node under their own ids. It skips requests that exist, that were decided, or that
// another node made in other words, so a batch may be imported twice. It omits requests that find the queue full and
// returns their number.
func (as Approvals) Import(ctx context.Context, list []Approval) (left int, err error) {
	err = as.db.transact(ctx, func(tx *Tx) error {
		left = 0
		for i := range list {
			a := list[i]
			a.Status, a.Approver, a.Note, a.DecidedAt = ApprovalPending, "", "", time.Time{}
			switch err := tx.enqueueApproval(ctx, &a, as.db.now()); {
			case errors.Is(err, ErrQueueFull):
				left++
			case err != nil:
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("take approvals: %w", err)
	}
	return left, nil
}
