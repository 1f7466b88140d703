package console

import (
	"net/url"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/outbox"
)

// agentPages serve the agents that other agents reach through the gateway.
type agentPages struct{ *resource[admin.Agent] }

// newAgentPages declares the pages of agents.
func newAgentPages() *agentPages {
	h := &agentPages{}
	h.resource = &resource[admin.Agent]{
		path: "/agents", param: "name", title: "Agents", read: auth.AgentsRead, write: auth.AgentsWrite,
		intro: "Agents that other agents reach through the gateway (A2A), with the same keys, policies and budgets. Counts begin with " +
			"the start of this process.",
		empty: "There are no agents. Register one below, or write it under agents in the configuration file.",
		live:  10, key: func(a admin.Agent) string { return a.Name },
		columns: []column[admin.Agent]{
			{"Agent", "break", func(_ *request, a admin.Agent) part { return newLinkPart(buildAgentPath(a.Name), a.Name) }},
			{"Status", "", func(_ *request, a admin.Agent) part { return newStatePart(nameEnabledState(a.Enabled)) }},
			{"Health", "", func(_ *request, a admin.Agent) part { return newHealthPart(a.Health) }},
			{"URL", "break", func(_ *request, a admin.Agent) part { return newTextPart(a.URL) }},
			{"Messages", "num", func(_ *request, a admin.Agent) part { return newTextPart(formatCount(a.Messages)) }},
			{"Cost", "num", func(_ *request, a admin.Agent) part { return newUSDPart(a.Spent) }},
			{"Source", "", func(_ *request, a admin.Agent) part { return newSourcePart(a.Source) }},
		},
		list: func(r *request) (list[admin.Agent], error) {
			all, err := r.service().Agents().List(r.ctx(), r.who, r.readWindow())
			return readPage(r, all, err)
		},
		form: func(r *request) (part, error) {
			v := formView{ID: "new", Heading: "New agent", Action: "/agents", Anchor: "new", Button: "Register agent", Autocomplete: "off"}
			return r.newFormPart(v, newForm(),
				newInput("name", "Name", "required", "placeholder=planner", "hint=Clients reach it at /a2a/ and this name. It cannot be changed."),
				newInput("url", "URL", "required", "type=url", "placeholder=https://agents.example.com/planner"),
				newInput("authorization", "Authorization header", "type=password", "autocomplete=new-password",
					"hint=The agent's credential. It is stored encrypted and never shown."),
				newInput("price_per_call", "Price per message in USD", "type=number", "min=0", "step=any"), newPushField()), nil
		},
		create: h.createAgent,
		page:   func(r *request) error { return h.show(r, "") },
		update: h.saveAgent,
		name:   nameByID,
		remove: func(r *request, name string) error { return r.service().Agents().Delete(r.ctx(), r.who, name, "") },
		told:   "Agent deleted. Calls to it are refused.",
	}
	return h
}

func (h *agentPages) mount(c *Console) {
	h.resource.mount(c)
	c.mountPost("/agents/:name/check", auth.AgentsWrite, func(r *request) error {
		card, err := r.service().Agents().FetchCard(r.ctx(), r.who, r.Param("name"))
		if err != nil {
			return err
		}
		return h.show(r, indentJSON(card.Card))
	})
}

func buildAgentPath(name string) string { return "/agents/" + url.PathEscape(name) }

