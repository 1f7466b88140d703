package node

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	dialect "github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/providers/mcp"
	"github.com/headgate-dev/headgate/providers/mcp/openapi"
	"github.com/headgate-dev/headgate/providers/mcp/stdio"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/tools/bridge"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/core/records/vault"
)

// buildServers builds the servers of agents' tools.
func buildServers(rt *snapshot.Runtime, cfg *config.Config, commands *stdio.Host) error {
	rt.Servers = make(tools.Servers, len(cfg.MCPServers))
	for _, name := range slices.Sorted(maps.Keys(cfg.MCPServers)) {
		s, err := buildServer(rt, name, cfg.MCPServers[name], commands)
		if err != nil {
			return fmt.Errorf("mcp_servers.%s: %w", name, err)
		}
		rt.Servers[name] = s
	}
	joinServers(rt, cfg)
	return nil
}

// joinServers lets clients of both eras use the servers, and adds the virtual ones.
func joinServers(rt *snapshot.Runtime, cfg *config.Config) {
	memory := bridge.NewMemory()
	for _, s := range rt.Servers {
		bridge.Attach(s, memory)
	}
	if len(cfg.MCPServers) > 0 {
		var members []tools.Member
		for _, name := range slices.Sorted(maps.Keys(cfg.MCPServers)) {
			members = append(members, tools.Member{Server: rt.Servers[name]})
		}
		all := &tools.Server{Name: tools.All}
		bridge.Virtual(all, members, bridge.DefaultListTimeout, memory)
		rt.Servers[tools.All] = all
	}
	for name, c := range cfg.VirtualServers {
		members := make([]tools.Member, len(c.Servers))
		for i, m := range c.Servers {
			members[i] = tools.Member{Server: rt.Servers[m.Server], Tools: m.Tools}
		}
		v := &tools.Server{Name: name}
		bridge.Virtual(v, members, c.ListTimeout, memory)
		rt.Servers[name] = v
	}
}

func buildServer(rt *snapshot.Runtime, name string, c config.MCPServer, commands *stdio.Host) (*tools.Server, error) {
	var up tools.Upstream
	var err error
	if c.Command != "" {
		up = openCommand(rt, name, c, commands)
	} else if up, err = buildToolUpstream(rt, name, c); err != nil {
		return nil, err
	}
	out := &tools.Server{
		Name: name, Upstream: up, Restores: c.Trust == config.MCPRestore, Tools: c.Tools,
		Era: eraOf(c.Era),
		Pin: map[config.MCPPin]tools.Pinning{
			config.MCPPinFirstUse: tools.PinFirstUse, config.MCPPinRequired: tools.PinRequired,
		}[c.Pin],
		Prompts: c.Prompts, Resources: c.Resources,
		Price: int64(c.PricePerCall), Prices: make(map[string]int64, len(c.Prices)),
	}
	if c.FromOpenAPI.Document != "" {
		out.Era = dialect.Modern
	}
	for tool, price := range c.Prices {
		out.Prices[tool] = int64(price)
	}
	for _, a := range c.Access {
		out.Access = append(out.Access, tools.Access{
			Tenants: a.Tenants, Keys: a.Keys, Tools: a.Tools, Prompts: a.Prompts, Resources: a.Resources,
		})
	}
	return out, nil
}

func eraOf(e config.MCPEra) dialect.Era {
	return map[config.MCPEra]dialect.Era{config.MCPModern: dialect.Modern, config.MCPLegacy: dialect.Legacy}[e]
}

func toolTimeouts(c config.MCPServer) upstream.Timeouts {
	return upstream.Timeouts{
		Connect: c.Timeouts.Connect, FirstByte: c.Timeouts.FirstByte, Idle: c.Timeouts.Idle, Total: c.Timeouts.Total,
	}
}

// openCommand returns a server that is a process, which runs until no runtime uses it.
func openCommand(rt *snapshot.Runtime, name string, c config.MCPServer, commands *stdio.Host) tools.Upstream {
	spec := stdio.Spec{
		Name: name, Command: c.Command, Args: c.Args, Era: eraOf(c.Era), Timeouts: toolTimeouts(c), MaxLine: int(c.MaxAnswer),
	}
	for _, variable := range slices.Sorted(maps.Keys(c.Env)) {
		spec.Env = append(spec.Env, variable+"="+c.Env[variable].Reveal())
	}
	lease := commands.Open(spec)
	rt.Processes = append(rt.Processes, lease)
	return lease.Server
}

// buildToolUpstream builds what calls a server over HTTP.
func buildToolUpstream(rt *snapshot.Runtime, name string, c config.MCPServer) (tools.Upstream, error) {
	dial := upstream.PublicDialer{AllowPrivate: c.AllowPrivate, Timeout: c.Timeouts.Connect}
	client := upstream.NewLean(upstream.LeanOptions{Dial: dial.Dial})
	rt.Clients = append(rt.Clients, client)
	timeouts := toolTimeouts(c)
	var header []upstream.Field
	for _, h := range slices.Sorted(maps.Keys(c.Headers)) {
		header = append(header, upstream.Field{Name: h, Value: c.Headers[h].Reveal()})
	}
	if c.FromOpenAPI.Document == "" {
		server, err := mcp.New(mcp.Settings{
			URL: c.URL, AllowPrivate: c.AllowPrivate, MaxAnswer: int(c.MaxAnswer), Client: client, Timeouts: timeouts, Header: header,
		})
		if err != nil {
			return nil, fmt.Errorf("url: %w", err)
		}
		return server.Upstream(), nil
	}
	set := openapi.Settings{
		Name: name, URL: c.URL, AllowPrivate: c.AllowPrivate, Operations: c.FromOpenAPI.Operations, Header: header, Timeouts: timeouts,
		MaxAnswer: int(c.MaxAnswer), Client: client,
	}
	if document := c.FromOpenAPI.Document; strings.Contains(document, "://") {
		set.DocumentURL = document
	} else {
		var err error
		if set.Document, err = os.ReadFile(document); err != nil {
			return nil, fmt.Errorf("from_openapi.document: %w", err)
		}
	}
	return openapi.New(set)
}

// sealSessions has ids of sessions sealed with a key that all nodes share, so that a client's next message may reach another
// node, or this one after a restart.
func sealSessions(rt *snapshot.Runtime, master *vault.Master) error {
	box, err := master.Box("mcp sessions")
	if err == nil {
		rt.Servers.SealWith(box)
	}
	return err
}
