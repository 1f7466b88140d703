package console

import (
	"cmp"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/meter"
)

// overviewHandlers serve the overview.
type overviewHandlers struct{}

func (h *overviewHandlers) mount(c *Console) {
	c.mountGet("/", "", h.showOverview)
	c.mountPost("/start/hide", "", h.hideStart)
}

const (
	topRows    = 8  // models and workspaces in the lists
	maxBudgets = 20 // budgets that are read
	fullest    = 5  // of them shown, the most used
)

// overviewPage is the data of the page.
type overviewPage struct {
	Span    meter.Span
	Tenant  string // the workspace shown; "" for all that the reader may see
	Sees    bool   // the reader may see traffic
	Traffic admin.Traffic
	Names   *names
	Budgets []admin.BudgetUsage
	Status  Status
	Start   *start // nil if it is hidden
}

// Spans returns the periods of the tabs.
func (overviewPage) Spans() []meter.Span {
	return []meter.Span{meter.LastHour, meter.LastDay, meter.LastWeek}
}

// SpanName returns the label of a tab.
func (overviewPage) SpanName(s meter.Span) string {
	return map[string]string{"hour": "Last hour", "day": "Last 24 hours", "week": "Last 7 days"}[s.Name]
}

// parseSpan returns the period with a name, by default the last hour.
func parseSpan(name string) meter.Span {
	for _, s := range (overviewPage{}).Spans() {
		if s.Name == name {
			return s
		}
	}
	return meter.LastHour
}

func (h *overviewHandlers) showOverview(r *request) error {
	p := &overviewPage{
		Span: parseSpan(r.Query("span")), Tenant: r.Query("tenant"), Sees: admin.SeesTraffic(r.who), Names: r.openWorkspaceNames(),
		Status: r.readGatewayStatus(),
	}
	if p.Sees {
		var err error
		if p.Traffic, err = r.service().Exchanges().SumTraffic(r.ctx(), r.who, p.Tenant, p.Span, topRows); err != nil {
			return err
		}
	}
	if r.who.Can(auth.BudgetsRead) {
		if err := p.readBudgets(r); err != nil {
			return err
		}
	}
	if err := p.readStart(r); err != nil {
		return err
	}
	return r.show("overview", "Overview", p)
}

// readBudgets reads the budgets and keeps the most used.
func (p *overviewPage) readBudgets(r *request) error {
	list, err := r.service().Budgets().List(r.ctx(), r.who, p.Tenant, "", admin.Page{Limit: maxBudgets})
	budgets, err := readAll(list, err, maxBudgets+1)
	if err != nil {
		return err
	}
	for _, b := range budgets {
		if !b.Enabled || b.Limit == nil {
			continue
		}
		u, err := r.service().Budgets().ReadUsage(r.ctx(), r.who, b.ID)
		if err != nil {
			return err
		}
		p.Budgets = append(p.Budgets, u)
	}
	slices.SortStableFunc(p.Budgets, func(a, b admin.BudgetUsage) int { return cmp.Compare(computeSpentPct(b), computeSpentPct(a)) })
	p.Budgets = p.Budgets[:min(len(p.Budgets), fullest)]
	return nil
}

// computeSpentPct returns the spent share of a budget in per cent.
func computeSpentPct(u admin.BudgetUsage) float64 {
	if u.Pct == nil {
		return 0
	}
	return *u.Pct
}

// Share returns the spent share of a budget, from 0 to 1.
func (overviewPage) Share(u admin.BudgetUsage) float64 { return computeSpentPct(u) / 100 }

// Rate returns the requests per minute of the last five minutes.
func (p *overviewPage) Rate() float64 { return float64(p.Traffic.Now.Calls) / 5 }

// Percent returns a number in per cent of all requests of the period.
func (p *overviewPage) Percent(n int64) float64 {
	if p.Traffic.Sum.Calls == 0 {
		return 0
	}
	return float64(n*1000/p.Traffic.Sum.Calls) / 10
}

// Problems returns the plugins that do not serve.
func (p *overviewPage) Problems() []admin.Plugin {
	var out []admin.Plugin
	for _, x := range p.Status.Plugins {
		if x.Reason != "" || x.OutOfService {
			out = append(out, x)
		}
	}
	return out
}

// startCookie records that the user hid the first steps.
const startCookie = "headgate_start"

func (h *overviewHandlers) hideStart(r *request) error {
	r.c.setCookie(r.Context, startCookie, "hidden", 365*24*time.Hour)
	return r.redirectWithNotice("/", "First steps hidden.")
}

// Percentage returns the spent share of a budget in per cent.
func (overviewPage) Percentage(u admin.BudgetUsage) float64 { return computeSpentPct(u) }
