package console

import (
	"net/url"
	"strings"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/gateway/recent"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// serverPages serve the MCP servers, their tools and the definitions of those.
type serverPages struct {
	*resource[admin.MCPServer]
	recent *recent.Ring
}

// newServerPages declares the pages of MCP servers.
func newServerPages(ring *recent.Ring) *serverPages {
	h := &serverPages{recent: ring}
	h.resource = &resource[admin.MCPServer]{
		path: "/mcp-servers", param: "name", title: "MCP servers", read: auth.MCPRead, write: auth.MCPWrite,
		intro: "Servers of tools that agents call through the gateway. Counts begin with the start of this process.",
		empty: "There are no MCP servers. Add one below, or write it under mcp_servers in the configuration file.",
		live:  10, key: func(s admin.MCPServer) string { return s.Name },
		columns: []column[admin.MCPServer]{
			{"Server", "break", func(_ *request, s admin.MCPServer) part { return newLinkPart(buildServerPath(s.Name), s.Name) }},
			{"Health", "", func(_ *request, s admin.MCPServer) part { return newHealthPart(s.Health) }},
			{"Era", "", func(_ *request, s admin.MCPServer) part { return newTextPart(s.Era) }},
			{"Tools", "num", func(_ *request, s admin.MCPServer) part { return newTextPart(formatCount(s.Known)) }},
			{"Withheld", "", func(_ *request, s admin.MCPServer) part { return newWithheldPart(s.Withheld) }},
			{"Answered", "num", func(_ *request, s admin.MCPServer) part { return newTextPart(formatCount(s.Answered)) }},
			{"Failed", "num", func(_ *request, s admin.MCPServer) part { return newTextPart(formatCount(s.Failed)) }},
			{"Price per call", "num", func(_ *request, s admin.MCPServer) part { return newUSDPart(s.PricePerCall) }},
			{"Status", "", func(_ *request, s admin.MCPServer) part { return newStatePart(nameEnabledState(s.Enabled)) }},
			{"Source", "", func(_ *request, s admin.MCPServer) part { return newSourcePart(s.Source) }},
		},
		list: func(r *request) (list[admin.MCPServer], error) {
			all, err := r.service().MCPServers().List(r.ctx(), r.who, r.readWindow())
			return readPage(r, all, err)
		},
		head: func(_ *request, p *listPage) error {
			p.Head = append(p.Head, newLinkPart("/virtual-servers", "Virtual servers"))
			return nil
		},
		form: newServerForm, create: createServer, page: h.show, update: saveServer,
		name:   nameByID,
		remove: func(r *request, name string) error { return r.service().MCPServers().Delete(r.ctx(), r.who, name, "") },
		told:   "MCP server deleted. Calls to it are refused.",
	}
	return h
}

func (h *serverPages) mount(c *Console) {
	h.resource.mount(c)
	const one = "/mcp-servers/:name"
	c.mountPost(one+"/check", auth.MCPWrite, h.fetchTools)
	c.mountGet(one+"/tools/:tool", auth.MCPRead, h.showTool)
	c.mountPost(one+"/tools/:tool/approve", auth.MCPWrite, handleForm(h.decide(true), h.showTool))
	c.mountPost(one+"/tools/:tool/reject", auth.MCPWrite, handleForm(h.decide(false), h.showTool))
}

func buildServerPath(name string) string { return "/mcp-servers/" + url.PathEscape(name) }

func buildToolPath(server, tool string) string {
	return buildServerPath(server) + "/tools/" + url.PathEscape(tool)
}

// newHealthPart draws how a server of tools or an agent has answered last.
func newHealthPart(health string) part {
	return newStatePart(map[string]string{"ANSWERING": "healthy", "FAILING": "failed", "UNKNOWN": "unknown"}[health])
}

// newWithheldPart draws how many tools are not served.
func newWithheldPart(n int) part {
	if n == 0 {
		return newTextPart("none")
	}
	return part{"several", []part{newStatePart("held"), newTextPart(formatCount(n))}}
}

func (h *serverPages) show(r *request) error {
	s, err := r.service().MCPServers().Get(r.ctx(), r.who, r.Param("name"))
	if err != nil {
		return err
	}
	p := &recordPage{Crumbs: []link{{Path: h.path, Text: h.title}}, State: nameEnabledState(s.Enabled)}
	if s.Source == "file" {
		p.add(part{"note", "This server is defined in the configuration file, and can be changed only there."})
	}
	if r.who.Can(h.write) && s.Enabled {
		p.Head = append(p.Head, part{"button", link{Path: buildServerPath(s.Name) + "/check#main", Text: "Fetch tools"}})
	}
	p.add(part{"facts", []fact{
		{"Health", newHealthPart(s.Health)},
		{"Last answer", r.drawAge(s.LastAnswerAt)},
		{"Last failure", part{"several", []part{r.drawAge(s.LastFailureAt), newTextPart(s.LastFailure)}}},
		{"Messages", newTextPart(formatPlural(s.Answered, "answer") + ", " + formatPlural(s.Failed, "failure"))},
		{"Era", newTextPart(s.Era)},
		{"Definitions", newTextPart(map[string]string{
			"off": "not pinned", "first_use": "pinned at first use", "required": "pinned, each needs an approval",
		}[s.Pin])},
		{"Values behind placeholders", newTextPart(map[string]string{"keep": "not sent", "restore": "sent"}[s.Trust])},
		{"Price per call", newUSDPart(s.PricePerCall)},
		{"URL", newTextPart(dashIfEmpty(s.URL))},
		{"Headers", newTextPart(dashIfEmpty(joinWords(s.HeaderNames)))},
		{"Allowed tools", newTextPart(formatAllowed(s.AllowedTools))},
		{"Source", newSourcePart(s.Source)},
		{"Clients reach it at", newCodePart("/mcp/" + s.Name)},
	}}, part{"heading", "Tools"})
	rows := list[admin.MCPTool]{First: true, Rows: s.List}
	p.add(part{"table", newTable(r, []column[admin.MCPTool]{
		{"Tool", "break", func(_ *request, t admin.MCPTool) part { return newLinkPart(buildToolPath(s.Name, t.Name), t.Name) }},
		{"Definition", "", func(_ *request, t admin.MCPTool) part { return newToolStatePart(&t) }},
		{"Served", "", func(_ *request, t admin.MCPTool) part { return newTextPart(formatYesNo(t.Served)) }},
		{"Callers", "break", func(_ *request, t admin.MCPTool) part { return newTextPart(formatCallers(t.Callers)) }},
		{"Price", "num", func(_ *request, t admin.MCPTool) part { return newUSDPart(t.Price) }},
		{"Calls", "num", func(_ *request, t admin.MCPTool) part { return newTextPart(formatCount(t.Calls)) }},
		{"Failed", "num", func(_ *request, t admin.MCPTool) part { return newTextPart(formatCount(t.FailedCalls)) }},
		{"Cost", "num", func(_ *request, t admin.MCPTool) part { return newUSDPart(t.Spent) }},
		{"Last call", "", func(r *request, t admin.MCPTool) part { return r.drawAge(t.LastCallAt) }},
	}, rows, func(t admin.MCPTool) string { return t.Name }, "No tools are known yet. Fetch them, or have a client list them.")})
	if r.who.Can(h.write) && s.Source != "file" {
		h.addSettings(r, p, &s.MCPServerSettings)
	}
	return r.show("record", s.Name, p)
}

func formatYesNo(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

// newToolStatePart draws whether the definition of a tool is trusted.
func newToolStatePart(t *admin.MCPTool) part {
	switch {
	case t.Refused:
		return newStatePart("refused")
	case t.State == "PINNED":
		return newStatePart("approved")
	case t.State == "REJECTED":
		return newStatePart("rejected")
	case t.State == "DRIFTED":
		return newStatePart("held")
	case t.State == "NEW":
		return newStatePart("pending")
	}
	return newTextPart("not pinned")
}

// formatCallers says who may call a tool.
func formatCallers(callers []admin.MCPCaller) string {
	if len(callers) == 0 {
		return "every key whose scopes allow it"
	}
	var all []string
	for _, c := range callers {
		var of []string
		if len(c.Tenants) > 0 {
			of = append(of, "workspaces "+strings.Join(c.Tenants, ", "))
		}
		if len(c.Keys) > 0 {
			of = append(of, "keys "+strings.Join(c.Keys, ", "))
		}
		if len(of) == 0 {
			return "every key whose scopes allow it"
		}
		all = append(all, strings.Join(of, " with "))
	}
	return strings.Join(all, "; ")
}

func (h *serverPages) fetchTools(r *request) error {
	name := r.Param("name")
	s, err := r.service().MCPServers().FetchTools(r.ctx(), r.who, name)
	return r.finish(err, buildServerPath(name), "The server offers "+formatPlural(s.Known, "tool")+".")
}
