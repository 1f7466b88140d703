package importtool

import (
	"path"
	"regexp"
	"strings"
)

// mcpFields documents what readServer does with LiteLLM's mcp_servers.
var mcpFields = []rule{
	{
		path: "mcp_servers.*.url", outcome: Mapped, target: "mcp_servers.*.url", later: true,
		why: "allow_private is added for plain http and private addresses",
	},
	{path: "mcp_servers.*.command", outcome: Changed, target: "mcp_servers.*.command", later: true, why: whyCommand},
	{path: "mcp_servers.*.args", outcome: Mapped, target: "mcp_servers.*.args", later: true},
	{path: "mcp_servers.*.env", outcome: Mapped, target: "mcp_servers.*.env", later: true},
	{path: "mcp_servers.*.transport", outcome: Mapped, target: "mcp_servers.*", later: true, why: "http and stdio; sse is unsupported"},
	{
		path: "mcp_servers.*.auth_type", outcome: Mapped, target: "mcp_servers.*.headers", later: true,
		why: "none, bearer_token, api_key, basic, authorization",
	},
	{path: "mcp_servers.*.authentication_token", outcome: Mapped, target: "mcp_servers.*.headers", later: true},
	{path: "mcp_servers.*.auth_value", outcome: Mapped, target: "mcp_servers.*.headers", later: true},
	{path: "mcp_servers.*.static_headers", outcome: Mapped, target: "mcp_servers.*.headers", later: true},
	{path: "mcp_servers.*.headers", outcome: Mapped, target: "mcp_servers.*.headers", later: true},
	{path: "mcp_servers.*.allowed_tools", outcome: Mapped, target: "mcp_servers.*.tools", later: true},
}

// schemes maps LiteLLM's auth_type to the header and the prefix of the token.
var schemes = map[string]struct{ header, before string }{
	"bearer_token": {"Authorization", "Bearer "}, "api_key": {"X-API-Key", ""}, "basic": {"Authorization", "Basic "},
	"authorization": {"Authorization", ""},
}

// readServer adds an MCP server.
func (im *importer) readServer(s *node) {
	kind, auth := s.get("transport"), s.get("auth_type")
	why := ""
	switch {
	case s.get("command") != nil || kind.readString() == "stdio":
		why = im.addProgram(s, s.key, s.get("env"))
		kind.mark(Mapped, "mcp_servers.*.command", "")
		if why == "" {
			im.allowTools(im.out.MCPServers[im.lastServer], s.get("allowed_tools"))
			s.get("description").mark(Unsupported, "", "a description; the server describes its tools itself")
			s.mark(Unsupported, "", "a program has no such setting: docs/agents.md")
			return
		}
	case kind.readString() == "sse" || kind == nil && strings.HasSuffix(s.get("url").readString(), "/sse"):
		why = "the gateway speaks streamable HTTP, not the older transport of two connections"
	case auth != nil && auth.readString() != "none" && schemes[auth.readString()].header == "":
		why = "the gateway sends a fixed credential to a server, and takes part in no sign-in"
	}
	if why == "" {
		why = im.addServer(s.key, s.get("url"))
	}
	if why != "" {
		s.mark(Unsupported, "", why)
		return
	}
	server := im.out.MCPServers[im.lastServer]
	kind.mark(Mapped, "mcp_servers.*", "streamable HTTP")
	for _, field := range []string{"authentication_token", "auth_value"} {
		if token := s.get(field); !token.isEmpty() {
			text, moved := im.importSecret(token, formatVariable(s.key)+"_TOKEN")
			scheme := schemes[auth.readString()]
			if scheme.header == "" {
				scheme = schemes["bearer_token"]
			}
			addHeader(&server.Headers, scheme.header, scheme.before+text)
			token.mark(map[bool]Outcome{true: Changed, false: Mapped}[moved], "mcp_servers.*.headers", map[bool]string{true: whyMoved}[moved])
		}
	}
	auth.mark(Mapped, "mcp_servers.*.headers", "")
	for _, field := range []string{"static_headers", "headers"} {
		if h := s.get(field); h != nil && h.kind == mapping {
			im.importHeaders(h, formatVariable(s.key), "mcp_servers.*.headers", &server.Headers)
		}
	}
	im.allowTools(server, s.get("allowed_tools"))
	s.get("description").mark(Unsupported, "", "a description; the server describes its tools itself")
	s.mark(Unsupported, "", "the gateway's servers have no such setting: docs/agents.md")
}

