package node

import (
	"maps"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/manage/console"
)

// catalogue lists the models of the runtime in force for the console.
type catalogue struct{ g *gateway }

// ListModels returns the models that routes, providers and prices name in full.
func (c catalogue) ListModels() []console.Model {
	c.g.mu.Lock()
	defer c.g.mu.Unlock()
	return listKnownModels(c.g.rt)
}

func listKnownModels(rt *snapshot.Runtime) []console.Model {
	known := map[string][]string{}
	add := func(model, provider string) {
		if model != "" && !strings.ContainsAny(model, "*?") && !slices.Contains(known[model], provider) {
			known[model] = append(known[model], provider)
		}
	}
	for _, r := range rt.Router.Routes() {
		for i := range r.Targets {
			add(r.Pattern, r.Targets[i].Provider)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rt.Providers)) {
		for _, model := range rt.Providers[name].Models() {
			add(model, name)
		}
		if owner, ok := rt.Providers[name].(interface{ Catalogue() []string }); ok {
			for _, model := range owner.Catalogue() {
				add(model, name)
			}
		}
	}
	if prices, ok := rt.Prices.(*Prices); ok {
		prices.table.Load().VisitModels(func(provider, model string) { add(model, provider) })
	}
	out := make([]console.Model, 0, len(known))
	for _, name := range slices.Sorted(maps.Keys(known)) {
		out = append(out, console.Model{Name: name, Providers: known[name]})
	}
	return out
}

// FindOffers returns the providers of a model: those that its name leads to, then those that need their prefix, then those
// that clients cannot reach.
func (c catalogue) FindOffers(m console.Model, region string) []console.Offer {
	c.g.mu.Lock()
	defer c.g.mu.Unlock()
	return findOffers(c.g.rt, m, region)
}

func findOffers(rt *snapshot.Runtime, m console.Model, region string) []console.Offer {
	var reached, prefixed, others []console.Offer
	seen := map[string]bool{}
	plan := func(model string) []core.TargetRef {
		q := rt.Traffic.BuildQuery(model, region)
		q.Still = true
		targets, _ := rt.Router.PlanFor(nil, q)
		return targets
	}
	for _, t := range plan(m.Name) {
		if !seen[t.Provider] {
			seen[t.Provider] = true
			reached = append(reached, newOffer(rt, t, console.Offer{Reached: true}))
		}
	}
	for _, p := range m.Providers {
		if seen[p] {
			continue
		}
		seen[p] = true
		if targets := plan(p + "/" + m.Name); len(targets) > 0 && targets[0].Provider == p {
			prefixed = append(prefixed, newOffer(rt, targets[0], console.Offer{Reached: true, Prefixed: true}))
		} else {
			others = append(others, newOffer(rt, core.TargetRef{Provider: p, Model: m.Name}, console.Offer{}))
		}
	}
	return slices.Concat(reached, prefixed, others)
}

// newOffer adds the facts about a target to an offer.
func newOffer(rt *snapshot.Runtime, t core.TargetRef, o console.Offer) console.Offer {
	o.Provider = t.Provider
	if p := rt.Providers[t.Provider]; p != nil {
		o.Context = p.FindCapabilities(t.Model).MaxContextTokens
	}
	if rt.Prices != nil {
		o.Price = rt.Prices.FindPrice(t.Provider, t.Model)
	}
	return o
}
