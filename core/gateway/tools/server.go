package tools

import (
	"net/url"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/match"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
)

// Server is one server and the rules for its use. It is immutable while it serves.
type Server struct {
	Name     string
	Upstream Upstream
	Sessions Sealer // of ids of legacy sessions
	// Era is the era that the gateway speaks with the server; 0: found out by a probe.
	Era mcp.Era
	// ForModern and ForLegacy serve clients of an era that the server does not speak. If nil, such clients are refused.
	ForModern, ForLegacy Upstream
	// Members make this a virtual server, which offers their tools. Optional.
	Members []Member
	// Asker returns the member of a virtual server whose open question to the caller has this id, as JSON, or nil. It is nil
	// for servers that are not virtual.
	Asker func(p *core.Principal, id []byte) *Member
	// Restores replaces placeholders in arguments with their values, as far as the caller may read them.
	Restores bool
	Tools    []string // globs of the tools that are served; empty: all
	// Prompts and Resources are globs of prompts and of addresses of resources that are served; empty: all.
	Prompts, Resources []string
	Access             []Access         // who may use which tools; empty: everyone
	Price              int64            // of a call, in units of 1e-10 USD
	Prices             map[string]int64 // of calls of single tools
	// Pin says which definitions of tools are served.
	Pin Pinning
	// PerUser is true if calls are made on behalf of the caller's user, with whose token the server is called.
	PerUser bool
	// Version is that of the record; 0: the server is in the file. CreatedAt distinguishes the record from a later one of the
	// same name, whose versions start at 1 again.
	Version   int64
	CreatedAt time.Time
	// Origin identifies the server itself and the credentials that it is sent, as a digest. Results of servers with different
	// origins are never mixed up. Optional: results are not reused without it.
	Origin string
	// Address is where a record's server is. Sessions belong to it: a later address must not learn their ids.
	Address string

	pins      *Pins
	approvals Spender
	history   *history
	probed    probe
	byUser    userProbes
	listed    *toolNames
}

// Access lets callers use tools. An empty list matches everything.
type Access struct {
	Tenants, Keys, Tools []string // globs; keys are known by their ids
	Prompts, Resources   []string
}

// prefix begins the names of servers and tools in records and rules.
const prefix = "mcp/"

// FormatName names a tool of a server, or the server itself where tool is empty, in policies, limits, prices and records.
func FormatName(server, tool string) string {
	if tool == "" {
		return prefix + server
	}
	return prefix + server + "/" + tool
}

// Allows reports whether the caller may list and call a tool.
func (s *Server) Allows(p *core.Principal, tool string) bool {
	return s.AllowsSubject(p, mcp.ToolSubject, tool)
}

// AllowsSubject reports whether the caller may list and use something of the server: a tool or prompt by its name, a resource or
// template by its address.
func (s *Server) AllowsSubject(p *core.Principal, kind mcp.Subject, name string) bool {
	if !allows(kind, s.Tools, s.Prompts, s.Resources, name) {
		return false
	}
	if len(s.Access) == 0 {
		return true
	}
	for i := range s.Access {
		a := &s.Access[i]
		if matches(a.Tenants, p.Tenant, "") && matches(a.Keys, p.KeyID, p.Lineage) && allows(kind, a.Tools, a.Prompts, a.Resources, name) {
			return true
		}
	}
	return false
}

// allows reports whether the globs of its kind match a name.
func allows(kind mcp.Subject, tools, prompts, resources []string, name string) bool {
	switch kind {
	case mcp.PromptSubject:
		return matches(prompts, name, "")
	case mcp.ResourceSubject:
		return len(resources) == 0 || !Climbs(name) && matches(resources, name, "")
	default:
		return matches(tools, name, "")
	}
}

// Climbs reports whether an address contains a segment . or .., encoded or not: a server that resolves it would read
// another address than the globs have matched.
func Climbs(uri string) bool {
	for {
		if strings.ContainsAny(uri, "\\") {
			return true
		}
		for part := range strings.SplitSeq(uri, "/") {
			if part == "." || part == ".." {
				return true
			}
		}
		decoded, err := url.PathUnescape(uri)
		if err != nil {
			return true
		}
		if decoded == uri {
			return false
		}
		uri = decoded
	}
}

// Admits reports whether the caller may use anything of the server.
func (s *Server) Admits(p *core.Principal) bool {
	for i := range s.Members {
		if s.Members[i].Server.Admits(p) {
			return true
		}
	}
	if len(s.Members) > 0 {
		return false
	}
	if len(s.Access) == 0 {
		return true
	}
	for i := range s.Access {
		if a := &s.Access[i]; matches(a.Tenants, p.Tenant, "") && matches(a.Keys, p.KeyID, p.Lineage) {
			return true
		}
	}
	return false
}

// matches reports whether a glob of the list matches one of the names. Names of tools differ by case.
func matches(globs []string, a, b string) bool {
	if len(globs) == 0 {
		return true
	}
	for _, g := range globs {
		if match.MatchesGlob(g, a) || b != "" && match.MatchesGlob(g, b) {
			return true
		}
	}
	return false
}

// PriceTool returns the price of a call of a tool in units of 1e-10 USD.
func (s *Server) PriceTool(tool string) int64 {
	if p, ok := s.Prices[tool]; ok {
		return p
	}
	return s.Price
}

// Servers are the servers by name.
type Servers map[string]*Server

// PriceCall returns the price of a call, in units of 1e-10 USD, by the names of provider and model in records: those of
// [Name]. It is 0 for an unknown server.
func (s Servers) PriceCall(provider, model string) int64 {
	server := s[strings.TrimPrefix(provider, prefix)]
	if server == nil {
		return 0
	}
	tool, ok := strings.CutPrefix(model, provider+"/")
	if !ok { // not a call of a tool
		return 0
	}
	return server.PriceTool(tool)
}
