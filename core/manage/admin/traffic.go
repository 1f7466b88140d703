package admin

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Traffic describes recent traffic.
type Traffic struct {
	meter.Pace
	Since   time.Time // of the lists: a whole hour
	Models  []TrafficPart
	Tenants []TrafficPart
	Costs   bool // whether the reader may see costs, which are 0 otherwise
}

// TrafficPart is a part of the traffic.
type TrafficPart struct {
	Tenant, Provider, Model string
	Calls                   int64
	Cost                    money.Amount
}

// SeesTraffic reports whether an actor may see traffic: actors who read usage or costs, or the audit log, which contains all
// of it.
func SeesTraffic(who *auth.Actor) bool {
	return who.Can(auth.UsageRead) || who.Can(auth.CostsRead) || who.Can(auth.AuditRead)
}

// authorizeTraffic checks the permission and returns the tenant to which the query applies.
func (s Exchanges) authorizeTraffic(ctx context.Context, who *auth.Actor, tenant string) (string, error) {
	p := auth.UsageRead
	switch {
	case who.Can(auth.CostsRead):
		p = auth.CostsRead
	case who.Can(auth.AuditRead):
		p = auth.AuditRead
	}
	return s.svc.authorize(ctx, who, p, tenant)
}

// SumTraffic returns the traffic of a span up to now, of one tenant or of all, with the maxUsed models and tenants.
func (s Exchanges) SumTraffic(ctx context.Context, who *auth.Actor, tenant string, span meter.Span, maxUsed int) (Traffic, error) {
	tenant, err := s.authorizeTraffic(ctx, who, tenant)
	if err != nil {
		return Traffic{}, err
	}
	t := Traffic{Costs: who.Can(auth.CostsRead)}
	if t.Pace, err = meter.ReadPace(ctx, s.svc.Store, tenant, span, s.svc.Now()); err != nil {
		return Traffic{}, err
	}
	t.Since = t.From.Truncate(time.Hour) // hourly sums suffice; single records are not read
	sums, err := s.svc.Store.Usage().SumCosts(
		ctx,
		store.CostFilter{Tenant: tenant, From: t.Since},
		store.ByTenant|store.ByProvider|store.ByModel,
	)
	if err != nil {
		return Traffic{}, err
	}
	t.Models = listTopParts(sums, maxUsed, func(p *TrafficPart) { p.Tenant = "" })
	t.Tenants = listTopParts(sums, maxUsed, func(p *TrafficPart) { p.Provider, p.Model = "", "" })
	t.Models = slices.DeleteFunc(t.Models, func(p TrafficPart) bool { return p.Model == "" }) // exchanges that reached no provider
	if !t.Costs {
		t.hideCosts()
	}
	return t, nil
}

// listTopParts groups sums by the fields that of keeps and returns the n groups with the most calls.
func listTopParts(sums []store.CostSums, n int, of func(*TrafficPart)) []TrafficPart {
	at := map[TrafficPart]int{}
	var out []TrafficPart
	for i := range sums {
		p := TrafficPart{Tenant: sums[i].Tenant, Provider: sums[i].Provider, Model: sums[i].Model}
		of(&p)
		k, ok := at[p]
		if !ok {
			k = len(out)
			at[p], out = k, append(out, p)
		}
		out[k].Calls += sums[i].Calls
		out[k].Cost += money.Amount(sums[i].Cost())
	}
	slices.SortStableFunc(out, func(a, b TrafficPart) int { return cmp.Compare(b.Calls, a.Calls) })
	return out[:min(n, len(out))]
}

func (t *Traffic) hideCosts() {
	t.Sum.Cost, t.Now.Cost = 0, 0
	for i := range t.Steps {
		t.Steps[i].Cost = 0
	}
	for _, list := range [][]TrafficPart{t.Models, t.Tenants} {
		for i := range list {
			list[i].Cost = 0
		}
	}
}
