package console

import (
	"cmp"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/meter"
)

// overviewHandlers serve the first page.
type overviewHandlers struct{}

// overview mounts the first page.
func (h *overviewHandlers) mount(c *Console) {
	c.get("/", "", h.showOverview)
	c.post("/start/hide", "", h.hideStart)
}

const (
	topRows     = 8  // models and workspaces in the lists of the first page
	mostBudgets = 20 // budgets that are looked at for the fullest
	fullest     = 5  // of them that are shown
)

// overviewPage is what the first page shows.
type overviewPage struct {
	Span    meter.Span
	Tenant  string // whose traffic alone is shown; "": all that the reader may see
	Sees    bool   // the reader may see traffic
	Traffic admin.Traffic
	Names   *names
	Budgets []admin.BudgetUsage
	Status  Status
	Start   *start // nil: it is not shown
}

// spans are the tabs.
func (overviewPage) Spans() []meter.Span {
	return []meter.Span{meter.LastHour, meter.LastDay, meter.LastWeek}
}

// SpanName is what a tab is called.
func (overviewPage) SpanName(s meter.Span) string {
	return map[string]string{"hour": "Last hour", "day": "Last 24 hours", "week": "Last 7 days"}[s.Name]
}

// spanOf is the one that a request names; the last hour otherwise.
func spanOf(name string) meter.Span {
	for _, s := range (overviewPage{}).Spans() {
		if s.Name == name {
			return s
		}
	}
	return meter.LastHour
}

func (h *overviewHandlers) showOverview(r *request) error {
	p := &overviewPage{Span: spanOf(r.Query("span")), Tenant: r.Query("tenant"), Sees: admin.SeesTraffic(r.who), Names: r.names(), Status: r.status()}
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

// readBudgets finds the budgets of which most is used.
func (p *overviewPage) readBudgets(r *request) error {
	list, err := r.service().Budgets().List(r.ctx(), r.who, p.Tenant, "", admin.Page{Limit: mostBudgets})
	budgets, err := all(list, err, mostBudgets+1)
	if err != nil {
		return err
	}
	for _, b := range budgets {
		if !b.Enabled || b.Limit == nil {
			continue
		}
		u, err := r.service().Budgets().Usage(r.ctx(), r.who, b.ID)
		if err != nil {
			return err
		}
		p.Budgets = append(p.Budgets, u)
	}
	slices.SortStableFunc(p.Budgets, func(a, b admin.BudgetUsage) int { return cmp.Compare(spentPct(b), spentPct(a)) })
	p.Budgets = p.Budgets[:min(len(p.Budgets), fullest)]
	return nil
}

// spentPct is the share of a budget that is spent, in per cent.
func spentPct(u admin.BudgetUsage) float64 {
	if u.Pct == nil {
		return 0
	}
	return *u.Pct
}

// Share is the same from 0 to 1.
func (overviewPage) Share(u admin.BudgetUsage) float64 { return spentPct(u) / 100 }

// Rate is how many calls there are in a minute of late.
func (p *overviewPage) Rate() float64 { return float64(p.Traffic.Now.Calls) / 5 }

// Percent is a part of all calls of the span.
func (p *overviewPage) Percent(n int64) float64 {
	if p.Traffic.Sum.Calls == 0 {
		return 0
	}
	return float64(n*1000/p.Traffic.Sum.Calls) / 10
}

// Problems are plugins that do not serve as they lie in the folder.
func (p *overviewPage) Problems() []admin.Plugin {
	var out []admin.Plugin
	for _, x := range p.Status.Plugins {
		if x.Reason != "" || x.OutOfService {
			out = append(out, x)
		}
	}
	return out
}

// startCookie remembers that somebody has hidden the first steps.
const startCookie = "headgate_start"

func (h *overviewHandlers) hideStart(r *request) error {
	r.c.cookie(r.Context, startCookie, "hidden", 365*24*time.Hour)
	return r.done("/", "The first steps are hidden.")
}

// Percentage is the share of a budget that is spent.
func (overviewPage) Percentage(u admin.BudgetUsage) float64 { return spentPct(u) }
