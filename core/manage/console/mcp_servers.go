package console

import (
	"net/url"
	"strings"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/gateway/recent"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// serverPages serve the servers of agents' tools, their tools and the definitions of those.
type serverPages struct {
	*resource[admin.MCPServer]
	recent *recent.Ring
}

// toolServers declares the pages of servers of agents' tools.
func toolServers(ring *recent.Ring) *serverPages {
	h := &serverPages{recent: ring}
	h.resource = &resource[admin.MCPServer]{
		path: "/mcp-servers", param: "name", title: "MCP servers", read: auth.MCPRead, write: auth.MCPWrite,
		intro: "Servers of tools that agents call through the gateway. Add them under mcp_servers in the configuration file. Counts " +
			"begin with the start of this process.",
		empty: "There are no MCP servers. Add one under mcp_servers in the configuration file.",
		live:  10, key: func(s admin.MCPServer) string { return s.Name },
		columns: []column[admin.MCPServer]{
			{"Server", "break", func(_ *request, s admin.MCPServer) part { return linkPart(serverPath(s.Name), s.Name) }},
			{"Health", "", func(_ *request, s admin.MCPServer) part { return peerHealth(s.Health) }},
			{"Era", "", func(_ *request, s admin.MCPServer) part { return textPart(s.Era) }},
			{"Tools", "num", func(_ *request, s admin.MCPServer) part { return textPart(count(s.Known)) }},
			{"Withheld", "", func(_ *request, s admin.MCPServer) part { return drawWithheld(s.Withheld) }},
			{"Answered", "num", func(_ *request, s admin.MCPServer) part { return textPart(count(s.Answered)) }},
			{"Failed", "num", func(_ *request, s admin.MCPServer) part { return textPart(count(s.Failed)) }},
			{"Price per call", "num", func(_ *request, s admin.MCPServer) part { return usdPart(s.PricePerCall) }},
		},
		list: func(r *request) (list[admin.MCPServer], error) {
			all, err := r.service().MCPServers().List(r.ctx(), r.who, r.listWindow())
			return collect(r, all, err)
		},
		page: h.show,
	}
	return h
}

func (h *serverPages) mount(c *Console) {
	h.resource.mount(c)
	const one = "/mcp-servers/:name"
	c.post(one+"/check", auth.MCPWrite, h.check)
	c.get(one+"/tools/:tool", auth.MCPRead, h.showTool)
	c.post(one+"/tools/:tool/approve", auth.MCPWrite, submit(h.decide(true), h.showTool))
	c.post(one+"/tools/:tool/reject", auth.MCPWrite, submit(h.decide(false), h.showTool))
}

func serverPath(name string) string { return "/mcp-servers/" + url.PathEscape(name) }

func toolPath(server, tool string) string {
	return serverPath(server) + "/tools/" + url.PathEscape(tool)
}

// peerHealth draws how a server of tools or an agent has answered last.
func peerHealth(health string) part {
	return statePart(map[string]string{"ANSWERING": "healthy", "FAILING": "failed", "UNKNOWN": "unknown"}[health])
}

// drawWithheld draws how many tools are not served.
func drawWithheld(n int) part {
	if n == 0 {
		return textPart("none")
	}
	return part{"several", []part{statePart("held"), textPart(count(n))}}
}

func (h *serverPages) show(r *request) error {
	s, err := r.service().MCPServers().Get(r.ctx(), r.who, r.Param("name"))
	if err != nil {
		return err
	}
	p := &recordPage{Crumbs: []link{{Path: h.path, Text: h.title}}}
	if r.who.Can(h.write) {
		p.Head = append(p.Head, part{"button", link{Path: serverPath(s.Name) + "/check#main", Text: "Fetch tools"}})
	}
	p.add(part{"facts", []fact{
		{"Health", peerHealth(s.Health)},
		{"Last answer", r.drawAge(s.LastAnswerAt)},
		{"Last failure", part{"several", []part{r.drawAge(s.LastFailureAt), textPart(s.LastFailure)}}},
		{"Messages", textPart(plural(s.Answered, "answer") + ", " + plural(s.Failed, "failure"))},
		{"Era", textPart(s.Era)},
		{"Definitions", textPart(map[string]string{
			"off": "not pinned", "first_use": "pinned at first use", "required": "pinned, each needs an approval",
		}[s.Pin])},
		{"Values behind placeholders", textPart(map[string]string{"keep": "not sent", "restore": "sent"}[s.Trust])},
		{"Price per call", usdPart(s.PricePerCall)},
		{"Clients reach it at", codePart("/mcp/" + s.Name)},
	}}, part{"heading", "Tools"})
	rows := list[admin.MCPTool]{First: true, Rows: s.List}
	p.add(part{"table", newTable(r, []column[admin.MCPTool]{
		{"Tool", "break", func(_ *request, t admin.MCPTool) part { return linkPart(toolPath(s.Name, t.Name), t.Name) }},
		{"Definition", "", func(_ *request, t admin.MCPTool) part { return toolState(&t) }},
		{"Served", "", func(_ *request, t admin.MCPTool) part { return textPart(formatYesNo(t.Served)) }},
		{"Callers", "break", func(_ *request, t admin.MCPTool) part { return textPart(callersText(t.Callers)) }},
		{"Price", "num", func(_ *request, t admin.MCPTool) part { return usdPart(t.Price) }},
		{"Calls", "num", func(_ *request, t admin.MCPTool) part { return textPart(count(t.Calls)) }},
		{"Failed", "num", func(_ *request, t admin.MCPTool) part { return textPart(count(t.FailedCalls)) }},
		{"Cost", "num", func(_ *request, t admin.MCPTool) part { return usdPart(t.Spent) }},
		{"Last call", "", func(r *request, t admin.MCPTool) part { return r.drawAge(t.LastCallAt) }},
	}, rows, func(t admin.MCPTool) string { return t.Name }, "No tools are known yet. Fetch them, or have a client list them.")})
	return r.show("record", s.Name, p)
}

func formatYesNo(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

// toolState draws whether the definition of a tool is trusted.
func toolState(t *admin.MCPTool) part {
	switch {
	case t.Refused:
		return statePart("refused")
	case t.State == "PINNED":
		return statePart("approved")
	case t.State == "REJECTED":
		return statePart("rejected")
	case t.State == "DRIFTED":
		return statePart("held")
	case t.State == "NEW":
		return statePart("pending")
	}
	return textPart("not pinned")
}

// callersText says who may call a tool.
func callersText(callers []admin.MCPCaller) string {
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

func (h *serverPages) check(r *request) error {
	name := r.Param("name")
	s, err := r.service().MCPServers().Check(r.ctx(), r.who, name)
	return r.finish(err, serverPath(name), "The server offers "+plural(s.Known, "tool")+".")
}
