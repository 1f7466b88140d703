package admin

import (
	"context"
	"encoding/json"

	"github.com/headgate-dev/headgate/core/auth"
)

// configGuardrails imports and exports guardrail plugins. Secrets are not exported; a document gives one to create a plugin, and
// may give one later.
type configGuardrails struct{ plugins GuardrailPlugins }

// configGuardrail is a guardrail plugin whose state is a field that can be sent.
type configGuardrail struct {
	GuardrailPlugin
	Enabled bool `json:"enabled"`
}

// configGuardrailChange are the fields of a change. A secret that is not the stored one is rotated.
// Its own type: requests of the API rotate a secret by an operation of its own, which a document cannot name.
type configGuardrailChange struct {
	GuardrailPluginChange
	Secret *string `json:"secret,omitempty"`
}

// List returns the plugins of all tenants.
func (s configGuardrails) List(ctx context.Context, who *auth.Actor) (List[configGuardrail], error) {
	l, err := s.plugins.List(ctx, who, "", Page{})
	if err != nil {
		return List[configGuardrail]{}, err
	}
	return List[configGuardrail]{
		All: viewRecords(l.All, func(p *GuardrailPlugin) configGuardrail { return configGuardrail{*p, p.Status == "Enabled"} }),
	}, nil
}

// Create adds a plugin.
func (s configGuardrails) Create(ctx context.Context, who *auth.Actor, n NewGuardrailPlugin) (configGuardrail, error) {
	p, err := s.plugins.Create(ctx, who, n)
	return configGuardrail{GuardrailPlugin: p}, err
}

// CheckNew refuses a plugin that cannot be created.
func (s configGuardrails) CheckNew(_ context.Context, id string, n NewGuardrailPlugin) error {
	_, err := s.plugins.build(id, n.TenantID, &n)
	return err
}

// CheckChange refuses a change that cannot be stored.
func (s configGuardrails) CheckChange(ctx context.Context, id string, c configGuardrailChange) error {
	p, err := s.plugins.svc.Store.GuardrailPlugins().Get(ctx, id)
	if err != nil {
		return mapNotFound(err, "guardrail plugin")
	}
	if err := s.plugins.apply(&p, &c.GuardrailPluginChange); err != nil || c.Secret == nil {
		return err
	}
	return checkSecret(*c.Secret)
}

// HasSealed reports whether a plugin has this secret.
func (s configGuardrails) HasSealed(ctx context.Context, id, field string, value json.RawMessage) (same, isSealed bool, err error) {
	if field != "secret" {
		return false, false, nil
	}
	p, err := s.plugins.svc.Store.GuardrailPlugins().Get(ctx, id)
	if err != nil {
		return false, true, mapNotFound(err, "guardrail plugin")
	}
	same, err = hasSecret(s.plugins.svc.PluginBox, id, p.Secret, value)
	return same, true, err
}

// Update changes the given fields, and rotates the secret if one is given.
func (s configGuardrails) Update(
	ctx context.Context, who *auth.Actor, id string, c configGuardrailChange, m Match,
) (out configGuardrail, err error) {
	if c.Secret != nil {
		if out.GuardrailPlugin, err = s.plugins.RotateSecret(ctx, who, id, Rotation{Secret: *c.Secret}, m); err != nil {
			return out, err
		}
	}
	if c.GuardrailPluginChange != (GuardrailPluginChange{}) {
		out.GuardrailPlugin, err = s.plugins.Update(ctx, who, id, c.GuardrailPluginChange, m)
	}
	return out, err
}

// Delete removes a plugin.
func (s configGuardrails) Delete(ctx context.Context, who *auth.Actor, id string, m Match) error {
	return s.plugins.Delete(ctx, who, id, m)
}
