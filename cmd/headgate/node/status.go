package node

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/server"
	"github.com/headgate-dev/headgate/plugins"
	"github.com/headgate-dev/headgate/providers"
	"github.com/headgate-dev/headgate/stages/ratelimit"
)

// buildStatus returns the status document. It contains what an operator needs, and nothing that must stay confidential.
func (g *gateway) buildStatus() server.Status {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := server.Status{
		Status: "ok", Mode: string(g.cfg.Role), Version: g.flags.Version, UptimeSeconds: int64(time.Since(g.began).Seconds()),
		ConfigVersion: g.version, Providers: []server.Provider{}, Routes: []server.Route{}, Warnings: []string{},
		Chain: []server.Link{}, Plugins: []server.Plugin{},
		Region: server.Region{ID: g.cfg.Region.ID, Name: g.cfg.Region.Name, RegionAware: g.cfg.Region.ID != ""},
	}
	for _, name := range slices.Sorted(maps.Keys(g.rt.Providers)) {
		k := g.rt.Providers[name].FindCapabilities("")
		s.Providers = append(s.Providers, server.Provider{
			Name: name, Type: providers.NormalizeName(g.cfg.Providers[name].Type), Health: g.known.readCondition(name),
			Capabilities: server.Capabilities{
				Streaming: k.Streaming, Vision: k.Vision, ToolCalls: k.ToolCalls,
				StructuredOutputs: k.StructuredOutputs, JSONMode: k.JSONMode, MaxContextTokens: k.MaxContextTokens,
			},
		})
	}
	for _, r := range g.rt.Router.Routes() {
		names := make([]string, 0, len(r.Targets))
		for _, t := range r.Targets {
			names = append(names, t.Provider)
		}
		s.Routes = append(s.Routes, server.Route{ModelPattern: r.Pattern, Strategy: r.Strategy, Providers: names})
	}
	for _, l := range g.rt.Chain.Links() {
		if idle, ok := l.Stage.(interface{ IsIdle() bool }); ok && l.Implied && idle.IsIdle() {
			continue // the record that the link serves does not exist
		}
		s.Chain = append(s.Chain, describeLink(&l))
		if r, ok := l.Stage.(*ratelimit.Stage); ok && l.Mode == chain.Enforce {
			limits, enabled := r.Defaults()
			s.RateLimits.Enabled = s.RateLimits.Enabled || enabled
			if limits != (ratelimit.Defaults{}) {
				s.RateLimits.GlobalRequestsPerSecond = limits.GlobalRequestsPerSecond
				s.RateLimits.DefaultPerKeyRequestsPerSecond = limits.PerKeyRequestsPerSecond
				s.RateLimits.DefaultPerKeyTokensPerMinute = limits.PerKeyTokensPerMinute
			}
		}
	}
	s.Plugins = g.listPlugins()
	s.Warnings = append(s.Warnings, g.warnings...)
	if g.badRoutes != "" {
		s.Warnings = append(s.Warnings, "routes are left out: "+g.badRoutes)
	}
	s.Warnings = append(s.Warnings, g.storedProviders.listWarnings()...)
	for _, p := range g.dir.processes.Stats() {
		s.Plugins = append(s.Plugins, convertProcessStatus(p))
		if p.State != "running" {
			s.Warnings = append(s.Warnings, "the process of link "+p.Link+" is "+strings.ReplaceAll(p.State, "_", " "))
		}
	}
	for _, p := range g.listProblems() {
		s.Warnings = append(s.Warnings, "plugin "+p.File+": "+p.Reason)
	}
	if g.flags.replica != nil {
		s.Warnings = append(s.Warnings, g.flags.replica.listWarnings()...)
	}
	if g.refused != "" {
		s.Warnings = append(s.Warnings, "the newest configuration is refused, the last good one stays in force: "+strings.TrimSpace(g.refused))
	}
	if err := g.rec.DB.CheckHealth(); err != nil {
		s.Warnings = append(s.Warnings, err.Error())
	}
	if g.rec.writer.Stats().Failing {
		s.Warnings = append(s.Warnings, "records cannot be written at the moment; they are kept and tried again")
	}
	if len(s.Warnings) > 0 {
		s.Status = "degraded"
	}
	return s
}

// knows reports whether a request has a gateway key or, on a port that serves the administrative API, the credential of an
// administrator. Each kind is checked where it belongs, so that wrong ones are counted and slowed as everywhere.
func (g *gateway) knows(r *http.Request, administers bool) bool {
	credential := auth.ReadCredential(r.Header)
	switch {
	case credential == "":
		return false
	case strings.HasPrefix(credential, auth.PATPrefix),
		!strings.HasPrefix(credential, auth.KeyPrefix) && strings.Count(credential, ".") == 2: // a JWT
		if !administers || g.admins == nil {
			return false
		}
		_, err := adminAuthenticator{g.admins, g.clientAuth.Proxies}.Authenticate(r.Context(), r)
		return err == nil
	}
	s := g.snaps.Acquire()
	defer s.Release()
	_, err := g.clientAuth.Authenticate(s.Keys, r, time.Now())
	return err == nil
}

// listProblems returns the current problems of the plugins folder: those of files that exist or that the configuration in
// force names. The caller holds g.mu.
func (g *gateway) listProblems() []plugins.Problem {
	concerns := g.buildFileFilter()
	return slices.DeleteFunc(g.dir.Problems(), func(p plugins.Problem) bool { return !concerns(p.File) })
}

// buildFileFilter reports whether a file exists or is in use. The caller holds g.mu.
func (g *gateway) buildFileFilter() func(file string) bool {
	files := g.dir.Names()
	return func(file string) bool {
		return slices.Contains(files, file) || g.dir.IsOdd(file) || g.cfg != nil && isNamedInChain(g.cfg, file)
	}
}

func describeLink(l *chain.Link) server.Link {
	out := server.Link{Name: l.Name, Mode: "enforce", OnFault: "block", Phases: []string{}}
	for _, p := range []core.Phase{core.Request, core.Target, core.Response} {
		if l.Phases.Has(p) {
			out.Phases = append(out.Phases, p.String())
		}
	}
	if l.Mode == chain.Shadow {
		out.Mode = "shadow"
	}
	if l.OnFault == chain.FaultPasses {
		out.OnFault = "pass"
	}
	return out
}
