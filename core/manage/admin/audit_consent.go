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

// CodeApprovalRequired is the refusal of an export that nobody has consented to, or no longer.
const CodeApprovalRequired = "APPROVAL_REQUIRED"

// ExportRequest asks for consent to an export of the audit chain.
type ExportRequest struct {
	Format    string `json:"format,omitempty" enum:"csv,json" doc:"csv unless sent."`
	TenantID  string `json:"tenant_id,omitempty" maxLength:"128"`
	EventType string `json:"event_type,omitempty" maxLength:"64"`
	From      string `json:"from,omitempty" maxLength:"64" doc:"ISO 8601: a date, or a time with its zone."`
	To        string `json:"to,omitempty" maxLength:"64" doc:"The end, which is not included; never behind the moment of the consent."`
	Reason    string `json:"reason,omitempty" maxLength:"1000"`
}

// exportSubject is what is consented to. Its digest, with that of who asks, is that of the approval.
type exportSubject struct {
	Format string `json:"format"`
	Tenant string `json:"tenant_id"`
	Type   string `json:"event_type"`
	From   string `json:"from"`
	To     string `json:"to"`
}

func (e *exportSubject) approval(who *auth.Actor) (store.Approval, error) {
	return Asking(ApprovalAuditExport, e.Tenant, "", who.Person(), e)
}

// RequestExport asks for consent to an export. What is asked for already is not asked again.
func (s AuditLog) RequestExport(ctx context.Context, who *auth.Actor, r ExportRequest) (Approval, error) {
	switch r.Format {
	case "":
		r.Format = "csv"
	case "csv", "json":
	default:
		return Approval{}, invalidValue("format", "write csv or json")
	}
	f, err := s.filter(ctx, who, AuditQuery{Tenant: r.TenantID, Type: r.EventType, From: r.From, To: r.To})
	if err != nil {
		return Approval{}, err
	}
	if !f.From.IsZero() && !f.To.IsZero() && !f.From.Before(f.To) {
		return Approval{}, invalidValue("to", "write a time after from")
	}
	subject := exportSubject{Format: r.Format, Tenant: f.Tenant, Type: f.Type, From: formatTime(f.From), To: formatTime(f.To)}
	a, err := subject.approval(who)
	if err != nil {
		return Approval{}, err
	}
	a.ID, a.Reason, a.ExpiresAt = s.svc.NewID(), r.Reason, s.svc.Now().Add(askedFor)
	kept, err := s.svc.Store.Approvals().Ask(ctx, a)
	if errors.Is(err, store.ErrQueueFull) {
		return Approval{}, conflict(CodeConflict, "too many requests for exports wait already; have some of them decided about first")
	}
	if err != nil {
		return Approval{}, err
	}
	if kept.ID != a.ID {
		return s.svc.Approvals().view(&kept), nil
	}
	return s.svc.Approvals().view(&kept), s.svc.publishChange(ctx, who, created, "approval", kept.ID, kept.TenantID)
}

// ownExports is how many of one's own requests are listed.
const ownExports = 100

// ListExports are the exports that the actor has asked for, and what became of the requests: the newest first, and no
// more than 100.
func (s AuditLog) ListExports(ctx context.Context, who *auth.Actor) ([]Approval, error) {
	if _, err := s.svc.allow(ctx, who, auth.AuditRead, ""); err != nil {
		return nil, err
	}
	list, err := s.svc.Store.Approvals().ListByRequester(ctx, ApprovalAuditExport, who.Person(), ownExports)
	if err != nil {
		return nil, err
	}
	out, p := make([]Approval, len(list)), s.svc.newPeople(ctx)
	for i := range list {
		out[i] = p.nameApproval(s.svc.Approvals().view(&list[i]))
	}
	return out, nil
}

// DownloadExport answers the export that the actor has asked for in a request, once a second person has consented to it
// and until the consent ends. It holds what was asked for, up to the moment of the consent: what happened later nobody
// has consented to. Each call is told to the audit chain; nobody else's request is there.
func (s AuditLog) DownloadExport(ctx context.Context, who *auth.Actor, id string) (ExportFile, error) {
	a, err := s.svc.Store.Approvals().Get(ctx, id)
	if err != nil {
		return ExportFile{}, mapNotFound(err, "approval")
	}
	if a.Kind != ApprovalAuditExport || a.Requester != who.Person() {
		return ExportFile{}, notFound("approval")
	}
	switch s.svc.Approvals().view(&a).Status {
	case store.ApprovalApproved:
		return s.exportOf(ctx, who, &a)
	case store.ApprovalPending:
		return ExportFile{}, refuseExport("the export waits for the consent of a second person")
	case store.ApprovalDenied:
		return ExportFile{}, refuseExport("a second person has refused the export")
	}
	return ExportFile{}, refuseExport("the time for this export is over; ask for consent again")
}

// ExportApproved is ApprovedExport for what the actor asks for by its words: a consent that holds for just these.
func (s AuditLog) ExportApproved(ctx context.Context, who *auth.Actor, q AuditQuery, csv bool) (ExportFile, error) {
	f, err := s.filter(ctx, who, q)
	if err != nil {
		return ExportFile{}, err
	}
	return s.openApproved(ctx, who, exportSubject{Format: exportFormat(csv), Tenant: f.Tenant, Type: f.Type, From: formatTime(f.From), To: formatTime(f.To)})
}

// openApproved is ConsentedExport for what was read.
func (s AuditLog) openApproved(ctx context.Context, who *auth.Actor, subject exportSubject) (ExportFile, error) {
	asked, err := subject.approval(who)
	if err != nil {
		return ExportFile{}, err
	}
	a, err := s.svc.Store.Approvals().FindConsent(ctx, asked.Digest, s.svc.Now())
	if errors.Is(err, store.ErrNotFound) {
		return ExportFile{}, refuseExport("this installation exports audit events with the consent of a second person: ask for it with POST /admin/v1/approvals, with the same format and filters, and come back when it is given")
	}
	if err != nil {
		return ExportFile{}, err
	}
	return s.exportOf(ctx, who, &a)
}

// exportOf is the export of an approval that holds.
func (s AuditLog) exportOf(ctx context.Context, who *auth.Actor, a *store.Approval) (ExportFile, error) {
	var e exportSubject
	if err := json.Unmarshal([]byte(a.Subject), &e); err != nil {
		return ExportFile{}, fmt.Errorf("read what was consented to: %w", err)
	}
	f, err := s.filter(ctx, who, AuditQuery{Tenant: e.Tenant, Type: e.Type, From: e.From, To: e.To})
	if err != nil {
		return ExportFile{}, err
	}
	if f.To.IsZero() || f.To.After(a.DecidedAt) {
		f.To = a.DecidedAt.Add(time.Microsecond) // the end is not included
	}
	if err := s.svc.writeAction(ctx, who, "export", "approval", a.ID, f.Tenant); err != nil {
		return ExportFile{}, err
	}
	return s.exportFile(e.Format, f), nil
}

func refuseExport(text string) error {
	return &core.Error{Kind: core.Forbidden, Code: CodeApprovalRequired, Public: text}
}
