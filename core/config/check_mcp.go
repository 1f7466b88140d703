package config

import (
	"maps"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core/body/match"
)

// checkMCPServers checks the MCP servers.
func (c *checker) checkMCPServers() {
	for _, name := range slices.Sorted(maps.Keys(c.cfg.MCPServers)) {
		s, path := c.cfg.MCPServers[name], joinPath("mcp_servers", name)
		c.checkID(path, name)
		if strings.Contains(name, "__") {
			c.addProblem(path, "contains __, which separates a server from its tool", "use a single underscore or a dash")
		}
		if strings.HasSuffix(name, "_") {
			c.addProblem(path, "ends with _, so that it could be read as another server's name when a tool's name follows", "remove the underscore at the end")
		}
		switch {
		case s.Command != "" || c.isWritten(path+".args") || c.isWritten(path+".env"):
			c.checkMCPCommand(path, s)
		case s.URL == "":
			c.addProblem(path+".url", "is missing", "write url: https://mcp.example.com/mcp, or command: /path/of/a/program")
		default:
			c.checkPeerURL(path+".url", s.URL, s.AllowPrivate, "https://mcp.example.com/mcp")
		}
		c.checkOpenAPI(path+".from_openapi", s)
		checkTokenExchange(c, path+".token_exchange", s)
		for _, h := range slices.Sorted(maps.Keys(s.Headers)) {
			here := joinPath(path+".headers", h)
			c.checkHeader(here, h, s.Headers[h])
			if low := strings.ToLower(h); strings.HasPrefix(low, "mcp-") || low == "accept" || low == "last-event-id" {
				c.addProblem(here, "is a header that the gateway sets itself", "remove it")
			}
		}
		if s.PricePerCall < 0 {
			c.addProblem(path+".price_per_call", "is below 0", "write 0 or more")
		}
		for _, tool := range slices.Sorted(maps.Keys(s.Prices)) {
			if s.Prices[tool] < 0 {
				c.addProblem(joinPath(path+".prices", tool), "is below 0", "write 0 or more")
			}
		}
		c.checkTexts(path+".tools", s.Tools, "a glob of names of tools")
		for i, a := range s.Access {
			here := appendIndex(path+".access", i)
			c.checkTexts(here+".tenants", a.Tenants, "a glob of ids of tenants")
			c.checkTexts(here+".keys", a.Keys, "a glob of ids of keys")
			for k, id := range a.Keys {
				if id != "" && !match.CanBeID(id) {
					c.addProblem(appendIndex(here+".keys", k), "is the name of a key, and whoever creates a key chooses its name", "write the id that `headgate keys list` shows")
				}
			}
			c.checkTexts(here+".tools", a.Tools, "a glob of names of tools")
			c.checkTexts(here+".prompts", a.Prompts, "a glob of names of prompts")
			c.checkTexts(here+".resources", a.Resources, "a glob of addresses of resources")
		}
		if c.isWritten(path+".access") && len(s.Access) == 0 {
			c.addWarning(path+".access", "is empty, so every key whose scopes allow it may call the tools", "remove it, or write access: [{tenants: [default]}]")
		}
		if c.isWritten(path+".tools") && len(s.Tools) == 0 {
			c.addProblem(path+".tools", "is empty", "name the tools, or remove the key to allow all of them")
		}
		checkNonEmpty(c, path+".prompts", s.Prompts, "a glob of names of prompts")
		checkNonEmpty(c, path+".resources", s.Resources, "a glob of addresses of resources")
	}
}

// checkNonEmpty checks a list of globs that allows everything if it is not written.
func checkNonEmpty(c *checker, path string, list []string, what string) {
	if c.isWritten(path) && len(list) == 0 {
		c.addProblem(path, "is empty, which would allow all of them", "name some, or remove the key")
	}
	c.checkTexts(path, list, what)
}

