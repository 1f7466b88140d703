package console

import (
	"net/url"
	"strings"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// budgets declares the pages of budgets.
func budgets() *resource[budgetRow] {
	s := &resource[budgetRow]{
		path: "/budgets", param: "id", title: "Budgets", read: auth.BudgetsRead, write: auth.BudgetsWrite,
		intro: "A budget limits spending in a period. A call that could exceed it is refused before it reaches a provider.",
		empty: "There are no budgets yet, so nothing limits spending. Create one below for a workspace, a key or all traffic.",
		columns: []column[budgetRow]{
			{"Name", "", func(_ *request, b budgetRow) part { return linkPart(budgetPath(b.ID), b.Name) }},
			{"Scope", "", func(r *request, b budgetRow) part { return textPart(b.scope(r)) }},
			{"Period", "", func(_ *request, b budgetRow) part { return textPart(periodName(b.Period)) }},
			{"Spent", "num", func(_ *request, b budgetRow) part { return usdPart(b.Usage.Spent) }},
			{"Limit", "num", func(_ *request, b budgetRow) part { return b.limit() }},
			{"Used", "", func(_ *request, b budgetRow) part { return part{"share", b} }},
			{"State", "", func(_ *request, b budgetRow) part { return statePart(b.State()) }},
		},
		list: listBudgets,
		form: newBudgetForm,
		create: func(r *request, f *Form) error {
			change, err := budgetChange(f)
			if err != nil {
				return err
			}
			n := admin.NewBudget{BudgetChange: change, Tenant: f.optionalText("tenantId")}
			if tenant, key, ok := strings.Cut(f.text("apiKeyId"), "/"); ok {
				if n.Tenant != nil && *n.Tenant != tenant {
					f.addError("apiKeyId", "This key belongs to another workspace.")
					return f.err()
				}
				n.Tenant, n.Key = &tenant, &key
			}
			_, err = r.service().Budgets().Create(r.ctx(), r.who, n)
			return r.finish(err, "/budgets", "Budget created. It applies at once.")
		},
		update: func(r *request, id string, f *Form) error {
			change, err := budgetChange(f)
			if err != nil {
				return err
			}
			_, err = r.service().Budgets().Update(r.ctx(), r.who, id, change, f.matchTag())
			return r.finish(err, budgetPath(id), "Budget saved. What was spent in this period still counts.")
		},
		remove: func(r *request, id string) error { return r.service().Budgets().Delete(r.ctx(), r.who, id, "") },
		told:   "Budget deleted. It no longer limits spending.",
	}
	s.page = func(r *request) error { return showBudget(r, s) }
	return s
}

func budgetPath(id string) string { return "/budgets/" + url.PathEscape(id) }

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

// scope returns what the budget limits.
func (b budgetRow) scope(r *request) string {
	scope := "all workspaces"
	if b.Tenant != nil {
		scope = r.workspaceNames().NameOf(b.Tenant)
	}
	if b.Key != nil {
		scope += ", key " + *b.Key
		if b.Tenant != nil {
			if k, err := r.service().Keys().Get(r.ctx(), r.who, *b.Tenant, *b.Key); err == nil {
				scope = r.workspaceNames().NameOf(b.Tenant) + ", key " + k.Name + " (" + k.KeyPrefix + "…)"
			}
		}
	}
	return scope
}

func (b budgetRow) limit() part {
	if b.Limit == nil {
		return textPart("tokens only")
	}
	return usdPart(b.Limit)
}

func periodName(period string) string {
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
	budgets, err := r.service().Budgets().List(r.ctx(), r.who, r.Query("tenant"), r.Query("key"), r.listWindow())
	rows, err := collect(r, budgets, err)
	out := list[budgetRow]{After: rows.After, First: rows.First}
	if err != nil {
		return out, err
	}
	for _, b := range rows.Rows {
		u, err := r.service().Budgets().Usage(r.ctx(), r.who, b.ID)
		if err != nil {
			return out, err
		}
		out.Rows = append(out.Rows, budgetRow{b, u})
	}
	return out, nil
}

// budgetFields are the fields of a new budget and of one that is changed.
func budgetFields() []field {
	return []field{
		input("name", "Name", "required", "placeholder=research-monthly"),
		input("limitUsd", "Limit, USD", "required", "mono", "placeholder=100"),
		choice("period", "Period", options("DAILY", "Daily", "WEEKLY", "Weekly", "MONTHLY", "Monthly"),
			"hint=Resets at midnight, on Mondays or on the first of the month, UTC."),
		input("softLimitPct", "Soft limit, per cent", "mono", "hint=An event is sent when this share is spent. 0: never."),
	}
}

func newBudgetForm(r *request) (part, error) {
	workspaces, err := r.workspaceChoices("All workspaces together")
	if err != nil {
		return part{}, err
	}
	chosen := ""
	if r.Query("tenant") != "" && r.Query("key") != "" {
		chosen = r.Query("tenant") + "/" + r.Query("key")
	}
	keys, err := r.keyChoices(workspaces, chosen)
	initial := newForm("period", "MONTHLY", "tenantId", r.Query("tenant"), "apiKeyId", chosen, "softLimitPct", "80")
	fields := append([]field{
		choice("tenantId", "Workspace", workspaces),
		choice("apiKeyId", "Key", keys, "hint=The page of a key has a link that chooses it here."),
	}, budgetFields()...)
	return r.formPart(formView{ID: "new", Heading: "New budget", Action: "/budgets", Button: "Create budget"}, initial, fields...), err
}

// keyChoices returns the first keys of workspaces for a field, as workspace/key, with one that is chosen already.
func (r *request) keyChoices(workspaces []Option, chosen string) ([]Option, error) {
	out := options("", "All keys together")
	if !r.who.Can(auth.KeysRead) {
		return out, nil
	}
	add := func(workspace, value string, k *admin.Key) {
		out = append(out, Option{Value: value, Label: workspace + ": " + k.Name + " (" + k.KeyPrefix + "…)"})
	}
	tenant, id, _ := strings.Cut(chosen, "/")
	if k, err := r.service().Keys().Get(r.ctx(), r.who, tenant, id); chosen != "" && err == nil {
		add(r.workspaceNames().NameOf(tenant), chosen, &k)
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

// budgetChange reads the fields that both forms send.
func budgetChange(f *Form) (admin.BudgetChange, error) {
	soft := f.number("softLimitPct")
	c := admin.BudgetChange{Name: f.optionalText("name"), Period: f.optionalText("period"), Limit: f.usd("limitUsd"), SoftPct: &soft}
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
	u, err := r.service().Budgets().Usage(r.ctx(), r.who, v.ID)
	if err != nil {
		return err
	}
	b := budgetRow{v, u}
	cards := []cardView{{"Spent in this period", usdText(u.Spent), -1}}
	if b.Limit != nil {
		cards = append(cards, cardView{"Limit", usdText(b.Limit), -1})
	}
	if u.Remaining != nil {
		cards = append(cards, cardView{"Left", usdText(u.Remaining), -1})
	}
	if u.Pct != nil {
		cards = append(cards, cardView{"Used", percent(*u.Pct), b.FilledPercent()})
	}
	p := &recordPage{Crumbs: []link{{Path: "/budgets", Text: s.title}}, State: b.State()}
	facts := []fact{
		{"Scope", textPart(b.scope(r))},
		{"Period", textPart(periodName(b.Period))},
		{"From", timePart(u.From)},
		{"Resets", timePart(u.To)},
		{"Version", textPart(count(b.Version))},
	}
	if u.Soft != nil {
		facts = append(facts, fact{"Soft limit", textPart(usdText(u.Soft) + " (" + count(b.SoftPct) + " %)")})
	}
	p.add(part{"cards", cards}, part{"facts", facts})
	switch {
	case b.Source == "file":
		p.add(hintPart("This budget is defined in the configuration file. Change it there."))
	case r.who.Can(s.write):
		initial := newForm("name", b.Name, "period", b.Period, "softLimitPct", count(b.SoftPct), "limitUsd", amountText(b.Limit))
		initial.setChecked("enabled", b.Enabled)
		p.add(r.formPart(formView{Heading: "Settings", Action: budgetPath(b.ID), Button: "Save budget", Tag: admin.Tag(v)},
			initial, append(budgetFields(), checkbox("enabled", "Enabled"))...),
			s.deletion(b.ID, "Delete budget…", "It no longer limits spending. This cannot be undone.", "Delete "+b.Name))
	}
	return r.show("record", b.Name, p)
}
