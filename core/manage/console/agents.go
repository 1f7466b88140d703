package console

import (
	"net/url"
	"strings"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/meter/money"
)

// agentPages serve the agents that other agents reach through the gateway.
type agentPages struct{ *resource[admin.Agent] }

// peers declares the pages of agents.
func peers() *agentPages {
	h := &agentPages{}
	h.resource = &resource[admin.Agent]{
		path: "/agents", param: "name", title: "Agents", read: auth.AgentsRead, write: auth.AgentsWrite,
		intro: "Agents that other agents reach through the gateway (A2A), with the same keys, policies and budgets. Counts begin with " +
			"the start of this process.",
		empty: "There are no agents. Register one below, or write it under agents in the configuration file.",
		live:  10, key: func(a admin.Agent) string { return a.Name },
		columns: []column[admin.Agent]{
			{"Agent", "break", func(_ *request, a admin.Agent) part { return linkPart(agentPath(a.Name), a.Name) }},
			{"Status", "", func(_ *request, a admin.Agent) part { return statePart(enabledState(a.Enabled)) }},
			{"Health", "", func(_ *request, a admin.Agent) part { return peerHealth(a.Health) }},
			{"URL", "break", func(_ *request, a admin.Agent) part { return textPart(a.URL) }},
			{"Messages", "num", func(_ *request, a admin.Agent) part { return textPart(count(a.Messages)) }},
			{"Cost", "num", func(_ *request, a admin.Agent) part { return usdPart(a.Spent) }},
			{"Source", "", func(_ *request, a admin.Agent) part { return sourcePart(a.Source) }},
		},
		list: func(r *request) (list[admin.Agent], error) {
			all, err := r.service().Agents().List(r.ctx(), r.who, r.listWindow())
			return collect(r, all, err)
		},
		form: func(r *request) (part, error) {
			v := formView{ID: "new", Heading: "New agent", Action: "/agents", Anchor: "new", Button: "Register agent", Autocomplete: "off"}
			return r.formPart(v, newForm(),
				input("name", "Name", "required", "placeholder=planner", "hint=Clients reach it at /a2a/ and this name. It cannot be changed."),
				input("url", "URL", "required", "type=url", "placeholder=https://agents.example.com/planner"),
				input("authorization", "Authorization header", "type=password", "autocomplete=new-password",
					"hint=The agent's credential. It is stored encrypted and never shown."),
				input("price_per_call", "Price per message in USD", "type=number", "min=0", "step=any")), nil
		},
		create: h.createAgent,
		page:   func(r *request) error { return h.show(r, "") },
		update: h.saveAgent,
		remove: func(r *request, name string) error { return r.service().Agents().Delete(r.ctx(), r.who, name, "") },
		told:   "Agent deleted. Calls to it are refused.",
	}
	return h
}

func (h *agentPages) mount(c *Console) {
	h.resource.mount(c)
	c.post("/agents/:name/check", auth.AgentsWrite, func(r *request) error {
		card, err := r.service().Agents().Check(r.ctx(), r.who, r.Param("name"))
		if err != nil {
			return err
		}
		return h.show(r, indentJSON(card.Card))
	})
}

func agentPath(name string) string { return "/agents/" + url.PathEscape(name) }

// show answers with the page of an agent. card is what the agent publishes of itself. Optional.
func (h *agentPages) show(r *request, card string) error {
	a, err := r.service().Agents().Get(r.ctx(), r.who, r.Param("name"))
	if err != nil {
		return err
	}
	p := &recordPage{Crumbs: []link{{Path: h.path, Text: h.title}}, State: enabledState(a.Enabled)}
	writes := r.who.Can(h.write)
	if writes && a.Enabled {
		p.Head = append(p.Head, part{"button", link{Path: agentPath(a.Name) + "/check#main", Text: "Fetch card"}})
	}
	if a.Source == "file" {
		p.add(part{"note", "This agent is defined in the configuration file, and can be changed only there."})
	}
	var callers []admin.MCPCaller
	for _, c := range a.Access {
		callers = append(callers, admin.MCPCaller{Tenants: c.Tenants, Keys: c.Keys})
	}
	p.add(part{"facts", []fact{
		{"Health", peerHealth(a.Health)},
		{"Last answer", r.drawAge(a.LastAnswerAt)},
		{"Last failure", part{"several", []part{r.drawAge(a.LastFailureAt), textPart(a.LastFailure)}}},
		{"Requests", textPart(plural(a.Answered, "answer") + ", " + plural(a.Failed, "failure"))},
		{"Messages", textPart(count(a.Messages))},
		{"Cost", usdPart(a.Spent)},
		{"Price per message", usdPart(a.PricePerCall)},
		{"URL", textPart(a.URL)},
		{"Headers", textPart(dashIfEmpty(strings.Join(a.HeaderNames, ", ")))},
		{"Callers", textPart(callersText(callers))},
		{"Values behind placeholders", textPart(map[string]string{"keep": "not sent", "restore": "sent"}[a.Trust])},
		{"Clients reach it at", codePart("/a2a/" + a.Name)},
		{"Source", sourcePart(a.Source)},
	}})
	if card != "" {
		p.add(part{"heading", "Card"}, part{"pre", card})
	}
	if writes && a.Source != "file" {
		initial := newForm("price_per_call", amountText(&a.PricePerCall))
		initial.setChecked("enabled", a.Enabled)
		v := formView{ID: "settings", Heading: "Settings", Action: agentPath(a.Name), Anchor: "settings", Button: "Save agent", Plain: true}
		p.add(r.formPart(v, initial, input("price_per_call", "Price per message in USD", "type=number", "min=0", "step=any"),
			checkbox("enabled", "Enabled", "hint=Calls to a disabled agent are refused.")))
		p.add(h.deletion(a.Name, "Delete agent…", "Calls to it are refused, and its headers are deleted. This cannot be undone.",
			"Delete "+a.Name))
	}
	return r.show("record", a.Name, p)
}

// price reads the price in a form; nil if there is none.
func (h *agentPages) price(f *Form) *money.Amount {
	text := f.text("price_per_call")
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
	address, headers := f.text("url"), map[string]string{}
	if v := f.text("authorization"); v != "" {
		headers["Authorization"] = v
	}
	n, err := checkChange(f, admin.NewAgent{
		Name: f.text("name"), AgentChange: admin.AgentChange{URL: &address, Headers: &headers, PricePerCall: h.price(f)},
	})
	if err != nil {
		return err
	}
	a, err := r.service().Agents().Create(r.ctx(), r.who, n)
	return r.finish(err, agentPath(a.Name), "Agent registered. Clients reach it within seconds.")
}

func (h *agentPages) saveAgent(r *request, name string, f *Form) error {
	enabled := f.isChecked("enabled")
	c, err := checkChange(f, admin.AgentChange{Enabled: &enabled, PricePerCall: h.price(f)})
	if err != nil {
		return err
	}
	_, err = r.service().Agents().Update(r.ctx(), r.who, name, c, f.matchTag())
	return r.finish(err, agentPath(name), "Agent saved.")
}