// checkMCPCommand checks a server that is started as a process.
func (c *checker) checkMCPCommand(path string, s MCPServer) {
	if !filepath.IsAbs(s.Command) || filepath.Clean(s.Command) != s.Command {
		c.addProblem(path+".command", "is not the absolute path of a program", "write command: /usr/local/bin/my-server, and its arguments in args")
	}
	for _, key := range []string{"url", "headers", "allow_private", "from_openapi"} {
		if c.isWritten(path + "." + key) {
			c.addProblem(path+"."+key, "is not for a server with a command", "remove it")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		if !variable.MatchString(name) {
			c.addProblem(path+".env", "contains an invalid variable name", "use letters, digits and underscores")
		}
		if strings.ContainsRune(s.Env[name].Reveal(), 0) {
			c.addProblem(joinPath(path+".env", name), "holds a zero byte", "remove it")
		}
	}
	for i, arg := range s.Args {
		if strings.ContainsRune(arg, 0) {
			c.addProblem(appendIndex(path+".args", i), "holds a zero byte", "remove it")
		}
	}
}

// checkOpenAPI checks a server whose tools are operations of an HTTP API.
func (c *checker) checkOpenAPI(path string, s MCPServer) {
	api := s.FromOpenAPI
	if !c.isWritten(path) && api.Document == "" {
		return
	}
	switch scheme, _, isURL := strings.Cut(api.Document, "://"); {
	case api.Document == "":
		c.addProblem(path+".document", "is missing", "write document: api.openapi.yaml, or its https URL")
	case isURL && scheme != "https" && (scheme != "http" || !s.AllowPrivate):
		c.addProblem(path+".document", "is not an https URL", "write https://, a file, or allow_private: true for a host in your own network")
	case isURL:
		c.checkPeerURL(path+".document", api.Document, s.AllowPrivate, "https://api.example.com/openapi.yaml")
	}
	if len(api.Operations) == 0 {
		c.addProblem(path+".operations", "is empty", "name the operations that become tools, such as operations: [list_*]")
	}
	c.checkTexts(path+".operations", api.Operations, "a glob of operationIds")
	if u, err := url.Parse(s.URL); err == nil && (u.RawQuery != "" || u.ForceQuery) {
		c.addProblem(strings.TrimSuffix(path, ".from_openapi")+".url", "contains a query", "remove the ? and what follows it")
	}
	if c.isWritten(strings.TrimSuffix(path, "from_openapi") + "era") {
		c.addProblem(strings.TrimSuffix(path, "from_openapi")+"era", "is not for a server from an OpenAPI document", "remove it")
	}
}

// checkVirtualServers checks the virtual servers, whose members are MCP servers.
func (c *checker) checkVirtualServers() {
	for _, name := range slices.Sorted(maps.Keys(c.cfg.VirtualServers)) {
		v, path := c.cfg.VirtualServers[name], joinPath("virtual_servers", name)
		c.checkID(path, name)
		if _, ok := c.cfg.MCPServers[name]; ok {
			c.addProblem(path, "has the name of a server in mcp_servers, and both would be served at /mcp/"+name, "choose another name")
		}
		if len(v.Servers) == 0 {
			c.addProblem(path+".servers", "is empty", "write servers: [{server: search}]")
		}
		seen := map[string]bool{}
		for i, m := range v.Servers {
			here := appendIndex(path+".servers", i)
			switch _, ok := c.cfg.MCPServers[m.Server]; {
			case m.Server == "":
				c.addProblem(here+".server", "is missing", "name a server of mcp_servers")
			case !ok:
				c.addProblem(here+".server", "is not a server of mcp_servers", "name one of them")
			case seen[m.Server]:
				c.addProblem(here+".server", "is named twice", "remove one of the entries, and join their tools")
			}
			seen[m.Server] = true
			c.checkTexts(here+".tools", m.Tools, "a glob of names of tools")
			if c.isWritten(here+".tools") && len(m.Tools) == 0 {
				c.addProblem(here+".tools", "is empty", "name the tools, or remove the key for all of them")
			}
		}
	}
}

// checkPeerURL checks the address of a server or an agent. It may hold a secret, so it is never shown; example is.
func (c *checker) checkPeerURL(path, text string, allowPrivate bool, example string) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Opaque != "" || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		c.addProblem(path, "is not an http or https URL", "write url: "+example)
	case u.User != nil:
		c.addProblem(path, "contains a user or password", `write headers: {Authorization: "Bearer ${MCP_TOKEN}"}`)
	case u.Fragment != "":
		c.addProblem(path, "contains a fragment", "remove the # and what follows it")
	case allowPrivate:
	case u.Scheme == "http":
		c.addProblem(path, "is plain http, so arguments and results would travel unencrypted",
			"write https://, or allow_private: true for a server in your own network")
	case isPrivate(u.Hostname()):
		c.addProblem(path, "is an address of this machine or of a private network", "write allow_private: true")
	}
}

// isPrivate reports whether a host is an address that is not on the public Internet. It does not look up names in DNS.
func isPrivate(host string) bool {
	if isLoopback(host) {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && (addr.Unmap().IsPrivate() || addr.Unmap().IsLinkLocalUnicast())
}
