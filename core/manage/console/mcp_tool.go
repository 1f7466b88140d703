package console

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/headgate-dev/headgate/core/gateway/recent"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// lastCalls is how many calls of a tool its page lists.
const lastCalls = 20

func (h *serverPages) showTool(r *request) error {
	server := r.Param("name")
	t, err := r.service().MCPServers().GetTool(r.ctx(), r.who, server, r.Param("tool"))
	if err != nil {
		return err
	}
	p := &recordPage{Crumbs: []link{{Path: h.path, Text: h.title}, {Path: buildServerPath(server), Text: server}}}
	if r.sent != nil {
		p.add(part{"bad", r.sent.Error})
	}
	if t.Refused {
		p.add(part{"note", "A guard has refused the definition of this tool when it was listed last. For callers whom that guard " +
			"judges, it is neither listed nor callable until it is listed with one that passes."})
	}
	p.add(part{"facts", []fact{
		{"Definition", newToolStatePart(&t)},
		{"Served", newTextPart(formatYesNo(t.Served))},
		{"Callers", newTextPart(formatCallers(t.Callers))},
		{"Price", newUSDPart(t.Price)},
		{"Calls", newTextPart(formatPlural(t.Calls, "call") + ", " + formatCount(t.FailedCalls) + " failed")},
		{"Cost", newUSDPart(t.Spent)},
		{"Last call", r.drawAge(t.LastCallAt)},
		{"Decided", part{"several", []part{newTimePart(t.DecidedAt), newTextPart(t.DecidedBy)}}},
	}})
	if len(t.Offered) > 0 {
		h.addDecision(r, p, server, &t)
	} else if len(t.Definition) > 0 {
		p.add(part{"heading", "Definition"}, part{"pre", indentJSON(t.Definition)})
	}
	if admin.SeesTraffic(r.who) {
		rows := list[recent.Exchange]{First: true, Rows: h.recent.ListNewest(r.who.Tenant, tools.FormatName(server, t.Name), lastCalls)}
		p.add(part{"heading", "Last calls"}, part{"table", newTable(r, []column[recent.Exchange]{
			{"Time", "nowrap", func(r *request, e recent.Exchange) part {
				return newLinkPart(buildRequestPath(e.ID, e.At), e.At.UTC().Format("2006-01-02 15:04:05 UTC"))
			}},
			{"Key", "break", func(_ *request, e recent.Exchange) part { return newTextPart(dashIfEmpty(e.Name)) }},
			{"Outcome", "", func(_ *request, e recent.Exchange) part {
				return newTextPart(strings.ReplaceAll(e.Outcome.String(), "_", " "))
			}},
			{"Decided by", "break", func(_ *request, e recent.Exchange) part { return newTextPart(dashIfEmpty(e.By)) }},
			{"Latency", "num", func(_ *request, e recent.Exchange) part { return newTextPart(formatShortDuration(e.Latency)) }},
		}, rows, func(e recent.Exchange) string { return e.ID }, "This node remembers no calls of the tool.")})
	}
	return r.show("record", t.Name, p)
}

// addDecision adds what the server offers instead of the trusted definition, and the forms that decide about it.
func (h *serverPages) addDecision(r *request, p *recordPage, server string, t *admin.MCPTool) {
	d := diffTexts(indentJSON(t.Definition), indentJSON(t.Offered))
	p.add(part{"heading", "Offered definition"})
	switch {
	case len(t.Definition) == 0:
		p.add(part{"paragraph", "The server offers this definition. None is approved yet."}, part{"pre", indentJSON(t.Offered)})
	case d.Same():
		p.add(part{"paragraph", "The server offers the trusted definition."})
	default:
		told := "The server offers another definition than the trusted one. It differs in: " + strings.Join(t.Fields, ", ") + "."
		p.add(part{"paragraph", told}, part{"diff", &d})
	}
	if !r.who.Can(h.write) || t.OfferedDigest == "" {
		return
	}
	digest := [][2]string{{"digest", t.OfferedDigest}}
	path := buildToolPath(server, t.Name)
	p.add(part{"actions", []part{
		newConfirmPart(confirmation{
			Opens: "Approve…", Says: "The gateway trusts the offered definition from now on, and serves the tool.", Action: path + "/approve",
			Button: "Approve definition", Hidden: digest, Left: true,
		}),
		newConfirmPart(confirmation{
			Opens: "Reject…", Says: "The tool stays withheld until the server offers the trusted definition again, or another one is approved.",
			Action: path + "/reject", Button: "Reject definition", Hidden: digest, Danger: true, Left: true,
		}),
	}})
}

// indentJSON returns JSON with a member in each line.
func indentJSON(doc json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, doc, "", "  ") != nil {
		return string(doc)
	}
	return b.String()
}

// decide returns a handler that approves or rejects an offered definition.
func (h *serverPages) decide(approve bool) func(*request, *Form) error {
	return func(r *request, f *Form) error {
		d, err := checkChange(f, admin.MCPDecision{Digest: f.readText("digest")})
		if err != nil {
			return err
		}
		server, tool := r.Param("name"), r.Param("tool")
		_, err = r.service().MCPServers().Decide(r.ctx(), r.who, server, tool, approve, d)
		told := "Definition rejected."
		if approve {
			told = "Definition approved."
		}
		return r.finish(err, buildToolPath(server, tool), told)
	}
}
