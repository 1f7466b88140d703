package node

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/dialect"
	"github.com/headgate-dev/headgate/plugins"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/plugins/webhook"
	"github.com/headgate-dev/headgate/stages"
	"github.com/headgate-dev/headgate/stages/budget"
	"github.com/headgate-dev/headgate/wasm"
)

// buildChain makes the links in the order of the configuration.
func buildChain(ctx context.Context, cfg *config.Config, dir *folder, with stages.Host, note func(webhook.Observed), absent func(file string) bool) (_ *chain.Chain, err error) {
	var links []chain.Link
	defer func() {
		if err != nil {
			for i := range links {
				if s, ok := links[i].Stage.(core.Closer); ok {
					err = errors.Join(err, s.Close(ctx))
				}
			}
		}
	}()
	entries, added := withRecords(cfg.Links(), with)
	taken := make(map[string]bool, len(entries))
	for i := range entries {
		taken[entries[i].Name] = true
		with.Links = append(with.Links, entries[i].Name)
	}
	for i := range entries {
		l := &entries[i]
		switch l.Kind() {
		case "stage":
			with.Name, with.Place, with.Chain = l.Name, i, kinds(entries, i, added)
			st, err := stages.New(l.Stage, l.Config, with)
			if err != nil {
				return nil, LinkError(l, err)
			}
			if b, ok := st.(*budget.Stage); ok && added[l.Name] {
				st = b.ForRecords()
			}
			link := place(l, l.Name, st, stages.Phases(l.Stage))
			link.Redacts = stages.Redacts(l.Stage)
			links = append(links, link)
		case "wasm":
			st, err := moduleStage(ctx, dir, l, with)
			var gone *plugins.Unusable
			if errors.As(err, &gone) && absent != nil && absent(l.Wasm) {
				links = append(links, place(l, l.Name, plugins.NewAbsent(gone), core.PhaseSet(core.Request, core.Response)))
				continue
			}
			if err != nil {
				return nil, LinkError(l, err)
			}
			links = append(links, plugged(l, l.Name, st))
		case "webhook":
			st, err := buildWebhook(l, note)
			if err != nil {
				return nil, LinkError(l, err)
			}
			links = append(links, place(l, l.Name, st, webhook.Phases))
		case "guardrail_plugins":
			if with.Guards != nil { // else the records are not known here
				links = append(links, place(l, l.Name, with.Guards, webhook.Phases))
			}
		case "process":
			st, err := dir.buildProcess(ctx, l, with.State)
			if err != nil {
				return nil, LinkError(l, err)
			}
			link := place(l, l.Name, st, st.Phases())
			links = append(links, link)
			if more := link.Phases &^ st.Phases(); more != 0 {
				return nil, LinkError(l, errors.New("phases: holds one that the plugin is not made for; leave it away"))
			}
		case "plugins":
			if _, err := wasm.ReadSettings(l.Config); err != nil {
				return nil, LinkError(l, err)
			}
			for _, file := range dir.Names() {
				if named(cfg, file) {
					continue
				}
				name := strings.TrimSuffix(file, ".wasm")
				if taken[name] { // whoever drops a file does not choose among the names of the chain
					name = file
				}
				st, err := dir.Stage(ctx, file, l.Config, limits(l), moduleDeps(l, name, with.State))
				if ctx.Err() != nil {
					return nil, fmt.Errorf("plugin %q: %w", file, err)
				}
				if err != nil { // nobody named it: the folder reports it as a problem, and the others serve
					continue
				}
				links = append(links, plugged(l, name, st))
			}
		}
	}
	for i := range links {
		links[i].Implied = added[links[i].Name]
	}
	return chain.New(links, with.Tokens)
}

// wrongLink says which link's settings are at fault, and where they stand. What a
// stage cannot decode is told with its own place.
func LinkError(l *config.Link, err error) error {
	var placed *config.Problems
	if at := l.Config.Pos(); at != "" && !errors.As(err, &placed) {
		return fmt.Errorf("%s: chain link %q: %w", at, l.Name, err)
	}
	return fmt.Errorf("chain link %q: %w", l.Name, err)
}

// kinds are what the links of the chain run, as the link at a place is told of them:
// the name of a stage, or how a module is named; "" for one of its own stage that it
// cannot leave anything to.
func kinds(chain []config.Link, place int, added map[string]bool) []string {
	out, own := make([]string, len(chain)), &chain[place]
	for i := range chain {
		switch l := &chain[i]; {
		case added[l.Name]:
		case l.Stage == "":
			out[i] = l.Kind()
		case i == place || l.Stage != own.Stage || l.Covers(own):
			out[i] = l.Stage
		}
	}
	return out
}

// moduleStage makes the stage of a link that names its module.
func moduleStage(ctx context.Context, dir *folder, l *config.Link, with stages.Host) (plugins.Plugin, error) {
	st, err := dir.Stage(ctx, l.Wasm, l.Config, limits(l), moduleDeps(l, l.Name, with.State))
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

// named reports whether a link of the chain names the module.
func named(cfg *config.Config, file string) bool {
	return slices.ContainsFunc(cfg.Chain, func(l config.Link) bool { return l.Wasm == file })
}

func limits(l *config.Link) wasm.Limits {
	isolate, _ := wasm.ParseIsolation(string(l.Isolate)) // validated when the configuration was read
	return wasm.Limits{
		Memory: int64(l.Limits.Memory), Instances: l.Limits.Instances, Streams: l.Limits.Streams, Timeout: l.Timeout, Isolate: isolate,
	}
}

// plugged makes the link of a module. Detectors take text out of the lines of batch
// files too; stages decide about single requests.
func plugged(l *config.Link, name string, st plugins.Plugin) chain.Link {
	m := &st.Version().Manifest
	link := place(l, name, st, m.PhaseSet())
	link.Redacts = !m.IsStage()
	return link
}

// moduleDeps is what a module is given, and may see.
func moduleDeps(l *config.Link, name string, state core.State) plugins.Deps {
	return plugins.Deps{
		Name: name, State: state, Answer: dialect.Answer, Shadow: l.Mode == config.Shadow,
		Grant: foreign.Grant{Fields: words(l.Grant.Fields), Text: words(l.Grant.Text), Capabilities: words(l.Grant.Capabilities)},
	}
}

// words keeps a list that was not written apart from an empty one.
func words[T ~string](list []T) (out []string) {
	if list == nil {
		return nil
	}
	out = make([]string, len(list))
	for i := range list {
		out[i] = string(list[i])
	}
	return out
}

// place makes the link of a stage.
func place(l *config.Link, name string, st core.Stage, own core.Phases) chain.Link {
	link := chain.Link{
		Name: name, Stage: st, Phases: own, Mode: chain.Enforce, OnFault: chain.FaultBlocks, Timeout: l.Timeout,
		For: chain.Filter{Tenants: l.For.Tenants, Keys: l.For.Keys, Models: l.For.Models, Dialects: l.For.Dialects},
	}
	if l.Mode == config.Shadow {
		link.Mode = chain.Shadow
	}
	if l.OnFault == config.FaultPass {
		link.OnFault = chain.FaultPasses
	}
	if len(l.Phases) > 0 {
		link.Phases = 0
		for _, p := range l.Phases {
			link.Phases |= core.PhaseSet(map[config.Phase]core.Phase{
				config.PhaseRequest: core.Request, config.PhaseTarget: core.Target, config.PhaseResponse: core.Response,
			}[p])
		}
	}
	return link
}
