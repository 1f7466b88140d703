package console

import (
	"net/url"
	"strings"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// newBudgetResource declares the pages of budgets.
func newBudgetResource() *resource[budgetRow] {
	s := &resource[budgetRow]{
		path: "/budgets", param: "id", title: "Budgets", read: auth.BudgetsRead, write: auth.BudgetsWrite,
		intro: "A budget limits spending in a period. A call that could exceed it is refused before it reaches a provider.",
		empty: "There are no budgets yet, so nothing limits spending. Create one below for a workspace, a key or all traffic.",
		columns: []column[budgetRow]{
			{"Name", "", func(_ *request, b budgetRow) part { return newLinkPart(buildBudgetPath(b.ID), b.Name) }},
			{"Scope", "", func(r *request, b budgetRow) part { return newTextPart(b.describeScope(r)) }},
			{"Period", "", func(_ *request, b budgetRow) part { return newTextPart(namePeriod(b.Period)) }},
			{"Spent", "num", func(_ *request, b budgetRow) part { return newUSDPart(b.Usage.Spent) }},
			{"Limit", "num", func(_ *request, b budgetRow) part { return b.newLimitPart() }},
			{"Used", "", func(_ *request, b budgetRow) part { return part{"share", b} }},
			{"State", "", func(_ *request, b budgetRow) part { return newStatePart(b.State()) }},
		},
		list: listBudgets,
		form: newBudgetForm,
		create: func(r *request, f *Form) error {
			change, err := readBudgetChange(f)
			if err != nil {
				return err
			}
			n := admin.NewBudget{BudgetChange: change, Tenant: f.readOptionalText("tenantId")}
			if tenant, key, ok := strings.Cut(f.readText("apiKeyId"), "/"); ok {
				if n.Tenant != nil && *n.Tenant != tenant {
					f.addError("apiKeyId", "This key belongs to another workspace.")
					return f.reportErrors()
				}
				n.Tenant, n.Key = &tenant, &key
			}
			_, err = r.service().Budgets().Create(r.ctx(), r.who, n)
			return r.finish(err, "/budgets", "Budget created. It applies at once.")
		},
		update: func(r *request, id string, f *Form) error {
			change, err := readBudgetChange(f)
			if err != nil {
				return err
			}
			_, err = r.service().Budgets().Update(r.ctx(), r.who, id, change, f.readTag())
			return r.finish(err, buildBudgetPath(id), "Budget saved. What was spent in this period still counts.")
		},
		remove: func(r *request, id string) error { return r.service().Budgets().Delete(r.ctx(), r.who, id, "") },
		told:   "Budget deleted. It no longer limits spending.",
	}
	s.page = func(r *request) error { return showBudget(r, s) }
	return s
}

func buildBudgetPath(id string) string { return "/budgets/" + url.PathEscape(id) }

// budgetRow is a budget and its usage.
type budgetRow struct {
	admin.Budget
	Usage admin.BudgetUsage
}

// State returns whether the budget applies, and how full it is when it is nearly used up.
func (b budgetRow) State() string {
	switch {
	case !b.Enabled:
		return "Disabled"
	case b.Usage.Pct != nil && *b.Usage.Pct >= 100:
		return "used up"
	case b.Usage.Pct != nil && b.SoftPct > 0 && *b.Usage.Pct >= float64(b.SoftPct):
		return "above the soft limit"
	}
	return "active"
}

// FilledPercent returns the used share in whole per cent, 100 at most.
func (b budgetRow) FilledPercent() int {
	if b.Usage.Pct == nil {
		return 0
	}
	return int(max(0, min(*b.Usage.Pct, 100)))
}

// describeScope returns what the budget limits.
func (b budgetRow) describeScope(r *request) string {
	scope := "all workspaces"
	if b.Tenant != nil {
		scope = r.openWorkspaceNames().NameOf(b.Tenant)
	}
	if b.Key != nil {
		scope += ", key " + *b.Key
		if b.Tenant != nil {
			if k, err := r.service().Keys().Get(r.ctx(), r.who, *b.Tenant, *b.Key); err == nil {
				scope = r.openWorkspaceNames().NameOf(b.Tenant) + ", key " + k.Name + " (" + k.KeyPrefix + "…)"
			}
		}
	}
	return scope
}

func (b budgetRow) newLimitPart() part {
	if b.Limit == nil {
		return newTextPart("tokens only")
	}
	return newUSDPart(b.Limit)
}

func namePeriod(period string) string {
	switch period {
	case "DAILY":
		return "daily"
	case "WEEKLY":
		return "weekly"
	case "MONTHLY":
		return "monthly"
	}
	return period
}

func listBudgets(r *request) (list[budgetRow], error) {
	budgets, err := r.service().Budgets().List(r.ctx(), r.who, r.Query("tenant"), r.Query("key"), r.readWindow())
	rows, err := readPage(r, budgets, err)
	out := list[budgetRow]{After: rows.After, First: rows.First}
	if err != nil {
		return out, err
	}
	for _, b := range rows.Rows {
		u, err := r.service().Budgets().ReadUsage(r.ctx(), r.who, b.ID)
		if err != nil {
			return out, err
		}
		out.Rows = append(out.Rows, budgetRow{b, u})
	}
	return out, nil
}

// listBudgetFields returns the fields of a new budget and of one that is changed.
func listBudgetFields() []field {
	return []field{
		newInput("name", "Name", "required", "placeholder=research-monthly"),
		newInput("limitUsd", "Limit, USD", "required", "mono", "placeholder=100"),
		newChoice("period", "Period", newOptions("DAILY", "Daily", "WEEKLY", "Weekly", "MONTHLY", "Monthly"),
			"hint=Resets at midnight, on Mondays or on the first of the month, UTC."),
		newInput("softLimitPct", "Soft limit, per cent", "mono", "hint=An event is sent when this share is spent. 0: never."),
	}
}

func newBudgetForm(r *request) (part, error) {
	workspaces, err := r.listWorkspaceChoices("All workspaces together")
	if err != nil {
		return part{}, err
	}
	chosen := ""
	if r.Query("tenant") != "" && r.Query("key") != "" {
		chosen = r.Query("tenant") + "/" + r.Query("key")
	}
	keys, err := r.listKeyChoices(workspaces, chosen)
	initial := newForm("period", "MONTHLY", "tenantId", r.Query("tenant"), "apiKeyId", chosen, "softLimitPct", "80")
	fields := append([]field{
		newChoice("tenantId", "Workspace", workspaces),
		newChoice("apiKeyId", "Key", keys, "hint=The page of a key has a link that chooses it here."),
	}, listBudgetFields()...)
	return r.newFormPart(formView{ID: "new", Heading: "New budget", Action: "/budgets", Button: "Create budget"}, initial, fields...), err
}

// listKeyChoices returns the first keys of workspaces for a field, as workspace/key, with one that is chosen already.
func (r *request) listKeyChoices(workspaces []Option, chosen string) ([]Option, error) {
	out := newOptions("", "All keys together")
	if !r.who.Can(auth.KeysRead) {
		return out, nil
	}
	add := func(workspace, value string, k *admin.Key) {
		out = append(out, Option{Value: value, Label: workspace + ": " + k.Name + " (" + k.KeyPrefix + "…)"})
	}
	tenant, id, _ := strings.Cut(chosen, "/")
	if k, err := r.service().Keys().Get(r.ctx(), r.who, tenant, id); chosen != "" && err == nil {
		add(r.openWorkspaceNames().NameOf(tenant), chosen, &k)
	}
	for _, w := range workspaces {
		if w.Value == "" {
			continue
		}
		if len(out) >= maxChoices {
			break
		}
		keys, err := r.service().Keys().List(r.ctx(), r.who, w.Value, admin.Page{Limit: maxChoices - len(out)})
		list, err := readAll(keys, err, maxChoices)
		if err != nil {
			return nil, err
		}
		for i := range list {
			if value := w.Value + "/" + list[i].ID; value != chosen && list[i].Status == "active" {
				add(w.Label, value, &list[i])
			}
		}
	}
	return out, nil
}

// readBudgetChange reads the fields that both forms send.
func readBudgetChange(f *Form) (admin.BudgetChange, error) {
	soft := f.readNumber("softLimitPct")
	c := admin.BudgetChange{
		Name: f.readOptionalText("name"), Period: f.readOptionalText("period"), Limit: f.readUSD("limitUsd"),
		SoftPct: &soft,
	}
	if f.Values.Has("tag") { // the form of an existing budget has a box for it
		enabled := f.isChecked("enabled")
		c.Enabled = &enabled
	}
	return checkChange(f, c)
}

func showBudget(r *request, s *resource[budgetRow]) error {
	v, err := r.service().Budgets().Get(r.ctx(), r.who, r.Param("id"))
	if err != nil {
		return err
	}
	u, err := r.service().Budgets().ReadUsage(r.ctx(), r.who, v.ID)
	if err != nil {
		return err
	}
	b := budgetRow{v, u}
	cards := []cardView{{"Spent in this period", formatUSDText(u.Spent), -1}}
	if b.Limit != nil {
		cards = append(cards, cardView{"Limit", formatUSDText(b.Limit), -1})
	}
	if u.Remaining != nil {
		cards = append(cards, cardView{"Left", formatUSDText(u.Remaining), -1})
	}
	if u.Pct != nil {
		cards = append(cards, cardView{"Used", formatPercent(*u.Pct), b.FilledPercent()})
	}
	p := &recordPage{Crumbs: []link{{Path: "/budgets", Text: s.title}}, State: b.State()}
	facts := []fact{
		{"Scope", newTextPart(b.describeScope(r))},
		{"Period", newTextPart(namePeriod(b.Period))},
		{"From", newTimePart(u.From)},
		{"Resets", newTimePart(u.To)},
		{"Version", newTextPart(formatCount(b.Version))},
	}
	if u.Soft != nil {
		facts = append(facts, fact{"Soft limit", newTextPart(formatUSDText(u.Soft) + " (" + formatCount(b.SoftPct) + " %)")})
	}
	p.add(part{"cards", cards}, part{"facts", facts})
	switch {
	case b.Source == "file":
		p.add(newHintPart("This budget is defined in the configuration file. Change it there."))
	case r.who.Can(s.write):
		initial := newForm("name", b.Name, "period", b.Period, "softLimitPct", formatCount(b.SoftPct), "limitUsd", formatAmount(b.Limit))
		initial.setChecked("enabled", b.Enabled)
		p.add(r.newFormPart(formView{Heading: "Settings", Action: buildBudgetPath(b.ID), Button: "Save budget", Tag: admin.ComputeTag(v)},
			initial, append(listBudgetFields(), newCheckbox("enabled", "Enabled"))...),
			s.newDeletion(b.ID, "Delete budget…", "It no longer limits spending. This cannot be undone.", "Delete "+b.Name))
	}
	return r.show("record", b.Name, p)
}
