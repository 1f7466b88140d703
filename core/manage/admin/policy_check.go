package admin

import (
	"context"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/policies"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

// PolicyCheck is a text to be checked as that of a policy.
type PolicyCheck struct {
	ID       string // of the policy that it would be the text of; "": of none yet
	Name     string
	TenantID string
	DSL      string `json:"dsl" maxLength:"1000000"`
	Alone    bool   // do not hold it against others, which takes longer the more there are
}

// Check tells what is wrong with a text, and what it would be at odds with if it were active. Who may only try
// policies is not told of others.
func (s Policies) Check(ctx context.Context, who *auth.Actor, c PolicyCheck) (policies.Checked, error) {
	p := policydoc.Record{ID: c.ID, Name: c.Name, DSL: c.DSL}
	var err error
	if !who.Can(auth.PoliciesWrite) {
		if p.Tenant, err = s.svc.allow(ctx, who, auth.PoliciesDryRun, c.TenantID); err != nil {
			return policies.Checked{}, err
		}
		return policies.Checked{Issues: s.svc.PolicyService.Language.Check(p)}, nil
	}
	if p.Tenant, err = s.svc.allow(ctx, who, auth.PoliciesWrite, c.TenantID); err != nil {
		return policies.Checked{}, err
	}
	if c.Alone {
		return policies.Checked{Issues: s.svc.PolicyService.Language.Check(p)}, nil
	}
	return s.svc.PolicyService.Try(ctx, p)
}

// ListConflicts tells what is at odds between the policies that are active: all of them, so that it needs the right to
// write them.
func (s Policies) ListConflicts(ctx context.Context, who *auth.Actor) ([]policydoc.Issue, error) {
	if _, err := s.svc.allow(ctx, who, auth.PoliciesWrite, ""); err != nil {
		return nil, err
	}
	return s.svc.PolicyService.Conflicts(ctx)
}
