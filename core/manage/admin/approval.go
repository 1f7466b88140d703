package admin

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
)

// What approvals are for.
const (
	ApprovalPolicy      = "policy"       // a rule that asks for consent
	ApprovalAuditExport = "audit_export" // an export of the audit chain
)

// Approval is a request for a second person's consent, and what became of it.
type Approval struct {
	ID        string         `json:"id"`
	Kind      string         `json:"kind" enum:"policy,audit_export"`
	TenantID  string         `json:"tenant_id,omitempty"`
	Status    string         `json:"status" enum:"PENDING,APPROVED,DENIED,EXPIRED"`
	Subject   map[string]any `json:"subject" doc:"What is asked for."`
	Reason    string         `json:"reason,omitempty" doc:"Of who asks."`
	Requester string         `json:"requester" doc:"Who asks: a person, or a gateway key's first id."`
	Asked     string         `json:"requester_name,omitempty" doc:"The name of who asks, where there is one."`
	Approver  string         `json:"approver,omitempty" doc:"Who decided; never who asks."`
	Decided   string         `json:"approver_name,omitempty" doc:"The name of who decided."`
	Note      string         `json:"note,omitempty" doc:"Of who decided."`
	CreatedAt time.Time      `json:"created_at"`
	DecidedAt *time.Time     `json:"decided_at,omitempty"`
	ExpiresAt time.Time      `json:"expires_at" doc:"End of the request, or of the consent once it is given."`
}

// Lives of requests and consents.
const (
	askedFor    = 7 * 24 * time.Hour
	consentFor  = 24 * time.Hour
	consentMost = 30 * 24 * time.Hour
)

// Asking makes a request for consent; its id and end are left to be set. How many wait at a time is bounded by scope.
func Asking(kind, tenant, scope, requester string, subject any) (store.Approval, error) {
	text, err := json.Marshal(subject)
	if err != nil {
		return store.Approval{}, err
	}
	return store.Approval{
		Kind: kind, TenantID: tenant, Scope: scope, Requester: requester, Subject: string(text),
		Digest: sha256.Sum256([]byte(kind + "\x00" + tenant + "\x00" + requester + "\x00" + string(text))),
	}, nil
}

// List lists requests in one state, or all with "".
func (s Approvals) List(ctx context.Context, who *auth.Actor, status string, page Page) (List[Approval], error) {
	if _, err := s.svc.allow(ctx, who, auth.Approve, ""); err != nil {
		return List[Approval]{}, err
	}
	after, err := page.cursor()
	return List[Approval]{
		Cursor: func(a Approval) string { return cursorOf(a.CreatedAt, a.ID) },
		All:    s.viewAll(ctx, s.svc.Store.Approvals().Each(ctx, "", status, after, page.Limit)),
	}, err
}

// Get is one request. Whoever asked may read it too.
func (s Approvals) Get(ctx context.Context, who *auth.Actor, id string) (Approval, error) {
	a, err := s.svc.Store.Approvals().Get(ctx, id)
	if err == nil && a.Requester == who.Person() {
		return s.svc.newPeople(ctx).nameApproval(s.view(&a)), nil
	}
	if err != nil {
		return Approval{}, mapNotFound(err, "approval")
	}
	if !who.Can(auth.Approve) || who.Tenant != "" {
		return Approval{}, notFound("approval") // that there is one is not theirs to know
	}
	return s.svc.newPeople(ctx).nameApproval(s.view(&a)), nil
}

// Decision is what a second person says.
type Decision struct {
	Reason string `json:"reason,omitempty" maxLength:"1000" doc:"A note with the decision."`
	Hours  int    `json:"hours,omitempty" minimum:"1" maximum:"720" doc:"How long the consent lasts. 24 unless sent."`
}

// Decide approves a request, or denies it. Nobody decides about what they have asked for themselves.
func (s Approvals) Decide(ctx context.Context, who *auth.Actor, id string, approve bool, d Decision) (Approval, error) {
	if _, err := s.svc.allow(ctx, who, auth.Approve, ""); err != nil {
		return Approval{}, err
	}
	now := s.svc.Now()
	a, err := s.svc.Store.Approvals().Decide(ctx, id, func(a *store.Approval) error {
		switch v := s.view(a); {
		case v.Status != store.ApprovalPending:
			return conflict(CodeConflict, "the request is "+v.Status+"; only one that is PENDING can be decided about")
		case a.Requester == who.Person():
			return &core.Error{Kind: core.Forbidden, Code: "APPROVER_IS_REQUESTER", Public: "a second person has to decide about this: you have asked for it yourself"}
		}
		a.Status, a.Approver, a.DecidedAt = store.ApprovalDenied, who.ID, now
		a.Note = d.Reason
		if approve {
			a.Status, a.ExpiresAt = store.ApprovalApproved, now.Add(consentFor)
			if d.Hours > 0 {
				a.ExpiresAt = now.Add(min(time.Duration(d.Hours)*time.Hour, consentMost))
			}
		}
		return nil
	})
	if err != nil {
		return Approval{}, mapNotFound(err, "approval")
	}
	action := "deny"
	if approve {
		action = "approve"
	}
	return s.svc.newPeople(ctx).nameApproval(s.view(&a)), s.svc.publishChange(ctx, who, action, "approval", id, a.TenantID)
}

func (s Approvals) view(a *store.Approval) Approval {
	v := Approval{
		ID: a.ID, Kind: a.Kind, TenantID: a.TenantID, Status: a.Status, Reason: a.Reason, Requester: a.Requester, Approver: a.Approver,
		Note: a.Note, CreatedAt: a.CreatedAt, DecidedAt: nilIfZero(a.DecidedAt), ExpiresAt: a.ExpiresAt, Subject: map[string]any{},
	}
	if a.Status != store.ApprovalDenied && !s.svc.Now().Before(a.ExpiresAt) {
		v.Status = "EXPIRED"
	}
	_ = json.Unmarshal([]byte(a.Subject), &v.Subject) // it was made by this package
	return v
}
