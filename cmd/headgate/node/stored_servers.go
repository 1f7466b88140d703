package node

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/headgate-dev/headgate/providers/mcp"
	"github.com/headgate-dev/headgate/providers/mcp/openapi"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/tools/bridge"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/vault"
)

// openServerBox seals the headers of servers of tools that are records. All nodes of a fleet have its key.
func openServerBox(r *Records) (*vault.Box, error) { return r.Master.NewBox("mcp servers") }

// storedServers are the servers of tools in the database.
type storedServers struct {
	servers []store.MCPServer
	virtual []store.VirtualServer
	box     *vault.Box
}

func readStoredServers(ctx context.Context, r *Records) (*storedServers, error) {
	s := &storedServers{}
	var errs [3]error
	s.servers, errs[0] = store.NewMCPServers(r.DB).List(ctx)
	s.virtual, errs[1] = store.NewVirtualServers(r.DB).List(ctx)
	s.box, errs[2] = openServerBox(r)
	return s, errors.Join(errs[:]...)
}

// refreshServers puts the servers of tools in the database in force, beside those of the file. One that cannot be used is left
// out and reported. The caller holds g.mu.
func refreshServers(ctx context.Context, g *gateway) error {
	if g.rt == nil {
		return nil
	}
	s, err := readStoredServers(ctx, g.rec)
	if err != nil {
		return err
	}
	s.serve(g.rt, g.cfg, func(name string, err error) {
		g.tel.Log.Error().Err(err).Str("mcp_server", name).Msg("an MCP server is left out")
	})
	return nil
}

// Why a stored server is left out.
var (
	errNameInFile = errors.New("the configuration file has a server with this name")
	errNoMember   = errors.New("no member server is available")
)

// serve puts the servers into force. A server that serves already, and is unchanged, stays: it knows its sessions and its era.
func (s *storedServers) serve(rt *snapshot.Runtime, cfg *config.Config, report func(name string, err error)) {
	own, virtual := tools.Servers{}, maps.Clone(cfg.VirtualServers)
	if virtual == nil {
		virtual = map[string]config.VirtualServer{}
	}
	for name := range cfg.MCPServers {
		own[name] = rt.Servers.Find(name)
	}
	isInFile := func(name string) bool {
		_, server := cfg.MCPServers[name]
		_, joined := cfg.VirtualServers[name]
		return server || joined
	}
	for i := range s.servers {
		switch r := &s.servers[i]; {
		case !r.Enabled:
		case isInFile(r.Name):
			report(r.Name, errNameInFile)
		default:
			server, err := s.find(rt, r, cfg.Webhooks.AllowPrivate)
			if err != nil {
				report(r.Name, err)
				continue
			}
			own[r.Name] = server
		}
	}
	for i := range s.virtual {
		switch r := &s.virtual[i]; {
		case !r.Enabled:
		case isInFile(r.Name):
			report(r.Name, errNameInFile)
		case !slices.ContainsFunc(r.Members, func(m store.VirtualMember) bool { return own[m.Server] != nil }):
			report(r.Name, errNoMember)
		default:
			v := config.VirtualServer{ListTimeout: r.ListTimeout}
			for _, m := range r.Members {
				v.Servers = append(v.Servers, config.VirtualMember(m))
			}
			virtual[r.Name] = v
		}
	}
	rt.Servers.Replace(joinServers(own, virtual, rt.Questions))
}

