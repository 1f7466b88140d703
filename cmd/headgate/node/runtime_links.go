package node

import (
	"cmp"
	"context"
	"errors"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/dialect"
	"github.com/headgate-dev/headgate/plugins"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/stages"
	"github.com/headgate-dev/headgate/wasm"
)

// buildModuleStage builds the stage of a link that names a module.
func buildModuleStage(ctx context.Context, dir *folder, l *config.Link, with stages.Host) (plugins.Plugin, error) {
	st, err := dir.OpenStage(ctx, l.Wasm, l.Config, convertLimits(l), buildModuleDeps(l, l.Name, &with))
	if err != nil || !st.Version().Manifest.IsStage() {
		return st, err
	}
	s, err := wasm.ReadSettings(l.Config)
	if err == nil {
		err = s.CheckStage()
	}
	if err != nil {
		return nil, errors.Join(err, st.Close(ctx))
	}
	return st, nil
}

// convertLimits returns the limits of a module. By default instances are reset before they serve another tenant, which
// is free with a single tenant.
func convertLimits(l *config.Link) wasm.Limits {
	isolate := wasm.IsolateTenant
	if l.Isolate != "" {
		isolate, _ = wasm.ParseIsolation(string(l.Isolate)) // validated when the configuration was loaded
	}
	return wasm.Limits{
		Memory: int64(l.Limits.Memory), Instances: l.Limits.Instances, Streams: l.Limits.Streams, Fuel: l.Limits.Fuel,
		Timeout: l.Timeout, Isolate: isolate,
	}
}

// makeModuleLink builds the link of a module. Detectors always redact the lines of batch files.
func makeModuleLink(l *config.Link, name string, st plugins.Plugin) chain.Link {
	m := &st.Version().Manifest
	with := *l
	with.Role = cmp.Or(l.Role, config.LinkRole(m.Role)) // modules that no link names have the role of their manifest
	link := newGuardLink(&with, name, st, m.PhaseSet())
	link.Redacts = link.Redacts || !m.IsStage()
	return link
}

// buildModuleDeps returns the services and the view of a module.
func buildModuleDeps(l *config.Link, name string, with *stages.Host) plugins.Deps {
	return plugins.Deps{
		Name: name, State: with.State, Answer: dialect.BuildAnswer, Shadow: l.Mode == config.Shadow, Grant: convertGrant(l),
		Services: with.Offers, Phases: convertPhases(l),
	}
}

// convertGrant returns what a link grants its plugin.
func convertGrant(l *config.Link) foreign.Grant {
	return foreign.Grant{
		Fields: convertWords(l.Grant.Fields), Text: convertWords(l.Grant.Text), Capabilities: convertWords(l.Grant.Capabilities),
		Scopes: l.Grant.Scopes, Upstreams: l.Grant.Upstreams,
	}
}

// convertWords preserves nil: an unset list differs from an empty one.
func convertWords[T ~string](list []T) (out []string) {
	if list == nil {
		return nil
	}
	out = make([]string, len(list))
	for i := range list {
		out[i] = string(list[i])
	}
	return out
}

// newGuardLink builds the link of a stage that judges content.
func newGuardLink(l *config.Link, name string, st core.Stage, own core.Phases) chain.Link {
	link := newLink(l, name, st, own)
	link.Guards = l.Role == "" || l.Role == config.RolePolicy || l.Role == config.RoleGuardrail
	link.Personal = l.IsPII()
	link.Redacts, link.Counts = link.Personal, l.Role == config.RoleBudget
	return link
}

// newLink builds the link of a stage.
func newLink(l *config.Link, name string, st core.Stage, own core.Phases) chain.Link {
	link := chain.Link{
		Name: name, Stage: st, Phases: own, Mode: chain.Enforce, OnFault: chain.FaultBlocks, Timeout: l.Timeout,
		Refusal: l.Reject,
		For:     chain.Filter{Tenants: l.For.Tenants, Keys: l.For.Keys, Models: l.For.Models, Dialects: l.For.Dialects},
	}
	if l.Mode == config.Shadow {
		link.Mode = chain.Shadow
	}
	if l.OnFault == config.FaultPass {
		link.OnFault = chain.FaultPasses
	}
	if len(l.Phases) > 0 {
		link.Phases = convertPhases(l)
	}
	return link
}

// convertPhases returns the phases that a link writes, or 0 if it writes none.
func convertPhases(l *config.Link) (set core.Phases) {
	for _, p := range l.Phases {
		set |= core.NewPhaseSet(map[config.Phase]core.Phase{
			config.PhaseRequest: core.Request, config.PhaseTarget: core.Target, config.PhaseResponse: core.Response,
		}[p])
	}
	return set
}
