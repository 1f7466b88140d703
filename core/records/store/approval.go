package store

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"time"
)

// The states of an approval.
const (
	ApprovalPending  = "PENDING"
	ApprovalApproved = "APPROVED"
	ApprovalDenied   = "DENIED"
)

// Approval is a request for a second person's consent, and what became of it.
type Approval struct {
	ID, Kind, TenantID  string
	Scope               string // what requests are counted by, beside kind and tenant: the rule, for a policy's
	Status              string
	Subject             string   // JSON: what is asked for
	Digest              [32]byte // of kind, requester and subject: what is asked for once is not asked again
	Reason              string   // of who asks
	Note                string   // of who decided
	Requester, Approver string   // ids of actors
	CreatedAt           time.Time
	DecidedAt           time.Time // zero: not yet
	ExpiresAt           time.Time // of the request, or of the consent once it is given
}

type approvalRow struct {
	ID        string        `db:"id"`
	Kind      string        `db:"kind"`
	TenantID  string        `db:"tenant_id"`
	Scope     string        `db:"scope"`
	Status    string        `db:"status"`
	Subject   string        `db:"subject"`
	Digest    []byte        `db:"digest"`
	Reason    string        `db:"reason"`
	Note      string        `db:"note"`
	Requester string        `db:"requester"`
	Approver  string        `db:"approver"`
	CreatedAt sql.NullInt64 `db:"created_at"`
	DecidedAt sql.NullInt64 `db:"decided_at"`
	ExpiresAt sql.NullInt64 `db:"expires_at"`
}

func (a *Approval) row() approvalRow {
	return approvalRow{
		a.ID, a.Kind, a.TenantID, a.Scope, a.Status, a.Subject, a.Digest[:], a.Reason, a.Note, a.Requester, a.Approver,
		micros(a.CreatedAt), micros(a.DecidedAt), micros(a.ExpiresAt),
	}
}

func (r *approvalRow) approval() Approval {
	a := Approval{
		ID: r.ID, Kind: r.Kind, TenantID: r.TenantID, Scope: r.Scope, Status: r.Status, Subject: r.Subject, Reason: r.Reason, Note: r.Note,
		Requester: r.Requester, Approver: r.Approver, CreatedAt: instant(r.CreatedAt), DecidedAt: instant(r.DecidedAt), ExpiresAt: instant(r.ExpiresAt),
	}
	copy(a.Digest[:], r.Digest)
	return a
}

// Get is one approval, or ErrNotFound.
func (as Approvals) Get(ctx context.Context, id string) (Approval, error) {
	var row approvalRow
	if err := as.db.read.GetContext(ctx, &row, "SELECT * FROM approval WHERE id = ?", id); err != nil {
		return Approval{}, fmt.Errorf("read approval: %w", named(err))
	}
	return row.approval(), nil
}

// Each lists approvals of a tenant and a state behind a place, in the order of their making; "" is any, and a
// limit of 0 is none.
func (as Approvals) Each(ctx context.Context, tenant, status string, after Cursor, limit int) iter.Seq2[Approval, error] {
	return each(ctx, after, limit, func(ctx context.Context, after Cursor, n int) ([]approvalRow, error) {
		where, args := "", []any(nil)
		for _, c := range []struct{ column, value string }{{"tenant_id", tenant}, {"status", status}} {
			if c.value == "" {
				continue
			}
			if where != "" {
				where += " AND "
			}
			where += c.column + " = ?"
			args = append(args, c.value)
		}
		return page[approvalRow](ctx, as.db, "approval", where, args, after, n)
	}, func(r *approvalRow) (Approval, Cursor, error) {
		a := r.approval()
		return a, Cursor{a.CreatedAt, a.ID}, nil
	})
}

// ListByRequester are requests of one kind and requester, whatever became of them, the newest first.
func (as Approvals) ListByRequester(ctx context.Context, kind, requester string, limit int) ([]Approval, error) {
	return as.list(ctx, "WHERE requester = ? AND kind = ? ORDER BY created_at DESC, id DESC LIMIT ?", requester, kind, limit)
}

// FindConsent is the approval with a digest that is given and has not ended, or ErrNotFound. Of several, it is the one that
// lasts longest.
func (as Approvals) FindConsent(ctx context.Context, digest [32]byte, at time.Time) (Approval, error) {
	list, err := as.list(ctx, "WHERE digest = ? AND status = ? AND expires_at > ? ORDER BY expires_at DESC LIMIT 1", digest[:], ApprovalApproved, micros(at))
	if err == nil && len(list) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Approval{}, err
	}
	return list[0], nil
}

func (as Approvals) list(ctx context.Context, where string, args ...any) ([]Approval, error) {
	var rows []approvalRow
	if err := as.db.read.SelectContext(ctx, &rows, "SELECT * FROM approval "+where, args...); err != nil {
		return nil, fmt.Errorf("list approvals: %w", err)
	}
	list := make([]Approval, len(rows))
	for i := range rows {
		list[i] = rows[i].approval()
	}
	return list, nil
}

// Decide stores what decide makes of an approval; it advances the configuration version, as gateways go by what
// is approved. An error of decide is answered, and nothing is changed.
func (as Approvals) Decide(ctx context.Context, id string, decide func(*Approval) error) (Approval, error) {
	var a Approval
	err := as.db.mutate(ctx, func(tx *Tx) (bool, error) {
		var row approvalRow
		if err := tx.GetContext(ctx, &row, "SELECT * FROM approval WHERE id = ?", id); err != nil {
			return false, err
		}
		a = row.approval()
		if err := decide(&a); err != nil {
			return false, err
		}
		row = a.row()
		tx.changed("approval", id)
		_, err := tx.NamedExecContext(ctx, `UPDATE approval SET status = :status, note = :note, approver = :approver,
			decided_at = :decided_at, expires_at = :expires_at WHERE id = :id`, row)
		return true, err
	})
	if err != nil {
		return Approval{}, fmt.Errorf("decide about an approval: %w", err)
	}
	return a, nil
}
