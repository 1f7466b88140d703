package console

import (
	"context"
	"fmt"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/store"
)

// costHandlers serve costs, their forecast and anomalies.
type costHandlers struct {
	now  func() time.Time
	sums memo[*costSums]
}

func (h *costHandlers) mount(c *Console) {
	c.mountGet("/costs", auth.CostsRead, h.showCosts)
	c.mountGet("/costs/records", auth.CostsRead, h.listCosts)
}

// defaultCostDays is the length of the default period.
const defaultCostDays = 30

// maxCostParts limits the models and workspaces that a page lists. The most expensive come first.
const maxCostParts = 20

// costPage is the data of the page of costs.
type costPage struct {
	Form       *Form
	Workspaces []Option
	Names      *names
	*costSums
	As    time.Time // when the sums were computed
	Asked bool      // the reader set a filter

	now      time.Time
	split    string // what splits the chart: a key of costSplits, or ""
	partName func(split string, p *admin.CostPart) string
}

// costSums are sums over all matching records. They are cached, since summing millions of records takes longer than a page may.
type costSums struct {
	Total     meter.Summary
	Days      []admin.CostPart
	Models    []admin.CostPart
	Tenants   []admin.CostPart
	More      int // omitted models or workspaces
	Forecast  []meter.Forecast
	Anomalies []meter.Anomaly
	Keys      []admin.CostPart
	Split     []costSeries     // the parts that split the chart
	Before    []admin.CostPart // by day, in the span before
	BeforeSum meter.Summary
}

// parseCostFilter reads the filter of a request. The default period is the last 30 days.
func (r *request) parseCostFilter() (*Form, admin.CostQuery) {
	f := &Form{Values: r.Request.URL.Query()}
	q := admin.CostQuery{
		Tenant: f.readText("tenant"), Key: f.readText("key"), Model: f.readText("model"), Provider: f.readText("provider"),
		From: f.readText("from"),
		To:   f.readText("to"),
	}
	if q.From == "" && q.To == "" {
		q.From = r.c.Now().UTC().AddDate(0, 0, 1-defaultCostDays).Format(time.DateOnly)
		f.Values.Set("from", q.From)
	}
	return f, q
}

func (h *costHandlers) showCosts(r *request) error {
	f, q := r.parseCostFilter()
	workspaces, err := r.listWorkspaceChoices("All workspaces")
	if err != nil {
		return err
	}
	data := &costPage{
		Form: f, Workspaces: workspaces, Names: r.openWorkspaceNames(), Asked: q.Tenant+q.Key+q.Model+q.Provider+q.To != "",
		costSums: &costSums{}, now: h.now(),
	}
	split, before := f.readText("split"), f.isChecked("compare")
	if costSplits[split] == 0 {
		split = ""
	}
	key := fmt.Sprintf("%q %q %s %v", r.who.Tenant, q, split, before)
	sums, as, err := h.sums.get(r.ctx(), key, h.now, func(ctx context.Context) (*costSums, error) {
		p, err := sumCosts(ctx, r, q)
		if err == nil {
			err = p.addSplit(ctx, r, q, split, before)
		}
		return p, err
	})
	if err == nil && f.readText("format") == "csv" {
		return r.downloadCostsByKey(sums.Keys)
	}
	if err != nil {
		return r.showRefused("costs", "Costs", data, f, err)
	}
	data.costSums, data.As, data.split = sums, as, split
	data.partName = r.namePart
	return r.show("costs", "Costs", data)
}

func sumCosts(ctx context.Context, r *request, q admin.CostQuery) (p *costSums, err error) {
	s, p := r.service(), new(costSums)
	if p.Total, err = s.Costs().Summarize(ctx, r.who, q); err != nil {
		return nil, err
	}
	if p.Days, err = s.Costs().SumParts(ctx, r.who, q, store.ByDay); err != nil {
		return nil, err
	}
	if p.Models, err = s.Costs().SumParts(ctx, r.who, q, store.ByProvider|store.ByModel); err != nil {
		return nil, err
	}
	if p.Tenants, err = s.Costs().SumParts(ctx, r.who, q, store.ByTenant); err != nil {
		return nil, err
	}
	p.More = max(len(p.Models), len(p.Tenants)) - maxCostParts
	p.Models, p.Tenants = p.Models[:min(len(p.Models), maxCostParts)], p.Tenants[:min(len(p.Tenants), maxCostParts)]
	forecast, err := s.Costs().Forecast(ctx, r.who, q.Tenant, 0, admin.Page{Limit: maxCostParts})
	if p.Forecast, err = readAll(forecast, err, maxCostParts+1); err != nil {
		return nil, err
	}
	anomalies, err := s.Costs().ListAnomalies(ctx, r.who, q.Tenant, admin.Page{Limit: maxCostParts})
	p.Anomalies, err = readAll(anomalies, err, maxCostParts+1)
	return p, err
}

// costRecords is the data of the list of records.
type costRecords struct {
	Form       *Form
	Workspaces []Option
	Names      *names
	Records    list[admin.Cost]
}

func (h *costHandlers) listCosts(r *request) error {
	f, q := r.parseCostFilter()
	workspaces, err := r.listWorkspaceChoices("All workspaces")
	if err != nil {
		return err
	}
	data := &costRecords{Form: f, Workspaces: workspaces, Names: r.openWorkspaceNames()}
	costs, err := r.service().Costs().List(r.ctx(), r.who, q, r.readWindow())
	if data.Records, err = readPage(r, costs, err); err != nil {
		return r.showRefused("cost-records", "Cost records", data, f, err)
	}
	return r.show("cost-records", "Cost records", data)
}

// maxChartDays limits the days of the chart. The newest are shown.
const maxChartDays = 92
