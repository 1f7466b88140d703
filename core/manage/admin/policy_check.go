package admin

import (
	"context"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/policies"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

// PolicyCheck is the text of a policy to check.
// Its own type: it stores nothing, and only the text comes from the body.
type PolicyCheck struct {
	ID       string // the id of the policy that it is for; "" for a new one
	Name     string
	TenantID string
	DSL      string `json:"dsl" maxLength:"1000000"`
	Alone    bool   // skip the search for conflicts, whose duration grows with the number of policies
}

// Check returns the errors in a text and the conflicts that it would cause if active. Actors who may only try policies do
// not see conflicts, which would reveal other policies.
func (s Policies) Check(ctx context.Context, who *auth.Actor, c PolicyCheck) (policies.CheckResult, error) {
	p := policydoc.Record{ID: c.ID, Name: c.Name, DSL: c.DSL}
	var err error
	if !who.Can(auth.PoliciesWrite) {
		if p.Tenant, err = s.svc.authorize(ctx, who, auth.PoliciesDryRun, c.TenantID); err != nil {
			return policies.CheckResult{}, err
		}
		return policies.CheckResult{Issues: s.svc.PolicyService.Language.Check(p)}, nil
	}
	if p.Tenant, err = s.svc.authorize(ctx, who, auth.PoliciesWrite, c.TenantID); err != nil {
		return policies.CheckResult{}, err
	}
	if c.Alone {
		return policies.CheckResult{Issues: s.svc.PolicyService.Language.Check(p)}, nil
	}
	return s.svc.PolicyService.CheckActivation(ctx, p)
}

// ListConflicts returns the conflicts between the active policies. It covers all of them and therefore needs the permission
// to write policies.
func (s Policies) ListConflicts(ctx context.Context, who *auth.Actor) ([]policydoc.Issue, error) {
	if _, err := s.svc.authorize(ctx, who, auth.PoliciesWrite, ""); err != nil {
		return nil, err
	}
	return s.svc.PolicyService.FindConflicts(ctx)
}
