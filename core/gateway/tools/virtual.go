package tools

import (
	"context"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
)

// Member is a server that is part of a virtual one.
type Member struct {
	Server *Server
	Tools  []string // globs of its tools that are part; empty: all
	// Modern and Legacy are how clients of each era reach the member. They translate addresses of resources to those of the
	// virtual server.
	Modern, Legacy Upstream
}

// All is the name of the virtual server of all servers, at /mcp. No server of a configuration can have it.
const All = "*"

const (
	// between stands between the name of a member and that of its tool or prompt.
	between = "__"
	// scheme is the scheme of the addresses of members' resources: mcp://{server}/{address}.
	scheme = "mcp://"
)

// JoinName returns the name that a virtual server has for a tool or prompt of a member.
func JoinName(server, name string) string { return server + between + name }

// FormatURIPrefix returns the prefix of the addresses that a virtual server has for a member's resources.
func FormatURIPrefix(server string) string { return scheme + server + "/" }

// Resolve returns the member to which a name of the virtual server belongs, and the member's own name for it: a tool, a
// prompt or the address of a resource. It returns nil if no member has it.
func (s *Server) Resolve(name string) (m *Member, own string) {
	server, own, ok := strings.Cut(name, between)
	if rest, isURI := strings.CutPrefix(name, scheme); isURI {
		server, own, ok = strings.Cut(rest, "/")
	}
	if !ok || own == "" {
		return nil, ""
	}
	for i := range s.Members {
		if s.Members[i].Server.Name == server {
			return &s.Members[i], own
		}
	}
	return nil, ""
}

// FindHolder returns the server that has a tool, and the tool's name there, or nil.
func (s *Server) FindHolder(tool string) (holder *Server, own string) {
	if len(s.Members) == 0 {
		return s, tool
	}
	m, own := s.Resolve(tool)
	if m == nil || !matches(m.Tools, own, "") {
		return nil, ""
	}
	return m.Server, own
}

// AllowsTool reports whether the caller may list and call a tool, by its name at this server. It refuses names that no call
// may have.
func (s *Server) AllowsTool(p *core.Principal, tool string) bool {
	holder, own := s.FindHolder(tool)
	return holder != nil && mcp.IsToolName(own) && holder.Allows(p, own)
}

// AllowsListed reports whether the caller may list something, by its name at this server, and use it.
func (s *Server) AllowsListed(p *core.Principal, kind mcp.Subject, name string) bool {
	switch {
	case kind == mcp.ToolSubject:
		return s.AllowsTool(p, name)
	case len(s.Members) == 0:
		return s.AllowsSubject(p, kind, name)
	}
	m, own := s.Resolve(name)
	return m != nil && m.Server.AllowsSubject(p, kind, own)
}

// OpenUpstream returns how clients of an era reach the server, or nil if they cannot. session is the session that the
// client has opened, or "".
func (s *Server) OpenUpstream(ctx context.Context, era mcp.Era, session string) (Upstream, error) {
	if era == mcp.Modern {
		modern, err := s.DetectModern(ctx)
		switch {
		case err != nil:
			return nil, err
		case modern:
			return s.Upstream, nil
		}
		return s.ForModern, nil
	}
	switch {
	case s.Era == mcp.Modern, s.ForLegacy != nil && strings.HasPrefix(session, "{"): // a session of the gateway's own
		return s.ForLegacy, nil
	case s.Era == mcp.Legacy, s.ForLegacy == nil, session != "":
		return s.Upstream, nil
	}
	if era, err := s.detectEra(ctx); err == nil && era&mcp.Legacy == 0 {
		return s.ForLegacy, nil
	}
	return s.Upstream, nil // without a declared era, the server answers itself
}

// SpeaksModern reports whether the server is known to speak the modern era, in which it has no sessions.
func (s *Server) SpeaksModern() bool {
	return s.Era == mcp.Modern || s.Era == 0 && s.speaks(mcp.Modern)
}

// speaks reports whether the server is known to speak an era.
func (s *Server) speaks(era mcp.Era) bool {
	s.probed.mu.Lock()
	defer s.probed.mu.Unlock()
	return s.probed.era&era != 0
}
