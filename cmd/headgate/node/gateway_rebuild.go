package node

import (
	"context"
	"errors"

	"github.com/headgate-dev/headgate/core/gateway/agents"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/stages"
)

func (g *gateway) rebuild(ctx context.Context) (err error) {
	kept, err := g.rec.DB.ChainLayouts().Get(ctx)
	if err != nil {
		return err
	}
	layout, err := admin.BuildLayout(kept)
	if err != nil {
		return err
	}
	cfg, warnings, err := g.flags.loadArranged(layout)
	if err != nil {
		return err
	}
	if g.cfg != nil {
		if err := refuseRestartOnly(g.cfg, cfg); err != nil {
			return err
		}
	}
	upstreams, err := readProviders(ctx, g.rec, cfg)
	if err != nil {
		return err
	}
	file, err := ListFilePolicies(cfg)
	if err != nil {
		return err
	}
	stored, err := g.rec.DB.Policies().List(ctx)
	if err != nil {
		return err
	}
	view := g.pol.buildView(file, stored)
	if err := installArtifacts(ctx, g, cfg); err != nil {
		return err
	}
	defer func() {
		if err != nil && g.cfg != nil { // what was put into the folder is not in force
			err = errors.Join(err, installArtifacts(context.WithoutCancel(ctx), g, g.cfg))
		}
	}()
	restore, err := g.applyPluginRules(cfg)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			restore()
		}
	}()
	rt, err := buildRuntime(
		ctx,
		cfg,
		g.dir,
		upstreams,
		stages.Host{
			Tokens:    tokens{g.rec.vault},
			State:     g.state,
			Notify:    g.notify,
			Policies:  view,
			Approvals: g.consents,
			Offered:   g.offered,
			Schemas:   g.hooks.schemas,
			Memory:    g.verdicts,
			Guards:    g.hooks.guards.Stage(),
			Shadow:    g.shadow,
			Chat:      newModelCaller(&g.judges),
			Ask:       newPathCaller(&g.judges),
			Called:    newCallRecord(g),
			Book:      newBook(g),
		},
		g.logObserved,
		g.mayBeAbsent,
	)
	if err != nil {
		return err
	}
	if cfg.Memory.Verdicts > 0 {
		rt.Memory = g.verdicts
	}
	redactors, err := buildContextRedactors(cfg)
	if err != nil {
		rt.Release()
		return err
	}
	digests, noDigest := digestLinks(cfg)
	pushes, err := g.rec.Master.NewBox("a2a pushes")
	// All nodes share the key of sessions, so that a client's next message may reach another node, or this one after a restart.
	sessions, noBox := g.rec.Master.NewBox("mcp sessions")
	if err := errors.Join(err, noBox, noDigest, g.syncFile(ctx, cfg), g.seedBudgets(ctx, rt.Spending.List())); err != nil {
		rt.Release()
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.known.attach(rt, cfg, rt.Prices.(*Prices))
	g.addBackends(rt, func(name string) string { return cfg.Providers[name].Type })
	oldConfig, old, badRoutes, unreachable := g.cfg, g.rt, g.badRoutes, g.unreachable
	var before *tools.Set
	var beforeAgents *agents.Set
	if old != nil {
		before, beforeAgents = old.Servers, old.Agents
	}
	rt.Agents.Adopt(beforeAgents, g.rec.Master, pushes)
	rt.Servers.Adopt(before, tools.Shared{Sessions: sessions, Pins: g.pins.view, Approvals: g.consents})
	g.cfg, g.rt = cfg, rt
	// Before the runtime serves, so that the database's budgets and routes apply to its first exchange: without its
	// routes every provider would be open.
	if err = g.refreshMoney(ctx); err == nil {
		err = g.refreshRoutes(ctx)
	}
	if err == nil {
		err = refreshAgents(ctx, g)
	}
	if err == nil {
		err = refreshServers(ctx, g)
	}
	if err == nil {
		err = g.pins.refresh(ctx) // or a drifted tool would be trusted as one that is seen first
	}
	if err == nil {
		err = g.swap(ctx)
	}
	if err != nil {
		rt.Release()
		g.cfg, g.rt, g.badRoutes, g.unreachable = oldConfig, old, badRoutes, unreachable
		return err
	}
	// Not earlier: what a failed attempt read must count as a change the next time.
	g.layout, g.providersAt, g.storedProviders = kept.Version, upstreams.fingerprint, upstreams
	upstreams.logProblems(g.tel)
	cleanArtifacts(g, cfg)
	g.pol.adopt(view)
	g.verdicts.SetLimit(int64(cfg.Memory.Verdicts))
	g.shadow.SetRedactors(redactors)
	g.shadow.SetLinks(digests) // after the swap: what the old chain has judged does not count
	g.shadow.SetLimit(cfg.Memory.ShadowExamples)
	if err := g.consents.refresh(ctx); err != nil {
		g.tel.Log.Error().Err(err).Msg("approvals could not be read; the last ones stay in force")
	}
	if err := g.pol.refresh(ctx); err != nil { // apply what changed while the runtime was built
		g.tel.Log.Error().Err(err).Msg("changed policies could not be read; the last ones stay in force")
	}
	g.warnings = nil
	for _, w := range warnings {
		g.warnings = append(g.warnings, w.String())
	}
	if old != nil {
		old.Release()
	}
	return nil
}
