package node

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	dialect "github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/providers/mcp"
	"github.com/headgate-dev/headgate/providers/mcp/openapi"
	"github.com/headgate-dev/headgate/providers/mcp/stdio"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/tools/bridge"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// buildServers builds the MCP servers in the file, and joins them.
func buildServers(rt *snapshot.Runtime, cfg *config.Config, commands *stdio.Host) error {
	own := make(tools.Servers, len(cfg.MCPServers))
	rt.Questions = bridge.NewMemory()
	for _, name := range slices.Sorted(maps.Keys(cfg.MCPServers)) {
		s, err := buildServer(rt, name, cfg.MCPServers[name], commands)
		if err != nil {
			return fmt.Errorf("mcp_servers.%s: %w", name, err)
		}
		bridge.Attach(s, rt.Questions)
		own[name] = s
	}
	rt.Servers = tools.NewSet(joinServers(own, cfg.VirtualServers, rt.Questions))
	return nil
}

// joinServers returns servers with the virtual ones that join them, among them the one of all servers. A virtual server omits
// members that are not among the servers, and one without members is not served.
func joinServers(own tools.Servers, virtual map[string]config.VirtualServer, memory *bridge.Memory) tools.Servers {
	all := maps.Clone(own)
	join := func(name string, members []tools.Member, timeout time.Duration) {
		if len(members) > 0 {
			all[name] = &tools.Server{Name: name}
			bridge.ConvertToVirtual(all[name], members, timeout, memory)
		}
	}
	var every []tools.Member
	for _, name := range slices.Sorted(maps.Keys(own)) {
		every = append(every, tools.Member{Server: own[name]})
	}
	join(tools.All, every, bridge.DefaultListTimeout)
	for name, c := range virtual {
		var members []tools.Member
		for _, m := range c.Servers {
			if own[m.Server] != nil {
				members = append(members, tools.Member{Server: own[m.Server], Tools: m.Tools})
			}
		}
		join(name, members, c.ListTimeout)
	}
	return all
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
		Era: convertEra(c.Era), Pin: convertPin(c.Pin), Origin: digestFileOrigin(&c),
		Prompts: c.Prompts, Resources: c.Resources, PerUser: c.TokenExchange.Subject == config.MCPSubjectUser,
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

func convertEra(e config.MCPEra) dialect.Era {
	return map[config.MCPEra]dialect.Era{config.MCPModern: dialect.Modern, config.MCPLegacy: dialect.Legacy}[e]
}

// convertPin returns the way of pinning of a word.
func convertPin(p config.MCPPin) tools.Pinning {
	return map[config.MCPPin]tools.Pinning{
		config.MCPPinFirstUse: tools.PinFirstUse, config.MCPPinRequired: tools.PinRequired,
	}[p]
}

// isAddress reports whether the document of an API is at a URL, and not a file.
func isAddress(document string) bool { return strings.Contains(document, "://") }

func convertToolTimeouts(c config.MCPServer) upstream.Timeouts {
	return upstream.Timeouts{
		Connect: c.Timeouts.Connect, FirstByte: c.Timeouts.FirstByte, Idle: c.Timeouts.Idle, Total: c.Timeouts.Total,
	}
}

// openCommand returns a server that is a process, which runs until no runtime uses it.
func openCommand(rt *snapshot.Runtime, name string, c config.MCPServer, commands *stdio.Host) tools.Upstream {
	spec := stdio.Spec{
		Name: name, Command: c.Command, Args: c.Args, Era: convertEra(c.Era), Timeouts: convertToolTimeouts(c), MaxLine: int(c.MaxAnswer),
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
	timeouts := convertToolTimeouts(c)
	var header []upstream.Field
	for _, h := range slices.Sorted(maps.Keys(c.Headers)) {
		header = append(header, upstream.Field{Name: h, Value: c.Headers[h].Reveal()})
	}
	if c.FromOpenAPI.Document == "" {
		server, err := mcp.New(mcp.Settings{
			URL: c.URL, AllowPrivate: c.AllowPrivate, MaxAnswer: int(c.MaxAnswer), Client: authorizeToolClient(client, &c), Timeouts: timeouts,
			Header: header,
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
	if document := c.FromOpenAPI.Document; isAddress(document) {
		set.DocumentURL = document
	} else {
		var err error
		if set.Document, err = os.ReadFile(document); err != nil {
			return nil, fmt.Errorf("from_openapi.document: %w", err)
		}
	}
	return openapi.New(set)
}
