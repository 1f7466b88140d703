package node

import (
	"cmp"
	"context"
	"crypto/sha256"
	"time"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/proxy"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/manage/admin/rest"
	"github.com/headgate-dev/headgate/core/records/policies"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/providers"
	"github.com/headgate-dev/headgate/stages/schema"
)

// buildAdministration builds the administrative API of a gateway.
func (g *gateway) buildAdministration(cfg *config.Config) (*rest.Options, error) {
	replies, err := g.rec.Master.NewBox("replies")
	if err != nil {
		return nil, err
	}
	credentials, err := g.rec.Master.NewBox(providerBox)
	if err != nil {
		return nil, err
	}
	box, err := openAgentBox(g.rec)
	if err != nil {
		return nil, err
	}
	serverBox, err := openServerBox(g.rec)
	if err != nil {
		return nil, err
	}
	if g.admins, err = g.newAuthenticator(cfg); err != nil {
		return nil, err
	}
	return &rest.Options{
		Service: admin.New(admin.Options{
			Store:         g.rec.DB,
			Audit:         g.rec.audit,
			License:       g.rec.lic,
			LicenseKeeper: g.rec.lic,
			AuditKey:      g.rec.Master.AuditKey(),
			Version:       g.flags.Version,
			Plane:         plane{g},
			Folder:        pluginFolder{g},
			Ledger:        ledger{g},
			Tools:         toolServers{g},
			Peers:         agentDirectory{g},
			AgentBox:      box,
			ServerBox:     serverBox,
			NewID:         NewID,
			Now:           time.Now,
			KeyGrace:      cfg.Admin.KeyGrace,
			PolicyService: g.newPolicies(),
			WebhookBox:    g.hooks.boxes.webhooks,
			PluginBox:     g.hooks.boxes.guards,
			Subscribers:   g.hooks,
			Upstreams:     upstreams{g, credentials},
			ProviderBox:   credentials,
			CheckSchema:   schema.Check,
			Vault:         values{g.rec.vault},
			GuardExports:  g.guardsExports,
			StageForms:    listStageForms(),
		}),
		Auth:    adminAuthenticator{g.admins, g.clientAuth.Proxies},
		Replies: &admin.Replies{Store: g.rec.DB, Box: replies, Now: time.Now},
		Failed: func(_ context.Context, err error) {
			g.tel.Log.Error().Err(err).Msg("an administrative request failed")
		},
		Trace: proxy.ReadTrace, Version: g.flags.Version,
	}, nil
}

// guardsExports reports whether the configuration in force requires consent for exports through the API.
func (g *gateway) guardsExports() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.cfg.Audit.GuardExports
}

// newPolicies returns the operations on policies, including those of the file in force.
func (g *gateway) newPolicies() *policies.Service {
	return policies.New(policies.Options{Store: g.rec.DB, Language: NewPolicyLanguage(g.cfg), NewID: NewID, File: g.pol.listFilePolicies})
}

// plane gives administrative operations access to the running gateway.
type plane struct{ g *gateway }

var _ admin.Plane = plane{}

// ApplyChanges makes the gateway apply changed records.
func (p plane) ApplyChanges() { p.g.requestRefresh() }

// Routes returns the routes of the configuration file.
func (p plane) Routes() []admin.Route {
	p.g.mu.Lock()
	defer p.g.mu.Unlock()
	out := make([]admin.Route, len(p.g.cfg.Routes))
	for i := range p.g.cfg.Routes {
		out[i] = convertFileRoute(&p.g.cfg.Routes[i])
	}
	return out
}

// convertFileRoute returns the API form of a route of the file. If it has no id, one is derived from its pattern.
func convertFileRoute(r *config.Route) admin.Route {
	sum := sha256.Sum256([]byte("headgate file route\x00" + r.ModelPattern))
	v := admin.Route{
		ID: cmp.Or(r.ID, encodeID(sum[:10])), ModelPattern: r.ModelPattern, Strategy: cmp.Or(string(r.Strategy), route.ModelPrefix),
		Pinned: r.PinnedModelVersion, LatencySLA: r.LatencySLA, OtherRegions: r.OtherRegions, Version: 1, Source: store.SourceFile,
		Providers: make([]admin.RouteTarget, len(r.Providers)),
	}
	for i := range r.Providers {
		t := r.Providers[i]
		v.Providers[i] = admin.RouteTarget{Provider: t.Provider, Weight: &t.Weight, ModelOverride: t.ModelOverride, Region: t.Region}
	}
	return v
}

// CheckRoute returns an error if a route is invalid.
func (p plane) CheckRoute(r route.Route) error {
	p.g.mu.Lock()
	defer p.g.mu.Unlock()
	return p.g.rt.Router.Check(r)
}

// FindCapabilities returns the capabilities of a provider, whether it is configured or not.
func (p plane) FindCapabilities(name string) (route.Capabilities, bool) {
	p.g.mu.Lock()
	defer p.g.mu.Unlock()
	return providers.FindCapabilities(p.g.rt.Providers, name)
}

// ResolveLayout returns the chain that results from applying a layout to the configuration file.
func (p plane) ResolveLayout(l *config.Layout) (admin.ArrangedChain, error) {
	cfg, warnings, err := p.g.flags.loadArranged(l)
	if err != nil {
		return admin.ArrangedChain{}, err
	}
	out := admin.ArrangedChain{Links: make([]admin.ChainLink, len(cfg.Chain)), Warnings: warnings}
	for i := range cfg.Chain {
		out.Links[i] = convertChainLink(&cfg.Chain[i])
	}
	return out, nil
}

func convertChainLink(l *config.Link) admin.ChainLink {
	v := admin.ChainLink{
		Name:    l.Name,
		Kind:    l.Kind(),
		Runs:    cmp.Or(l.Stage, l.Wasm, l.Plugins, l.Process),
		Mode:    string(l.Mode),
		OnFault: string(l.OnFault),
	}
	for _, p := range l.Phases {
		v.Phases = append(v.Phases, string(p))
	}
	return v
}

// Latencies returns the recently measured latencies.
func (p plane) Latencies() []route.LatencyRecord {
	p.g.mu.Lock()
	defer p.g.mu.Unlock()
	return p.g.known.latencies.Records()
}

// Priority returns the number of running exchanges by tier.
func (p plane) Priority() route.PriorityStats {
	p.g.mu.Lock()
	defer p.g.mu.Unlock()
	return p.g.known.tiers.Stats()
}
