package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
)

// CodeApprovalRequired is the code of refusing an export without a valid consent.
const CodeApprovalRequired = "APPROVAL_REQUIRED"

// ExportRequest is a request for consent to an export of audit events.
type ExportRequest struct {
	Format    string `json:"format,omitempty" enum:"csv,json" doc:"csv by default."`
	TenantID  string `json:"tenant_id,omitempty" maxLength:"128"`
	EventType string `json:"event_type,omitempty" maxLength:"64" example:"BUDGET_EXCEEDED"`
	From      string `json:"from,omitempty" maxLength:"64" doc:"The start, inclusive: a date, or a time with its zone, in ISO 8601." example:"2026-01-01"`
	To        string `json:"to,omitempty" maxLength:"64" doc:"The end, exclusive. Events after the consent are never included." example:"2026-02-01"`
	Reason    string `json:"reason,omitempty" maxLength:"1000"`
}

// exportSubject is the subject of a consent. Its digest together with that of the requester identifies the approval.
type exportSubject struct {
	Format string `json:"format"`
	Tenant string `json:"tenant_id"`
	Type   string `json:"event_type"`
	From   string `json:"from"`
	To     string `json:"to"`
}

func (e *exportSubject) buildApproval(who *auth.Actor) (store.Approval, error) {
	return NewRequest(ApprovalAuditExport, e.Tenant, "", who.Person(), e)
}

// RequestExport creates a request for consent to an export. It returns the pending request if there is one already.
func (s AuditLog) RequestExport(ctx context.Context, who *auth.Actor, r ExportRequest) (Approval, error) {
	switch r.Format {
	case "":
		r.Format = "csv"
	case "csv", "json":
	default:
		return Approval{}, newInvalidValueError("format", "write csv or json")
	}
	f, err := s.buildFilter(ctx, who, AuditQuery{Tenant: r.TenantID, Type: r.EventType, From: r.From, To: r.To})
	if err != nil {
		return Approval{}, err
	}
	if !f.From.IsZero() && !f.To.IsZero() && !f.From.Before(f.To) {
		return Approval{}, newInvalidValueError("to", "write a time after from")
	}
	subject := exportSubject{Format: r.Format, Tenant: f.Tenant, Type: f.Type, From: formatTime(f.From), To: formatTime(f.To)}
	a, err := subject.buildApproval(who)
	if err != nil {
		return Approval{}, err
	}
	a.ID, a.Reason, a.ExpiresAt = s.svc.NewID(), r.Reason, s.svc.Now().Add(askedFor)
	kept, err := s.svc.Store.Approvals().AddRequest(ctx, a)
	if errors.Is(err, store.ErrQueueFull) {
		return Approval{}, newConflictError(CodeConflict, "too many requests for exports are pending; ask for decisions on them first")
	}
	if err != nil {
		return Approval{}, err
	}
	if kept.ID != a.ID {
		return s.svc.Approvals().viewApproval(&kept), nil
	}
	return s.svc.Approvals().viewApproval(&kept), s.svc.publishChange(ctx, who, created, "approval", kept.ID, kept.TenantID, nil, nil)
}

// ownExports is the maximum length of the list of the actor's own requests.
const ownExports = 100

// ListExports lists the actor's requests for exports with their decisions, newest first, at most 100.
func (s AuditLog) ListExports(ctx context.Context, who *auth.Actor) ([]Approval, error) {
	if _, err := s.svc.authorize(ctx, who, auth.AuditRead, ""); err != nil {
		return nil, err
	}
	list, err := s.svc.Store.Approvals().ListByRequester(ctx, ApprovalAuditExport, who.Person(), ownExports)
	if err != nil {
		return nil, err
	}
	out, p := make([]Approval, len(list)), s.svc.newPeople(ctx)
	for i := range list {
		out[i] = p.nameApproval(s.svc.Approvals().viewApproval(&list[i]))
	}
	return out, nil
}

// DownloadExport returns the export that the actor requested, from the consent of a second person until the consent expires.
// It contains events up to the moment of the consent: the second person has not agreed to later ones. Each call writes an
// audit event. Requests of other actors are not found.
func (s AuditLog) DownloadExport(ctx context.Context, who *auth.Actor, id string) (ExportFile, error) {
	a, err := s.svc.Store.Approvals().Get(ctx, id)
	if err != nil {
		return ExportFile{}, mapNotFound(err, "approval")
	}
	if a.Kind != ApprovalAuditExport || a.Requester != who.Person() {
		return ExportFile{}, newNotFoundError("approval")
	}
	switch s.svc.Approvals().viewApproval(&a).Status {
	case store.ApprovalApproved:
		return s.buildExport(ctx, who, &a)
	case store.ApprovalPending:
		return ExportFile{}, newExportRefusedError("the export is waiting for the consent of a second person")
	case store.ApprovalDenied:
		return ExportFile{}, newExportRefusedError("a second person denied the export")
	}
	return ExportFile{}, newExportRefusedError("the consent to this export has expired; request it again")
}

// DownloadApprovedExport is DownloadExport for a query: it looks for a consent to exactly this export.
func (s AuditLog) DownloadApprovedExport(ctx context.Context, who *auth.Actor, q AuditQuery, csv bool) (ExportFile, error) {
	f, err := s.buildFilter(ctx, who, q)
	if err != nil {
		return ExportFile{}, err
	}
	return s.openApprovedExport(
		ctx,
		who,
		exportSubject{Format: nameExportFormat(csv), Tenant: f.Tenant, Type: f.Type, From: formatTime(f.From), To: formatTime(f.To)},
	)
}

// openApprovedExport returns the export of a subject that has a valid consent.
func (s AuditLog) openApprovedExport(ctx context.Context, who *auth.Actor, subject exportSubject) (ExportFile, error) {
	asked, err := subject.buildApproval(who)
	if err != nil {
		return ExportFile{}, err
	}
	a, err := s.svc.Store.Approvals().FindConsent(ctx, asked.Digest, s.svc.Now())
	if errors.Is(err, store.ErrNotFound) {
		return ExportFile{}, newExportRefusedError(
			"exports of audit events need the consent of a second person: request it with POST /admin/v1/approvals, using the same format and filters, and repeat the export after the approval",
		)
	}
	if err != nil {
		return ExportFile{}, err
	}
	return s.buildExport(ctx, who, &a)
}

// buildExport returns the export of a valid approval.
func (s AuditLog) buildExport(ctx context.Context, who *auth.Actor, a *store.Approval) (ExportFile, error) {
	var e exportSubject
	if err := json.Unmarshal([]byte(a.Subject), &e); err != nil {
		return ExportFile{}, fmt.Errorf("read the subject of the approval: %w", err)
	}
	f, err := s.buildFilter(ctx, who, AuditQuery{Tenant: e.Tenant, Type: e.Type, From: e.From, To: e.To})
	if err != nil {
		return ExportFile{}, err
	}
	if f.To.IsZero() || f.To.After(a.DecidedAt) {
		f.To = a.DecidedAt.Add(time.Microsecond) // the end is not included
	}
	if err := s.svc.writeAction(ctx, who, "export", "approval", a.ID, f.Tenant); err != nil {
		return ExportFile{}, err
	}
	return s.newExportFile(e.Format, f), nil
}

func newExportRefusedError(text string) error {
	return &core.Error{Kind: core.Forbidden, Code: CodeApprovalRequired, Public: text}
}
