package admin

import (
	"context"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/policies"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

// Activation is a policy in its new state, with conflicts.
type Activation struct {
	Policy
	Warnings []string          `json:"warnings" nullable:"false" doc:"Conflicts between the active policies, as CODE: text."`
	Issues   []policydoc.Issue `json:"issues,omitempty" nullable:"false" doc:"The same conflicts in structured form."`
}

// Promotion is the result of promoting a shadow policy.
type Promotion struct {
	ID       string            `json:"id"`
	Name     string            `json:"name"`
	Status   string            `json:"status" enum:"ACTIVE"`
	Version  int64             `json:"version"`
	Warnings []string          `json:"warnings" nullable:"false"`
	Issues   []policydoc.Issue `json:"issues,omitempty" nullable:"false"`
}

// SetStatus changes the state of a policy.
func (s Policies) SetStatus(ctx context.Context, who *auth.Actor, id, status string, m Match) (Activation, error) {
	var was changedRecord
	if _, err := s.find(ctx, who, auth.PoliciesWrite, id); err != nil {
		return Activation{}, err
	}
	a, err := s.svc.PolicyService.WithCheck(was.matchPolicy(m)).SetStatus(ctx, id, status)
	if err != nil {
		return Activation{}, err
	}
	now := viewPolicy(a.Policy)
	err = s.svc.publishChange(ctx, who, "status", "policy", id, a.Policy.Tenant, was.view, now)
	return Activation{now, a.Warnings(), a.Issues}, err
}

// Promote activates a shadow policy.
func (s Policies) Promote(ctx context.Context, who *auth.Actor, id string, m Match) (Promotion, error) {
	var was changedRecord
	if _, err := s.find(ctx, who, auth.PoliciesWrite, id); err != nil {
		return Promotion{}, err
	}
	a, err := s.svc.PolicyService.WithCheck(was.matchPolicy(m)).Promote(ctx, id)
	if err != nil {
		return Promotion{}, err
	}
	p := a.Policy
	promotion := Promotion{p.ID, p.Name, p.Status, p.Version, a.Warnings(), a.Issues}
	return promotion, s.svc.publishChange(ctx, who, "promote", "policy", id, p.Tenant, was.view, viewPolicy(p))
}

// DryRun is a policy to evaluate without storing it.
type DryRun struct {
	DSL      string         `json:"dsl" maxLength:"1000000" doc:"The rules in YAML." example:"rules: [{id: no-previews, conditions: {model.denylist: [\"*-preview\"]}, action: DENY}]"`
	TenantID string         `json:"tenant_id,omitempty" maxLength:"128"`
	Model    string         `json:"model,omitempty" maxLength:"256"`
	Context  map[string]any `json:"context,omitempty" doc:"Further inputs. Omitted inputs are unknown."`
	Cases    []any          `json:"cases,omitempty" nullable:"false" maxItems:"1000" doc:"Test cases, each with a context and the expected decision."`
}

// DryRun evaluates a text without storing it.
func (s Policies) DryRun(ctx context.Context, who *auth.Actor, d DryRun) (policydoc.Result, error) {
	tenant, err := s.svc.authorize(ctx, who, auth.PoliciesDryRun, d.TenantID)
	if err != nil {
		return policydoc.Result{}, err
	}
	r, err := s.svc.PolicyService.DryRun(ctx, policydoc.DryRun{DSL: d.DSL, Tenant: tenant, Model: d.Model, Context: d.Context, Cases: d.Cases})
	if err != nil {
		return policydoc.Result{}, err
	}
	return *r, nil
}

// CountShadowDecisions counts the shadow decisions of a policy in a period: 1h, 24h or 7d. Actors of a tenant see only
// the decisions about the tenant's own traffic.
func (s Policies) CountShadowDecisions(ctx context.Context, who *auth.Actor, id, period string) (policies.Stats, error) {
	if _, err := s.find(ctx, who, auth.PoliciesShadow, id); err != nil {
		return policies.Stats{}, err
	}
	st, err := s.svc.PolicyService.CountShadowDecisions(ctx, id, who.Tenant, period, s.svc.Now())
	if err != nil {
		return policies.Stats{}, err
	}
	return *st, nil
}

// ShadowEvent is one evaluation of a shadow policy.
type ShadowEvent struct {
	ID string `json:"id" example:"17"`
	policydoc.ShadowEvent
}

// ListShadowEvents lists the newest evaluations of a shadow policy that diverged, or those that did not. Actors of a tenant
// see only those of the tenant's traffic.
func (s Policies) ListShadowEvents(ctx context.Context, who *auth.Actor, id string, diverged bool, limit int) (List[ShadowEvent], error) {
	if _, err := s.find(ctx, who, auth.PoliciesShadow, id); err != nil {
		return List[ShadowEvent]{}, err
	}
	stored, err := s.svc.PolicyService.ListShadowEvents(ctx, id, who.Tenant, diverged, limit)
	if err != nil {
		return List[ShadowEvent]{}, err
	}
	list := make([]ShadowEvent, len(stored))
	for i, e := range stored {
		list[i] = ShadowEvent{formatInt(e.ID), e.ShadowEvent}
	}
	return newList(list, Page{}, func(e ShadowEvent) string { return e.ID })
}
