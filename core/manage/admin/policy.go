package admin

import (
	"context"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/policies"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Policy is a set of rules.
type Policy struct {
	ID          string     `json:"id"`
	TenantID    string     `json:"tenant_id,omitempty" doc:"Omitted: a record of the platform, for all tenants."`
	Name        string     `json:"name"`
	Description string     `json:"description"`
	DSL         string     `json:"dsl" doc:"The rules in YAML."`
	Status      string     `json:"status" enum:"DRAFT,ACTIVE,SHADOW,ARCHIVED"`
	Version     int64      `json:"version"`
	Source      string     `json:"source" enum:"api,file,cli"`
	CreatedAt   *time.Time `json:"created_at,omitempty"`
	UpdatedAt   *time.Time `json:"updated_at,omitempty"`
}

// PolicyVersion is an earlier version of a policy.
// Its own type: a version has no state, tenant or source.
type PolicyVersion struct {
	PolicyID    string     `json:"policy_id"`
	Version     int64      `json:"version"`
	Name        string     `json:"name"`
	Description string     `json:"description"`
	DSL         string     `json:"dsl"`
	CreatedAt   *time.Time `json:"created_at,omitempty"`
}

// PolicyChange contains the fields that a request sends. A nil field keeps its value, or is empty in a new policy.
type PolicyChange struct {
	Name        *string `json:"name,omitempty" minLength:"1" maxLength:"128"`
	TenantID    *string `json:"tenant_id,omitempty" maxLength:"128" nullable:"true"`
	Description *string `json:"description,omitempty" maxLength:"4096"`
	DSL         *string `json:"dsl,omitempty" maxLength:"1000000" doc:"The rules in YAML." example:"rules: [{id: no-previews, conditions: {model.denylist: [\"*-preview\"]}, action: DENY}]"`
}

func (c *PolicyChange) fields() policies.Fields {
	return policies.Fields{Name: c.Name, Tenant: c.TenantID, Description: c.Description, DSL: c.DSL}
}

// Create stores a policy as a draft.
func (s Policies) Create(ctx context.Context, who *auth.Actor, c PolicyChange) (Policy, error) {
	if err := s.authorize(ctx, who, &c, true); err != nil {
		return Policy{}, err
	}
	switch {
	case c.Name == nil:
		return Policy{}, newMissingFieldError("name")
	case c.DSL == nil:
		return Policy{}, newMissingFieldError("dsl")
	}
	if err := s.svc.checkTenant(ctx, c.TenantID); err != nil {
		return Policy{}, err
	}
	p, err := s.svc.PolicyService.Create(ctx, c.fields(), store.SourceAPI)
	if err != nil {
		return Policy{}, err
	}
	return viewPolicy(p), s.svc.publishChange(ctx, who, created, "policy", p.ID, p.Tenant, nil, viewPolicy(p))
}

// authorize checks the permission to write a policy of the tenant in a change. With narrow, the tenant defaults to that
// of the actor.
func (s Policies) authorize(ctx context.Context, who *auth.Actor, c *PolicyChange, narrow bool) error {
	named := ""
	if c.TenantID != nil {
		named = *c.TenantID
	}
	reach, err := s.svc.authorize(ctx, who, auth.PoliciesWrite, named)
	if err == nil && narrow && reach != "" {
		c.TenantID = &reach
	}
	return err
}

// checkTenant refuses an unknown tenant.
func (s *Service) checkTenant(ctx context.Context, id *string) error {
	if id == nil || *id == "" {
		return nil
	}
	if _, err := s.Store.Tenants().Get(ctx, *id); err != nil {
		return mapNotFound(err, "tenant")
	}
	return nil
}

// List lists the policies of one tenant, or all that the actor may see.
func (s Policies) List(ctx context.Context, who *auth.Actor, tenant string, page Page) (List[Policy], error) {
	reach, err := s.svc.authorize(ctx, who, auth.PoliciesRead, tenant)
	if err != nil {
		return List[Policy]{}, err
	}
	all, err := s.svc.PolicyService.List(ctx, reach)
	if err != nil {
		return List[Policy]{}, err
	}
	out := make([]Policy, len(all))
	for i := range all {
		out[i] = viewPolicy(all[i])
	}
	return newList(out, page, func(p Policy) string { return p.ID })
}

// Get returns a policy.
func (s Policies) Get(ctx context.Context, who *auth.Actor, id string) (Policy, error) {
	p, err := s.find(ctx, who, auth.PoliciesRead, id)
	return viewPolicy(p), err
}

// find returns a policy that the actor may see.
func (s Policies) find(ctx context.Context, who *auth.Actor, may auth.Permission, id string) (policydoc.Record, error) {
	if _, err := s.svc.authorize(ctx, who, may, ""); err != nil {
		return policydoc.Record{}, err
	}
	p, err := s.svc.PolicyService.Get(ctx, id)
	if err != nil {
		return p, err
	}
	_, err = s.svc.authorize(ctx, who, may, p.Tenant)
	return p, err
}

// Update changes the given fields as a new version. The state stays.
func (s Policies) Update(ctx context.Context, who *auth.Actor, id string, c PolicyChange, m Match) (Policy, error) {
	var was changedRecord
	if _, err := s.find(ctx, who, auth.PoliciesWrite, id); err != nil {
		return Policy{}, err
	}
	if err := s.authorize(ctx, who, &c, c.TenantID != nil); err != nil {
		return Policy{}, err
	}
	if err := s.svc.checkTenant(ctx, c.TenantID); err != nil {
		return Policy{}, err
	}
	p, err := s.svc.PolicyService.WithCheck(was.matchPolicy(m)).Update(ctx, id, c.fields())
	if err != nil {
		return Policy{}, err
	}
	return viewPolicy(p), s.svc.publishChange(ctx, who, updated, "policy", id, p.Tenant, was.view, viewPolicy(p))
}

// Delete removes a policy with its versions and shadow results.
func (s Policies) Delete(ctx context.Context, who *auth.Actor, id string, m Match) error {
	var was changedRecord
	p, err := s.find(ctx, who, auth.PoliciesWrite, id)
	if err != nil {
		return err
	}
	if err := s.svc.PolicyService.WithCheck(was.matchPolicy(m)).Delete(ctx, id); err != nil {
		return err
	}
	return s.svc.publishChange(ctx, who, deleted, "policy", id, p.Tenant, was.view, nil)
}

// ListVersions lists the versions of a policy, newest first.
func (s Policies) ListVersions(ctx context.Context, who *auth.Actor, id string, page Page) (List[PolicyVersion], error) {
	if _, err := s.find(ctx, who, auth.PoliciesRead, id); err != nil {
		return List[PolicyVersion]{}, err
	}
	list, err := s.svc.PolicyService.ListVersions(ctx, id)
	if err != nil {
		return List[PolicyVersion]{}, err
	}
	out := make([]PolicyVersion, len(list))
	for i, p := range list {
		out[i] = PolicyVersion{
			PolicyID:    id,
			Version:     p.Version,
			Name:        p.Name,
			Description: p.Description,
			DSL:         p.DSL,
			CreatedAt:   nilIfZero(p.Updated),
		}
	}
	return newList(out, page, func(v PolicyVersion) string { return formatInt(v.Version) })
}

// Rollback restores an earlier version as a new version. The state stays.
func (s Policies) Rollback(ctx context.Context, who *auth.Actor, id string, version int64, m Match) (Policy, error) {
	var was changedRecord
	if _, err := s.find(ctx, who, auth.PoliciesWrite, id); err != nil {
		return Policy{}, err
	}
	p, err := s.svc.PolicyService.WithCheck(was.matchPolicy(m)).Rollback(ctx, id, version)
	if err != nil {
		return Policy{}, err
	}
	return viewPolicy(p), s.svc.publishChange(ctx, who, "rollback", "policy", id, p.Tenant, was.view, viewPolicy(p))
}

func viewPolicy(p policydoc.Record) Policy {
	return Policy{
		ID: p.ID, TenantID: p.Tenant, Name: p.Name, Description: p.Description, DSL: p.DSL, Status: p.Status, Version: p.Version,
		Source: describeSource(p.Source), CreatedAt: nilIfZero(p.Created), UpdatedAt: nilIfZero(p.Updated),
	}
}

// nilIfZero returns nil for the zero time.
func nilIfZero(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
