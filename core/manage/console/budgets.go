package console

import (
	"net/url"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// budgetHandlers serve budgets.
type budgetHandlers struct{}

// budgets mounts budgets.
func (h *budgetHandlers) mount(c *Console) {
	c.get("/budgets", auth.BudgetsRead, func(r *request) error { return h.budgetsPage(r, nil, nil) })
	c.post("/budgets", auth.BudgetsWrite, h.createBudget)
	c.get("/budgets/:id", auth.BudgetsRead, func(r *request) error { return h.budgetPage(r, nil, nil) })
	c.post("/budgets/:id", auth.BudgetsWrite, h.updateBudget)
	c.post("/budgets/:id/delete", auth.BudgetsWrite, func(r *request) error {
		if err := r.service().Budgets().Delete(r.ctx(), r.who, r.Param("id"), ""); err != nil {
			return err
		}
		return r.done("/budgets", "The budget is deleted. It bounds nothing any more.")
	})
}

// budgetList is what the list shows.
type budgetList struct {
	Budgets    list[budgetRow]
	Form       *Form
	Workspaces []Option
	Names      *names
}

// budgetRow is a budget and how it stands.
type budgetRow struct {
	admin.Budget
	Usage admin.BudgetUsage
}

// Level is how full a budget is, for its colour.
func (b budgetRow) Level() string {
	switch {
	case b.Usage.Pct == nil || !b.Enabled:
		return ""
	case *b.Usage.Pct >= 100:
		return "used up"
	case b.SoftPct > 0 && *b.Usage.Pct >= float64(b.SoftPct):
		return "above the soft limit"
	}
	return ""
}

// Filled is the share that is used, in whole per cent, 100 at most.
func (b budgetRow) Filled() int {
	if b.Usage.Pct == nil {
		return 0
	}
	return int(max(0, min(*b.Usage.Pct, 100)))
}

func (h *budgetHandlers) budgetsPage(r *request, f *Form, refused error) error {
	found, err := r.service().Budgets().List(r.ctx(), r.who, r.Query("tenant"), r.Query("key"), r.page())
	rows, err := collect(r, found, err)
	if err != nil {
		return err
	}
	workspaces, err := r.workspaceChoices("All workspaces together")
	if err != nil {
		return err
	}
	data := &budgetList{Form: f, Workspaces: workspaces, Names: r.names(), Budgets: list[budgetRow]{After: rows.After, First: rows.First}}
	for _, b := range rows.Rows {
		u, err := r.service().Budgets().Usage(r.ctx(), r.who, b.ID)
		if err != nil {
			return err
		}
		data.Budgets.Rows = append(data.Budgets.Rows, budgetRow{b, u})
	}
	if refused != nil {
		return r.again("budgets", "Budgets", data, f, refused)
	}
	data.Form = newForm("period", "MONTHLY", "tenantId", r.Query("tenant"), "apiKeyId", r.Query("key"), "softLimitPct", "80")
	return r.show("budgets", "Budgets", data)
}

// budgetChange are the fields that a form sends of a budget.
func budgetChange(f *Form) (admin.BudgetChange, error) {
	soft := f.number("softLimitPct")
	c := admin.BudgetChange{Name: f.opt("name"), Period: f.opt("period"), Limit: f.usd("limitUsd"), SoftPct: &soft}
	if _, sent := f.Values["changes"]; sent {
		enabled := f.on("enabled")
		c.Enabled = &enabled
	}
	err := f.ok()
	if err == nil {
		err = admin.Bounded(c)
	}
	return c, err
}

func (h *budgetHandlers) createBudget(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	change, err := budgetChange(f)
	if err == nil {
		_, err = r.service().Budgets().Create(r.ctx(), r.who, admin.NewBudget{BudgetChange: change, Tenant: f.opt("tenantId"), Key: f.opt("apiKeyId")})
	}
	if err != nil {
		return h.budgetsPage(r, f, err)
	}
	return r.done("/budgets", "The budget is made, and in force.")
}

func (h *budgetHandlers) budgetPage(r *request, f *Form, refused error) error {
	b, err := r.service().Budgets().Get(r.ctx(), r.who, r.Param("id"))
	if err != nil {
		return err
	}
	u, err := r.service().Budgets().Usage(r.ctx(), r.who, b.ID)
	if err != nil {
		return err
	}
	data := struct {
		Budget budgetRow
		Tag    string
		Form   *Form
		Names  *names
	}{budgetRow{b, u}, admin.Tag(b), f, r.names()}
	if refused != nil {
		return r.again("budget", b.Name, data, f, refused)
	}
	data.Form = newForm("name", b.Name, "period", b.Period, "softLimitPct", count(b.SoftPct))
	if b.Limit != nil {
		data.Form.Values.Set("limitUsd", b.Limit.String())
	}
	if b.Enabled {
		data.Form.Values.Set("enabled", "on")
	}
	return r.show("budget", b.Name, data)
}

func (h *budgetHandlers) updateBudget(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	change, err := budgetChange(f)
	if err == nil {
		_, err = r.service().Budgets().Update(r.ctx(), r.who, r.Param("id"), change, admin.Match(f.Values.Get("tag")))
	}
	if err != nil {
		return h.budgetPage(r, f, err)
	}
	return r.done("/budgets/"+url.PathEscape(r.Param("id")), "The budget is changed. What was spent in this period stays spent.")
}
