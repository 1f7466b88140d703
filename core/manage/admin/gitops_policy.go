package admin

import (
	"context"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
)

// ConfigPolicy is a policy with its state, which other requests change apart.
type ConfigPolicy struct {
	ID          string  `json:"id,omitempty"`
	Name        *string `json:"name,omitempty" minLength:"1" maxLength:"128"`
	TenantID    *string `json:"tenant_id,omitempty" maxLength:"128"`
	Description *string `json:"description,omitempty" maxLength:"4096"`
	DSL         *string `json:"dsl,omitempty" maxLength:"1000000"`
	Status      string  `json:"status,omitempty" enum:"DRAFT,ACTIVE,SHADOW,ARCHIVED"`

	source string
}

func (p *ConfigPolicy) change() PolicyChange {
	return PolicyChange{Name: p.Name, TenantID: p.TenantID, Description: p.Description, DSL: p.DSL}
}

func (s *Service) configPolicies(ctx context.Context, who *auth.Actor) (List[ConfigPolicy], error) {
	l, err := s.ListPolicies(ctx, who, "", Page{})
	if err != nil {
		return List[ConfigPolicy]{}, err
	}
	return List[ConfigPolicy]{All: viewed(l.All, func(p *Policy) ConfigPolicy {
		return ConfigPolicy{ID: p.ID, Name: &p.Name, TenantID: &p.TenantID, Description: &p.Description, DSL: &p.DSL, Status: p.Status, source: p.Source}
	})}, nil
}

func (s *Service) createConfigPolicy(ctx context.Context, who *auth.Actor, c ConfigPolicy) (ConfigPolicy, error) {
	p, err := s.CreatePolicy(ctx, who, c.change())
	if err != nil {
		return c, err
	}
	return c, s.bring(ctx, who, p, c.Status)
}

func (s *Service) updateConfigPolicy(ctx context.Context, who *auth.Actor, id string, c ConfigPolicy, m Match) (ConfigPolicy, error) {
	p, err := s.Policy(ctx, who, id)
	if err == nil && c.change() != (PolicyChange{}) {
		p, err = s.UpdatePolicy(ctx, who, id, c.change(), m)
	}
	if err != nil {
		return c, err
	}
	return c, s.bring(ctx, who, p, c.Status)
}

// bring changes the state of a policy, where another one is wanted.
func (s *Service) bring(ctx context.Context, who *auth.Actor, p Policy, status string) error {
	if status == "" || status == p.Status || status == core.PolicyDraft && p.Status == "" {
		return nil
	}
	_, err := s.SetPolicyStatus(ctx, who, p.ID, status, "")
	return err
}
