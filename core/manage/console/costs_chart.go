package console

import (
	"cmp"
	"context"
	"html/template"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/manage/console/chart"
	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/store"
)

// costSplits are the parts by which the chart of costs can be split.
var costSplits = map[string]store.CostGroup{
	"model": store.ByProvider | store.ByModel, "workspace": store.ByTenant, "key": store.ByTenant | store.ByKey, "provider": store.ByProvider,
}

// Splits returns the choices of the split.
func (p *costPage) Splits() []Option {
	return newOptions("", "Total", "model", "By model", "workspace", "By workspace", "key", "By key", "provider", "By provider")
}

// Splits returns no choices: the list of records has no chart.
func (*costRecords) Splits() []Option { return nil }

const day = 24 * time.Hour

// addSplit adds the costs of each day and part, and those of the span before.
func (p *costSums) addSplit(ctx context.Context, r *request, q admin.CostQuery, split string, before bool) (err error) {
	s := r.service().Costs()
	if p.Keys, err = s.SumParts(ctx, r.who, q, costSplits["key"]); err != nil {
		return err
	}
	if by := costSplits[split]; by != 0 {
		parts, err := s.SumParts(ctx, r.who, q, by|store.ByDay)
		if err != nil {
			return err
		}
		p.Split = splitCosts(split, parts)
	}
	from, to := p.findSpan(q)
	if !before || from.IsZero() {
		return nil
	}
	q.From, q.To = from.Add(-to.Sub(from)).Format(time.DateOnly), from.Format(time.DateOnly)
	if p.Before, err = s.SumParts(ctx, r.who, q, store.ByDay); err == nil {
		p.BeforeSum, err = s.Summarize(ctx, r.who, q)
	}
	return err
}

// findSpan returns the days of a query, its end exclusive.
func (p *costSums) findSpan(q admin.CostQuery) (from, to time.Time) {
	if len(p.Days) == 0 {
		return from, to
	}
	from, to = p.Days[0].Day, p.Days[len(p.Days)-1].Day.Add(day)
	if t, err := time.Parse(time.DateOnly, q.From); err == nil && t.Before(from) {
		from = t
	}
	if t, err := time.Parse(time.DateOnly, q.To); err == nil && t.After(to) {
		to = t
	}
	return from, to
}

// namePart returns the name of a part of the costs.
func (r *request) namePart(split string, p *admin.CostPart) string {
	name := ""
	switch split {
	case "model":
		name = p.Model
	case "provider":
		name = p.Provider
	case "workspace":
		name = r.openWorkspaceNames().NameOf(p.Tenant)
	case "key":
		name = r.findKeyName(p.Tenant, p.Key)
	}
	if name == "" {
		return "none"
	}
	return name
}

// maxSeries limits the parts of a split chart. The others are summed in one more.
const maxSeries = 5

// Chart draws the cost per day of the period: by the chosen split, compared with the period before, or in total.
func (p *costPage) Chart() template.HTML {
	if len(p.Days) == 0 {
		return ""
	}
	first, end := p.findSpan(admin.CostQuery{From: p.Form.readText("from")})
	if n := int(end.Sub(first) / day); n > maxChartDays {
		first = end.Add(-maxChartDays * day)
	}
	n := int(end.Sub(first) / day)
	c := chart.Chart{Title: "Cost by day, USD", Unit: chart.FormatDollars, Start: first, Step: day, Span: p.spanAddress(), Days: true}
	switch {
	case p.split != "":
		c.Series = p.splitSeries(first, n)
	case len(p.Before) > 0:
		shift := end.Sub(first)
		c.Series = []chart.Series{
			{Name: "This span", Values: listDayValues(p.Days, first, n)}, {Name: "Span before", Values: listDayValues(p.Before,
				first.Add(-shift), n)},
		}
		return c.Lines()
	default:
		c.Series = []chart.Series{{Name: "Cost", Values: listDayValues(p.Days, first, n)}}
	}
	return c.Bars()
}

// listDayValues returns the cost of each day in USD.
func listDayValues(parts []admin.CostPart, first time.Time, n int) []float64 {
	values := make([]float64, n)
	for i := range parts {
		if at := int(parts[i].Day.Sub(first) / day); at >= 0 && at < n {
			values[at] += float64(parts[i].Cost) / float64(money.USD)
		}
	}
	return values
}

// costSeries are the costs by day of one part that splits the chart, or of all parts that have no series of their own.
type costSeries struct {
	part   admin.CostPart // names the part
	others bool
	days   []admin.CostPart
}

// splitCosts returns the most expensive parts, and the sum of the others. Only these are named, since a name takes a lookup.
func splitCosts(split string, parts []admin.CostPart) (out []costSeries) {
	type identity struct{ tenant, key, provider, model string }
	identify := func(p *admin.CostPart) identity {
		if split == "model" {
			return identity{model: p.Model} // whoever serves it
		}
		return identity{tenant: p.Tenant, key: p.Key, provider: p.Provider}
	}
	sums := map[identity]money.Amount{}
	for i := range parts {
		sums[identify(&parts[i])] += parts[i].Cost
	}
	order := slices.SortedFunc(maps.Keys(sums), func(a, b identity) int {
		return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a.tenant+a.key+a.provider+a.model, b.tenant+b.key+b.provider+b.model))
	})
	at := map[identity]int{}
	for i, id := range order {
		at[id] = min(i, maxSeries)
	}
	out = make([]costSeries, min(len(order), maxSeries+1))
	for i := range parts {
		n := at[identify(&parts[i])]
		out[n].add(&parts[i], n == maxSeries)
	}
	return out
}

// add adds the cost of a part on one day. The result is cached, so there is one entry per day, not one per part.
func (s *costSeries) add(p *admin.CostPart, others bool) {
	s.part, s.others = *p, others
	at, found := slices.BinarySearchFunc(s.days, p.Day, func(d admin.CostPart, day time.Time) int { return d.Day.Compare(day) })
	if !found {
		s.days = slices.Insert(s.days, at, admin.CostPart{Day: p.Day})
	}
	s.days[at].Cost += p.Cost
}

// splitSeries returns the series of a split chart.
func (p *costPage) splitSeries(first time.Time, n int) (out []chart.Series) {
	for i := range p.Split {
		s := &p.Split[i]
		name := "others"
		if !s.others {
			name = p.partName(p.split, &s.part)
		}
		out = append(out, chart.Series{Name: name, Values: listDayValues(s.days, first, n)})
	}
	return out
}

// spanAddress returns the address of the page for another span of the same filter.
func (p *costPage) spanAddress() string {
	q := p.Form.copyValues("tenant", "model", "provider", "key", "split", "compare")
	if len(q) == 0 {
		return "/costs"
	}
	return "/costs?" + q.Encode()
}

// TopKeys returns the most expensive keys.
func (p *costPage) TopKeys() []admin.CostPart { return p.Keys[:min(len(p.Keys), maxCostParts)] }

// KeyName returns the name of a key.
func (p *costPage) KeyName(k admin.CostPart) string { return p.partName("key", &k) }

// Change returns the change of the cost since the span before, in words, or "".
func (p *costPage) Change() string {
	if len(p.Before) == 0 || p.BeforeSum.Cost == 0 {
		return ""
	}
	pct := 100 * (float64(p.Total.Cost) - float64(p.BeforeSum.Cost)) / float64(p.BeforeSum.Cost)
	sign := ""
	if pct > 0 {
		sign = "+"
	}
	return sign + strconv.FormatFloat(pct, 'f', 0, 64) + " % against " + formatUSDText(p.BeforeSum.Cost) + " before"
}
