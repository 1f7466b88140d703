package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// How many requests of one kind, tenant and scope wait at a time, and how many of them from one requester: what they
// name may be of a client's making, as models are.
const (
	pendingMost    = 200
	pendingMostOne = 20
)

// ErrQueueFull means that as many requests wait already as may.
var ErrQueueFull = errors.New("too many requests for approval wait already")

// Ask adds a pending request, unless one with its digest is pending; it gives the one that is. Requests of which
// the time is over do not count. ErrQueueFull when too many wait.
func (as Approvals) Ask(ctx context.Context, a Approval) (kept Approval, err error) {
	a.Status, a.CreatedAt = ApprovalPending, as.db.stamp()
	err = as.db.transact(ctx, func(tx *Tx) error {
		if err := tx.enqueue(ctx, &a, a.CreatedAt); err != nil {
			return err
		}
		kept, err = approvalTable.find(ctx, tx.bound, "status = ? AND digest = ?", ApprovalPending, a.Digest[:])
		return err
	})
	if err != nil {
		return Approval{}, fmt.Errorf("ask for approval: %w", err)
	}
	return kept, nil
}

// enqueue adds a request unless it is there; one whose time is over makes room. Two that come at once may both be the last that fits.
func (tx *Tx) enqueue(ctx context.Context, a *Approval, now time.Time) error {
	if _, err := tx.ExecContext(ctx, "UPDATE approval SET status = ? WHERE status = ? AND digest = ? AND expires_at <= ?",
		ApprovalDenied, ApprovalPending, a.Digest[:], micros(now)); err != nil {
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
		a.Digest[:], a.Requester, ApprovalPending, a.Kind, a.TenantID, a.Scope, micros(now))
	switch {
	case err != nil:
		return err
	case n.There > 0:
		return nil
	case n.All >= pendingMost || n.One >= pendingMostOne:
		return ErrQueueFull
	}
	args, err := approvalTable.values(a)
	if err == nil {
		_, err = tx.ExecContext(ctx, approvalTable.insertSQL+" ON CONFLICT DO NOTHING", args...)
	}
	return err
}

// Import adds requests of a node under their own ids. What is there already, decided or asked for in other words
// by another node, stays as it is: so a batch may come twice. What finds the queue full is left out, and answered how
// often.
func (as Approvals) Import(ctx context.Context, list []Approval) (left int, err error) {
	err = as.db.transact(ctx, func(tx *Tx) error {
		left = 0
		for i := range list {
			a := list[i]
			a.Status, a.Approver, a.Note, a.DecidedAt = ApprovalPending, "", "", time.Time{}
			switch err := tx.enqueue(ctx, &a, as.db.now()); {
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
