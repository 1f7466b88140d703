package admin

import (
	"context"

	"github.com/headgate-dev/headgate/core/auth"
)

// configGuardrails imports and exports guardrail plugins. Secrets are not exported; a document gives one to create a plugin.
type configGuardrails struct{ plugins GuardrailPlugins }

// configGuardrail is a guardrail plugin whose state is a field that can be sent.
type configGuardrail struct {
	GuardrailPlugin
	Enabled bool `json:"enabled"`
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

func (s configGuardrails) Create(ctx context.Context, who *auth.Actor, n NewGuardrailPlugin) (configGuardrail, error) {
	p, err := s.plugins.Create(ctx, who, n)
	return configGuardrail{GuardrailPlugin: p}, err
}

func (s configGuardrails) Update(
	ctx context.Context,
	who *auth.Actor,
	id string,
	c GuardrailPluginChange,
	m Match,
) (configGuardrail, error) {
	p, err := s.plugins.Update(ctx, who, id, c, m)
	return configGuardrail{GuardrailPlugin: p}, err
}

func (s configGuardrails) Delete(ctx context.Context, who *auth.Actor, id string, m Match) error {
	return s.plugins.Delete(ctx, who, id, m)
}