// find returns the server of a record: the one in force if it is of the same version, or a new one.
func (s *storedServers) find(rt *snapshot.Runtime, r *store.MCPServer, allowPrivate bool) (*tools.Server, error) {
	if old := rt.Servers.Find(r.Name); old != nil && old.Version == r.Version && old.CreatedAt.Equal(r.CreatedAt) {
		return old, nil
	}
	header, err := unsealHeaders(s.box, r.Headers, r.Name)
	if err != nil {
		return nil, err
	}
	up, err := openStoredUpstream(rt, r, header, allowPrivate)
	if err != nil {
		return nil, err
	}
	server := &tools.Server{
		Name: r.Name, Upstream: up, Restores: r.Trust == string(config.MCPRestore), Era: convertEra(config.MCPEra(r.Era)),
		Pin: convertPin(config.MCPPin(r.Pin)), Tools: r.Tools, Prompts: r.Prompts, Resources: r.Resources, Price: r.Price, Prices: r.Prices,
		Version: r.Version, CreatedAt: r.CreatedAt, Address: r.URL,
		Origin: digestStoredOrigin(r, header),
	}
	for _, a := range r.Access {
		server.Access = append(server.Access, tools.Access{
			Tenants: a.Tenants, Keys: a.Keys, Tools: a.Tools, Prompts: a.Prompts, Resources: a.Resources,
		})
	}
	bridge.Attach(server, rt.Questions)
	return server, nil
}

// openStoredUpstream returns what calls the server of a record.
func openStoredUpstream(rt *snapshot.Runtime, r *store.MCPServer, header []upstream.Field, allowPrivate bool) (tools.Upstream, error) {
	client := openPeerClient(rt, allowPrivate)
	if r.OpenAPIURL == "" {
		server, err := mcp.New(mcp.Settings{URL: r.URL, AllowPrivate: allowPrivate, Header: header, Client: client})
		if err != nil {
			return nil, err
		}
		return server.Upstream(), nil
	}
	return openapi.New(openapi.Settings{
		Name: r.Name, URL: r.URL, DocumentURL: r.OpenAPIURL, AllowPrivate: allowPrivate, Operations: r.Operations, Header: header, Client: client,
		MaxAnswer: mcp.DefaultAnswer, Timeouts: upstream.Timeouts{
			Connect: mcp.DefaultConnect, FirstByte: mcp.DefaultFirstByte, Idle: mcp.DefaultIdle, Total: mcp.DefaultTotal,
		},
	})
}

// listFileServers returns the servers of a file as the API shows them, by name.
func listFileServers(cfg *config.Config) []admin.MCPServerSettings {
	list := make([]admin.MCPServerSettings, 0, len(cfg.MCPServers))
	for _, name := range slices.Sorted(maps.Keys(cfg.MCPServers)) {
		c := cfg.MCPServers[name]
		s := admin.MCPServerSettings{
			Name: name, Transport: "http", URL: admin.RedactAddress(c.URL), HeaderNames: slices.Sorted(maps.Keys(c.Headers)),
			ConfiguredEra: string(c.Era), Trust: string(c.Trust), Pin: string(c.Pin), AllowedTools: c.Tools, AllowedPrompts: c.Prompts,
			AllowedResources: c.Resources, PricePerCall: c.PricePerCall, Enabled: true, Source: store.SourceFile,
		}
		switch document := c.FromOpenAPI.Document; {
		case c.Command != "":
			s.Transport = "command"
		case document != "":
			s.Transport, s.Operations = "openapi", c.FromOpenAPI.Operations
			if isAddress(document) {
				s.OpenAPIURL = admin.RedactAddress(document)
			}
		}
		for _, a := range c.Access {
			s.Access = append(s.Access, store.MCPAccess(a))
		}
		if len(c.Prices) > 0 {
			s.Prices = make(map[string]money.Amount, len(c.Prices))
			maps.Copy(s.Prices, c.Prices)
		}
		list = append(list, s)
	}
	return list
}

// listFileVirtualServers returns the virtual servers of a file as the API shows them, by name.
func listFileVirtualServers(cfg *config.Config) []admin.VirtualServer {
	list := make([]admin.VirtualServer, 0, len(cfg.VirtualServers))
	for _, name := range slices.Sorted(maps.Keys(cfg.VirtualServers)) {
		c := cfg.VirtualServers[name]
		v := admin.VirtualServer{Name: name, ListTimeout: c.ListTimeout.Milliseconds(), Enabled: true, Source: store.SourceFile}
		for _, m := range c.Servers {
			v.Servers = append(v.Servers, store.VirtualMember(m))
		}
		list = append(list, v)
	}
	return list
}
