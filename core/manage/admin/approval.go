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

// The kinds of approvals.
const (
	ApprovalPolicy      = "policy"       // a rule that requires consent
	ApprovalAuditExport = "audit_export" // an export of the audit chain
	ApprovalToolCall    = "tool_call"    // one exact call of an agent's tool
)

// Approval is a request for the consent of a second person, with its decision.
type Approval struct {
	ID        string         `json:"id"`
	Kind      string         `json:"kind" enum:"policy,audit_export,tool_call"`
	TenantID  string         `json:"tenant_id,omitempty"`
	Status    string         `json:"status" enum:"PENDING,APPROVED,DENIED,EXPIRED"`
	Subject   map[string]any `json:"subject" doc:"What is to be approved; its members depend on kind."`
	Reason    string         `json:"reason,omitempty" doc:"Why the requester asks."`
	Requester string         `json:"requester" doc:"The requester: a person, or the first id of a gateway key."`
	Asked     string         `json:"requester_name,omitempty" doc:"The name of the requester, if known."`
	Approver  string         `json:"approver,omitempty" doc:"The person who decided, never the requester."`
	Decided   string         `json:"approver_name,omitempty" doc:"The name of the person who decided."`
	Note      string         `json:"note,omitempty" doc:"The note of the person who decided."`
	CreatedAt time.Time      `json:"created_at"`
	DecidedAt *time.Time     `json:"decided_at,omitempty"`
	ExpiresAt time.Time      `json:"expires_at" doc:"When the request expires, or the consent once it is given."`
}

// How long requests and consents are valid.
const (
	askedFor    = 7 * 24 * time.Hour
	consentFor  = 24 * time.Hour
	consentMost = 30 * 24 * time.Hour
)

// NewRequest returns a new request for consent. The caller sets its id and its end. scope limits how many requests are pending
// at a time.
func NewRequest(kind, tenant, scope, requester string, subject any) (store.Approval, error) {
	text, err := json.Marshal(subject)
	if err != nil {
		return store.Approval{}, err
	}
	return store.Approval{
		Kind: kind, TenantID: tenant, Scope: scope, Requester: requester, Subject: string(text),
		Digest: sha256.Sum256([]byte(kind + "\x00" + tenant + "\x00" + requester + "\x00" + string(text))),
	}, nil
}

// List lists the requests in one state, or all requests if status is "".
func (s Approvals) List(ctx context.Context, who *auth.Actor, status string, page Page) (List[Approval], error) {
	if _, err := s.svc.authorize(ctx, who, auth.Approve, ""); err != nil {
		return List[Approval]{}, err
	}
	after, err := page.parseCursor()
	return List[Approval]{
		Cursor: func(a Approval) string { return formatCursor(a.CreatedAt, a.ID) },
		All:    s.viewAll(ctx, s.svc.Store.Approvals().Iterate(ctx, "", status, after, page.Limit)),
	}, err
}

// Get returns a request. The requester can read it too.
func (s Approvals) Get(ctx context.Context, who *auth.Actor, id string) (Approval, error) {
	a, err := s.svc.Store.Approvals().Get(ctx, id)
	if err == nil && a.Requester == who.Person() {
		return s.svc.newPeople(ctx).nameApproval(s.viewApproval(&a)), nil
	}
	if err != nil {
		return Approval{}, mapNotFound(err, "approval")
	}
	if !who.Can(auth.Approve) || who.Tenant != "" {
		return Approval{}, newNotFoundError("approval") // do not reveal that the request exists
	}
	return s.svc.newPeople(ctx).nameApproval(s.viewApproval(&a)), nil
}

// Decision is the decision of a second person.
type Decision struct {
	Reason string `json:"reason,omitempty" maxLength:"1000" doc:"A note with the decision."`
	Hours  int    `json:"hours,omitempty" minimum:"1" maximum:"720" doc:"How many hours the consent is valid. Default: 24."`
}

// Decide approves or denies a request. Requesters cannot decide about their own requests.
func (s Approvals) Decide(ctx context.Context, who *auth.Actor, id string, approve bool, d Decision) (Approval, error) {
	if _, err := s.svc.authorize(ctx, who, auth.Approve, ""); err != nil {
		return Approval{}, err
	}
	now := s.svc.Now()
	a, err := s.svc.Store.Approvals().Decide(ctx, id, func(a *store.Approval) error {
		switch v := s.viewApproval(a); {
		case v.Status != store.ApprovalPending:
			return newConflictError(CodeConflict, "the request is "+v.Status+"; only a PENDING request can be decided")
		case a.Requester == who.Person():
			return &core.Error{
				Kind:   core.Forbidden,
				Code:   "APPROVER_IS_REQUESTER",
				Public: "a second person must decide about this request, because you created it",
			}
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
	return s.svc.newPeople(ctx).nameApproval(s.viewApproval(&a)), s.svc.publishChange(ctx, who, action, "approval", id, a.TenantID, nil, nil)
}

func (s Approvals) viewApproval(a *store.Approval) Approval {
	v := Approval{
		ID: a.ID, Kind: a.Kind, TenantID: a.TenantID, Status: a.Status, Reason: a.Reason, Requester: a.Requester, Approver: a.Approver,
		Note: a.Note, CreatedAt: a.CreatedAt, DecidedAt: nilIfZero(a.DecidedAt), ExpiresAt: a.ExpiresAt, Subject: map[string]any{},
	}
	if a.Status != store.ApprovalDenied && !s.svc.Now().Before(a.ExpiresAt) {
		v.Status = "EXPIRED"
	}
	_ = json.Unmarshal([]byte(a.Subject), &v.Subject) // cannot fail: this package marshalled it
	return v
}
