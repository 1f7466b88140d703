package node

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/agents"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/vault"
	"github.com/headgate-dev/headgate/providers/a2a"
)

// openAgentBox seals the headers of agents that are records. All nodes of a fleet have its key.
func openAgentBox(r *Records) (*vault.Box, error) { return r.Master.NewBox("agents") }

// refreshAgents puts the agents of the database in force, beside those of the file. One that cannot be used is left out and
// reported. The caller holds g.mu.
func refreshAgents(ctx context.Context, g *gateway) error {
	if g.rt == nil {
		return nil
	}
	list, err := store.NewAgents(g.rec.DB).List(ctx)
	if err != nil {
		return err
	}
	box, err := openAgentBox(g.rec)
	if err != nil {
		return err
	}
	before, now := g.rt.Agents.ListStored(), agents.Agents{}
	for i := range list {
		r := &list[i]
		if !r.Enabled {
			continue
		}
		if old := before[r.Name]; old != nil && old.Version == r.Version && old.CreatedAt.Equal(r.CreatedAt) {
			now[r.Name] = old
			continue
		}
		a, err := openAgent(g.rt, r, box, g.cfg.Webhooks.AllowPrivate)
		if err != nil {
			g.tel.Log.Error().Err(err).Str("agent", r.Name).Msg("an agent is left out")
			continue
		}
		now[r.Name] = a
	}
	g.rt.Agents.Replace(now)
	return nil
}

// openPeerClient returns the client that calls agents and servers of tools that are records. The runtime owns it.
func openPeerClient(rt *snapshot.Runtime, allowPrivate bool) upstream.Client {
	if rt.PeerClient == nil {
		dial := upstream.PublicDialer{AllowPrivate: allowPrivate}
		rt.PeerClient = upstream.NewLean(upstream.LeanOptions{Dial: dial.Dial})
		rt.Clients = append(rt.Clients, rt.PeerClient)
	}
	return rt.PeerClient
}

// unsealHeaders returns the headers of a record that were sealed for its name.
func unsealHeaders(box *vault.Box, sealed []byte, name string) (header []upstream.Field, err error) {
	if len(sealed) == 0 {
		return nil, nil
	}
	plain, err := box.Open(sealed, name)
	if err != nil {
		return nil, err
	}
	var headers map[string]string
	if err := json.Unmarshal(plain, &headers); err != nil {
		return nil, errors.New("the sealed headers cannot be read") // the cause could hold them
	}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		header = append(header, upstream.Field{Name: name, Value: headers[name]})
	}
	return header, nil
}

// openAgent returns an agent that is a record.
func openAgent(rt *snapshot.Runtime, r *store.Agent, box *vault.Box, allowPrivate bool) (*agents.Agent, error) {
	header, err := unsealHeaders(box, r.Headers, r.Name)
	if err != nil {
		return nil, err
	}
	up, err := a2a.New(a2a.Settings{
		URL: r.URL, CardURL: r.CardURL, AllowPrivate: allowPrivate, Header: header, Client: openPeerClient(rt, allowPrivate),
	})
	if err != nil {
		return nil, err
	}
	a := &agents.Agent{
		Name: r.Name, Upstream: up, Restores: r.Trust == string(config.MCPRestore), Price: r.Price, Version: r.Version, CreatedAt: r.CreatedAt,
	}
	if len(r.PushTo) > 0 {
		n := a2a.NotifierSettings{URLs: r.PushTo, AllowPrivate: allowPrivate, Client: openPeerClient(rt, allowPrivate)}
		if a.Notifier, err = a2a.NewNotifier(n); err != nil {
			return nil, err
		}
	}
	for _, who := range r.Access {
		a.Access = append(a.Access, agents.Access(who))
	}
	return a, nil
}

// agentDirectory are the agents of the running gateway.
type agentDirectory struct{ g *gateway }

var _ admin.AgentDirectory = agentDirectory{}

// FileAgents returns the agents of the configuration file in force.
func (d agentDirectory) FileAgents() []admin.AgentSettings {
	d.g.mu.Lock()
	defer d.g.mu.Unlock()
	return listFileAgents(d.g.cfg)
}

// HasPublicURL reports whether the configuration file in force has server.public_url.
func (d agentDirectory) HasPublicURL() bool {
	d.g.mu.Lock()
	defer d.g.mu.Unlock()
	return d.g.cfg.Server.PublicURL != ""
}

// Find returns an agent in force, or nil.
func (d agentDirectory) Find(_ context.Context, name string) (*agents.Agent, error) {
	d.g.mu.Lock()
	defer d.g.mu.Unlock()
	return d.g.rt.Agents.Find(name), nil
}

// listFileAgents returns the agents of a file as the API shows them, by name.
func listFileAgents(cfg *config.Config) []admin.AgentSettings {
	list := make([]admin.AgentSettings, 0, len(cfg.Agents))
	for _, name := range slices.Sorted(maps.Keys(cfg.Agents)) {
		c := cfg.Agents[name]
		s := admin.AgentSettings{
			Name: name, URL: admin.RedactAddress(c.URL), CardURL: admin.RedactAddress(c.CardURL), HeaderNames: slices.Sorted(maps.Keys(c.Headers)),
			Trust: string(c.Trust), PricePerCall: c.PricePerCall, Enabled: true, Source: store.SourceFile,
		}
		for _, address := range c.PushTo {
			s.PushTo = append(s.PushTo, admin.RedactAddress(address))
		}
		for _, who := range c.Access {
			s.Access = append(s.Access, store.AgentAccess(who))
		}
		list = append(list, s)
	}
	return list
}

// offlineAgents are the agents of a configuration, for commands. They are opened when they are asked for.
type offlineAgents struct {
	cfg *config.Config
	rec *Records
	box *vault.Box
	rt  snapshot.Runtime
}

// FileAgents returns the agents of the configuration file.
func (o *offlineAgents) FileAgents() []admin.AgentSettings { return listFileAgents(o.cfg) }

// HasPublicURL reports whether the configuration file has server.public_url.
func (o *offlineAgents) HasPublicURL() bool { return o.cfg.Server.PublicURL != "" }

// Find opens an agent.
func (o *offlineAgents) Find(ctx context.Context, name string) (*agents.Agent, error) {
	if _, ok := o.cfg.Agents[name]; ok {
		if o.rt.Agents == nil {
			if err := buildAgents(&o.rt, o.cfg); err != nil {
				return nil, err
			}
		}
		return o.rt.Agents.Find(name), nil
	}
	r, err := store.NewAgents(o.rec.DB).Get(ctx, name)
	if errors.Is(err, store.ErrNotFound) || err == nil && !r.Enabled {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return openAgent(&o.rt, &r, o.box, o.cfg.Webhooks.AllowPrivate)
}

func (o *offlineAgents) close() error {
	var errs []error
	for _, c := range o.rt.Clients {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