const whyCommand = "the gateway wants the absolute path of a program: one without is a variable to fill in"

// addProgram adds a server that the gateway starts, or returns why it cannot.
func (im *importer) addProgram(s *node, name string, env *node) string {
	command, args := s.get("command"), s.get("args")
	if command.isEmpty() {
		return "names no program"
	}
	if im.out.MCPServers == nil {
		im.out.MCPServers = map[string]*mcpServer{}
	}
	im.lastServer = makeUniqueName(im.out.MCPServers, name)
	server := &mcpServer{Command: im.importValue(command)}
	im.out.MCPServers[im.lastServer] = server
	if path.IsAbs(command.readString()) && path.Clean(command.readString()) == command.readString() {
		command.mark(Mapped, "mcp_servers.*.command", "")
	} else {
		server.Command = im.vars.formatReference(formatVariable(im.lastServer)+"_COMMAND", command.path)
		command.mark(Changed, "mcp_servers.*.command", whyCommand)
	}
	before := ""
	for a := range args.visitLeaves() {
		if a.kind != scalar {
			continue
		}
		text, moved := im.importValue(a), false
		flag := strings.HasPrefix(a.readString(), "-") && !strings.Contains(a.readString(), "=")
		if !flag && (secretArg.MatchString(a.readString()) || secretArg.MatchString(before)) {
			text, moved = im.importSecret(a, formatVariable(im.lastServer)+"_ARGUMENT")
		}
		before = a.readString()
		server.Args = append(server.Args, text)
		if moved {
			a.mark(Changed, "mcp_servers.*.args", whyMoved)
		}
		a.mark(Mapped, "mcp_servers.*.args", "")
	}
	for _, e := range env.findOptional("*") {
		if e.kind != scalar || !variableName.MatchString(e.key) {
			continue
		}
		text, moved := im.importSecret(e, formatVariable(im.lastServer)+"_"+e.key)
		addHeader(&server.Env, e.key, text)
		if moved {
			e.mark(Changed, "mcp_servers.*.env", whyMoved)
		}
		e.mark(Mapped, "mcp_servers.*.env", "")
	}
	return ""
}

// secretArg matches arguments that may hold a secret, or precede one.
var secretArg = regexp.MustCompile(`(?i)key|token|secret|passw|credential|auth|://[^/]*@`)

// addServer adds a server by its address, or returns why it cannot.
func (im *importer) addServer(name string, address *node) string {
	_, ref := im.findReference(address.readString())
	if !ref && !strings.HasPrefix(address.readString(), "http://") && !strings.HasPrefix(address.readString(), "https://") ||
		strings.ContainsAny(address.readString(), "@#<> ") {
		return "the address is missing, or is not one that the gateway can call: http or https, without a user or a fragment"
	}
	if im.out.MCPServers == nil {
		im.out.MCPServers = map[string]*mcpServer{}
	}
	im.lastServer = makeUniqueName(im.out.MCPServers, name)
	server := &mcpServer{URL: im.importValue(address), AllowPrivate: !ref && isPrivate(address.readString())}
	im.out.MCPServers[im.lastServer] = server
	switch {
	case ref:
		address.mark(Mapped, "mcp_servers.*.url", "write allow_private: true if it is plain http or in a private network")
	case server.AllowPrivate:
		address.mark(Changed, "mcp_servers.*.url", "with allow_private: true, because it is plain http or in a private network")
	default:
		address.mark(Mapped, "mcp_servers.*.url", "")
	}
	return ""
}

// allowTools limits a server to the tools that a list names.
func (im *importer) allowTools(server *mcpServer, tools *node) {
	if tools == nil {
		return
	}
	for leaf := range tools.visitLeaves() {
		switch {
		case leaf.kind != scalar || leaf.readString() == "":
			leaf.mark(Unsupported, "", "names no tool")
		case leaf.readString() == "*":
			leaf.mark(Mapped, "mcp_servers.*.tools", "all tools, which is the default")
		default:
			server.Tools = append(server.Tools, im.importValue(leaf))
			leaf.mark(Mapped, "mcp_servers.*.tools", "")
		}
	}
}
