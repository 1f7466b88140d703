package admin

import (
	"context"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

// ConfigPolicy is a policy with its state, which the API changes by separate requests.
// Its own type: a document holds the state beside the fields, and a change does not.
type ConfigPolicy struct {
	ID          string  `json:"id,omitempty"`
	Name        *string `json:"name,omitempty" minLength:"1" maxLength:"128"`
	TenantID    *string `json:"tenant_id,omitempty" maxLength:"128"`
	Description *string `json:"description,omitempty" maxLength:"4096"`
	DSL         *string `json:"dsl,omitempty" maxLength:"1000000"`
	Status      string  `json:"status,omitempty" enum:"DRAFT,ACTIVE,SHADOW,ARCHIVED"`

	source string
}

func (p *ConfigPolicy) buildChange() PolicyChange {
	return PolicyChange{Name: p.Name, TenantID: p.TenantID, Description: p.Description, DSL: p.DSL}
}

// configPolicies imports and exports policies together with their states.
type configPolicies struct{ policies Policies }

// List returns the policies of all tenants.
func (s configPolicies) List(ctx context.Context, who *auth.Actor) (List[ConfigPolicy], error) {
	l, err := s.policies.List(ctx, who, "", Page{})
	if err != nil {
		return List[ConfigPolicy]{}, err
	}
	return List[ConfigPolicy]{All: viewRecords(l.All, func(p *Policy) ConfigPolicy {
		return ConfigPolicy{
			ID:          p.ID,
			Name:        &p.Name,
			TenantID:    &p.TenantID,
			Description: &p.Description,
			DSL:         &p.DSL,
			Status:      p.Status,
			source:      p.Source,
		}
	})}, nil
}

// Create stores a policy and brings it into its state.
func (s configPolicies) Create(ctx context.Context, who *auth.Actor, c ConfigPolicy) (ConfigPolicy, error) {
	p, err := s.policies.Create(ctx, who, c.buildChange())
	if err != nil {
		return c, err
	}
	return c, s.setStatus(ctx, who, p, c.Status)
}

// Update stores a new version if the text changes, and brings the policy into its state.
func (s configPolicies) Update(ctx context.Context, who *auth.Actor, id string, c ConfigPolicy, m Match) (ConfigPolicy, error) {
	p, err := s.policies.Get(ctx, who, id)
	if err == nil && c.buildChange() != (PolicyChange{}) {
		p, err = s.policies.Update(ctx, who, id, c.buildChange(), m)
	}
	if err != nil {
		return c, err
	}
	return c, s.setStatus(ctx, who, p, c.Status)
}

// Delete removes a policy.
func (s configPolicies) Delete(ctx context.Context, who *auth.Actor, id string, m Match) error {
	return s.policies.Delete(ctx, who, id, m)
}

// setStatus changes the state of a policy if a document names another one.
func (s configPolicies) setStatus(ctx context.Context, who *auth.Actor, p Policy, status string) error {
	if status == "" || status == p.Status || status == policydoc.Draft && p.Status == "" {
		return nil
	}
	_, err := s.policies.SetStatus(ctx, who, p.ID, status, "")
	return err
}
