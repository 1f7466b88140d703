package store

import (
	"context"
	"errors"
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

// Approval is a request for a second person's consent and its outcome.
type Approval struct {
	ID, Kind, TenantID  string
	Scope               string // the limit on pending requests is per kind, tenant and scope; for a policy it is the rule
	Status              string
	Subject             string   // JSON description of the request
	Digest              [32]byte // over kind, requester and subject; prevents duplicate requests
	Reason              string   // given by the requester
	Note                string   // given by the decider
	Requester, Approver string   // ids of actors
	CreatedAt           time.Time
	DecidedAt           time.Time // zero if undecided
	ExpiresAt           time.Time // of the request, or of the consent once given
}

var approvalTable = newTable(table[Approval]{
	name: "approval", noun: "approval", kind: "approval",
	head: func(a *Approval) head { return head{id: &a.ID, created: &a.CreatedAt} },
	fields: func(a *Approval) []field {
		return []field{
			newFixedField("id", &a.ID),
			newFixedField("kind", &a.Kind),
			newFixedField("tenant_id", &a.TenantID),
			newFixedField("scope", &a.Scope),
			{column: "status", at: &a.Status},
			newFixedField("subject", &a.Subject),
			newFixedField("digest", newDigestCodec(&a.Digest)),
			newFixedField("reason", &a.Reason),
			{column: "note", at: &a.Note},
			newFixedField("requester", &a.Requester),
			{column: "approver", at: &a.Approver},
			newFixedField("created_at", newInstantCodec(&a.CreatedAt)),
			{column: "decided_at", at: newInstantCodec(&a.DecidedAt)},
			{column: "expires_at", at: newInstantCodec(&a.ExpiresAt)},
		}
	},
})

// Approvals reads and writes the requests for approval and the consents given to them.
type Approvals struct{ db *DB }

// Approvals returns the requests for approval.
func (db *DB) Approvals() Approvals { return Approvals{db} }

func (as Approvals) records() Records[Approval] { return Records[Approval]{as.db, approvalTable} }

// Get returns one approval, or ErrNotFound.
func (as Approvals) Get(ctx context.Context, id string) (Approval, error) {
	return as.records().Get(ctx, id)
}

// Iterate lists the approvals of a tenant and a status after a cursor, ordered by creation. "" matches any; a limit of 0
// means no limit.
func (as Approvals) Iterate(ctx context.Context, tenant, status string, after Cursor, limit int) iter.Seq2[Approval, error] {
	p := page{after: after, limit: limit}
	if tenant != "" {
		p.add("tenant_id", tenant)
	}
	if status != "" {
		p.add("status", status)
	}
	return approvalTable.listRecords(ctx, as.db, p)
}

// ListWaiting lists requests that are neither decided nor expired, ordered by creation.
func (as Approvals) ListWaiting(ctx context.Context, after Cursor, limit int) iter.Seq2[Approval, error] {
	return approvalTable.listRecords(ctx, as.db, page{
		where: "status = ? AND expires_at > ?", args: []any{ApprovalPending, convertToMicros(as.db.now())}, after: after, limit: limit,
	})
}

// ListPast lists requests that were decided or have expired, newest first.
func (as Approvals) ListPast(ctx context.Context, after Cursor, limit int) iter.Seq2[Approval, error] {
	return approvalTable.listRecords(ctx, as.db, page{
		where:      "(status <> ? OR expires_at <= ?)",
		args:       []any{ApprovalPending, convertToMicros(as.db.now())},
		after:      after,
		limit:      limit,
		descending: true,
	})
}

// ListConsents lists the consents of one kind that have not expired.
func (as Approvals) ListConsents(ctx context.Context, kind string) iter.Seq2[Approval, error] {
	return approvalTable.listRecords(ctx, as.db, page{
		where: "status = ? AND kind = ? AND expires_at > ?", args: []any{ApprovalApproved, kind, convertToMicros(as.db.now())},
	})
}

// ListByRequester returns the newest requests of one kind and requester, in any status.
func (as Approvals) ListByRequester(ctx context.Context, kind, requester string, limit int) ([]Approval, error) {
	return as.records().list(ctx, "WHERE requester = ? AND kind = ? ORDER BY created_at DESC, id DESC LIMIT ?", requester, kind, limit)
}

// ListPending returns requests that are neither decided nor expired, oldest first.
func (as Approvals) ListPending(ctx context.Context, limit int) ([]Approval, error) {
	return as.records().list(
		ctx,
		"WHERE status = ? AND expires_at > ? ORDER BY created_at, id LIMIT ?",
		ApprovalPending,
		convertToMicros(as.db.now()),
		limit,
	)
}

// FindConsent returns the consent with a digest that expires last, or ErrNotFound if none is valid at an instant.
func (as Approvals) FindConsent(ctx context.Context, digest [32]byte, at time.Time) (Approval, error) {
	return as.records().find(
		ctx,
		"digest = ? AND status = ? AND expires_at > ? ORDER BY expires_at DESC LIMIT 1",
		digest[:],
		ApprovalApproved,
		convertToMicros(at),
	)
}

// Decide lets decide edit an approval and stores the result. It advances the configuration version, because gateways
// act on approvals. An error of decide is returned and changes nothing.
func (as Approvals) Decide(ctx context.Context, id string, decide func(*Approval) error) (Approval, error) {
	return as.records().Change(ctx, id, decide)
}

// Spend uses up a consent that holds for one call: it ends now, and the note names its use. It returns ErrNotFound if the consent
// is not in force. A replica spends it too, without a configuration version.
func (as Approvals) Spend(ctx context.Context, id, note string) error {
	spend := func(tx *Tx) (bool, error) {
		now := convertToMicros(as.db.now())
		r, err := tx.ExecContext(ctx, "UPDATE approval SET expires_at = ?, note = ? WHERE id = ? AND status = ? AND expires_at > ?",
			now, note, id, ApprovalApproved, now)
		if err != nil {
			return false, err
		}
		n, err := r.RowsAffected()
		if err == nil && n != 1 {
			err = ErrNotFound
		}
		tx.noteChange("approval", id)
		return err == nil, err
	}
	err := as.db.mutate(ctx, spend)
	if errors.Is(err, ErrReplica) {
		err = as.db.transact(ctx, func(tx *Tx) error {
			_, err := spend(tx)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("spend approval %s: %w", id, err)
	}
	return nil
}

// Trim removes requests and consents that expired before an instant, in any status, and returns their number. The audit
// chain still records them. The configuration version does not advance, because an expired consent has no effect.
func (as Approvals) Trim(ctx context.Context, before time.Time) (removed int64, err error) {
	return as.db.execCount(ctx, "remove approvals", "DELETE FROM approval WHERE expires_at < ?", convertToMicros(before))
}