// show answers with the page of an agent. card is what the agent publishes of itself. Optional.
func (h *agentPages) show(r *request, card string) error {
	a, err := r.service().Agents().Get(r.ctx(), r.who, r.Param("name"))
	if err != nil {
		return err
	}
	p := &recordPage{Crumbs: []link{{Path: h.path, Text: h.title}}, State: nameEnabledState(a.Enabled)}
	writes := r.who.Can(h.write)
	if writes && a.Enabled {
		p.Head = append(p.Head, part{"button", link{Path: buildAgentPath(a.Name) + "/check#main", Text: "Fetch card"}})
	}
	if a.Source == "file" {
		p.add(part{"note", "This agent is defined in the configuration file, and can be changed only there."})
	}
	var callers []admin.MCPCaller
	for _, c := range a.Access {
		callers = append(callers, admin.MCPCaller{Tenants: c.Tenants, Keys: c.Keys})
	}
	p.add(part{"facts", []fact{
		{"Health", newHealthPart(a.Health)},
		{"Last answer", r.drawAge(a.LastAnswerAt)},
		{"Last failure", part{"several", []part{r.drawAge(a.LastFailureAt), newTextPart(a.LastFailure)}}},
		{"Requests", newTextPart(formatPlural(a.Answered, "answer") + ", " + formatPlural(a.Failed, "failure"))},
		{"Messages", newTextPart(formatCount(a.Messages))},
		{"Cost", newUSDPart(a.Spent)},
		{"Price per message", newUSDPart(a.PricePerCall)},
		{"URL", newTextPart(a.URL)},
		{"Headers", newTextPart(dashIfEmpty(strings.Join(a.HeaderNames, ", ")))},
		{"Push notifications to", newTextPart(dashIfEmpty(strings.Join(maskAddresses(a.PushTo), ", ")))},
		{"Callers", newTextPart(formatCallers(callers))},
		{"Values behind placeholders", newTextPart(map[string]string{"keep": "not sent", "restore": "sent"}[a.Trust])},
		{"Clients reach it at", newCodePart("/a2a/" + a.Name)},
		{"Source", newSourcePart(a.Source)},
	}})
	if card != "" {
		p.add(part{"heading", "Card"}, part{"pre", card})
	}
	if writes && a.Source != "file" {
		initial := newForm("price_per_call", formatAmount(&a.PricePerCall), "push_to", strings.Join(a.PushTo, "\n"))
		initial.setChecked("enabled", a.Enabled)
		v := formView{ID: "settings", Heading: "Settings", Action: buildAgentPath(a.Name), Anchor: "settings", Button: "Save agent", Plain: true}
		p.add(r.newFormPart(v, initial, newInput("price_per_call", "Price per message in USD", "type=number", "min=0", "step=any"),
			newPushField(), newCheckbox("enabled", "Enabled", "hint=Calls to a disabled agent are refused.")))
		p.add(h.newTypedDeletion(r, a.Name, a.Name, "Delete agent…", "Calls to it are refused, and its headers are deleted. This cannot be undone."))
	}
	return r.show("record", a.Name, p)
}

// newPushField returns the field of the addresses at which clients may be notified.
func newPushField() field {
	return newTextarea("push_to", "Push notifications to", "mono", "rows=2",
		"hint=Addresses at which clients may be notified of their tasks, one on each line. Paths below them are allowed too. Empty: nowhere.")
}

// readPushAddresses reads the addresses of a form; nil if they are those that the agent has.
func readPushAddresses(f *Form, now []string) *[]string {
	addresses := strings.Fields(f.Values.Get("push_to"))
	if slices.Equal(addresses, now) {
		return nil
	}
	return &addresses
}

// maskAddresses returns what every reader of the page may see of addresses: their paths can be credentials.
func maskAddresses(addresses []string) []string {
	out := make([]string, len(addresses))
	for i, a := range addresses {
		if out[i] = a; strings.Count(a, "/") > 2 { // there is a path
			out[i] = outbox.MaskURL(a)
		}
	}
	return out
}

// readCallPrice reads the price of a call or message in a form; nil if there is none.
func readCallPrice(f *Form) *money.Amount {
	text := f.readText("price_per_call")
	if text == "" {
		return nil
	}
	v, err := money.Parse(text)
	if err != nil {
		f.addError("price_per_call", "Write an amount such as 0.05.")
	}
	return &v
}

func (h *agentPages) createAgent(r *request, f *Form) error {
	address, headers := f.readText("url"), map[string]string{}
	if v := f.readText("authorization"); v != "" {
		headers["Authorization"] = v
	}
	n, err := checkChange(f, admin.NewAgent{
		Name: f.readText("name"), AgentChange: admin.AgentChange{
			URL: &address, Headers: &headers, PricePerCall: readCallPrice(f), PushTo: readPushAddresses(f, nil),
		},
	})
	if err != nil {
		return err
	}
	a, err := r.service().Agents().Create(r.ctx(), r.who, n)
	return r.finish(err, buildAgentPath(a.Name), "Agent registered. Clients reach it within seconds.")
}

func (h *agentPages) saveAgent(r *request, name string, f *Form) error {
	now, err := r.service().Agents().Get(r.ctx(), r.who, name)
	if err != nil {
		return err
	}
	enabled := f.isChecked("enabled")
	c, err := checkChange(f, admin.AgentChange{Enabled: &enabled, PricePerCall: readCallPrice(f), PushTo: readPushAddresses(f, now.PushTo)})
	if err != nil {
		return err
	}
	_, err = r.service().Agents().Update(r.ctx(), r.who, name, c, f.readTag())
	return r.finish(err, buildAgentPath(name), "Agent saved.")
}
