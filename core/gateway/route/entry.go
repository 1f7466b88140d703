package route

import (
	"slices"
	"strings"
	"sync/atomic"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/match"
)

type entry struct {
	Route
	match string           // Pattern, in the canonical spelling
	model string           // the model as the client spells it
	refs  []core.TargetRef // the targets, twice
	turn  atomic.Uint64
	total int
	// regional is true if a target has a region.
	regional bool
	// forClients is the entry used when a client names the model and no link has chosen it. Optional.
	forClients *entry
}

// findEntry returns the prepared route of a model, or nil if no provider serves it.
func (r *Router) findEntry(model string) *entry {
	t := r.table.Load()
	if e, ok := (*t.known.Load())[model]; ok {
		return e
	}
	return r.loadEntry(t, model)
}

// loadEntry resolves a model when it is first asked for.
func (r *Router) loadEntry(t *table, model string) *entry {
	e := r.resolveEntry(t, strings.Clone(model))
	if e == nil || len(model) > maxNameLength {
		return e
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	old := *t.known.Load()
	if known, ok := old[model]; ok {
		return known
	}
	if len(old) >= cacheSize {
		old = nil
	}
	grown := make(map[string]*entry, len(old)+1)
	for k, v := range old {
		grown[k] = v
	}
	grown[e.model] = e
	t.known.Store(&grown)
	return e
}

// resolveEntry prepares the plan of a model, once for names that a link chose and once for those of clients.
func (r *Router) resolveEntry(t *table, model string) *entry {
	name := r.normalizeModel(model)
	for _, e := range t.routes {
		if !match.MatchesGlobFold(e.match, name) {
			continue
		}
		if e.match != name && strings.EqualFold(e.match, name) { // the provider gets the operator's spelling
			return buildEntry(e.Route, model, e.Pattern, e.match).allowClients(true)
		}
		return buildEntry(e.Route, model, model, name).allowClients(true)
	}
	if p, rest, ok := strings.Cut(name, "/"); ok && r.names[p] && rest != "" {
		return buildEntry(Route{Targets: []Target{{Provider: p}}}, model, rest, rest).allowClients(t.reachable[p])
	}
	all := r.matchPrefixes(model, nil)
	if len(all) == 0 {
		return nil
	}
	e := buildEntry(Route{Targets: all}, model, model, model)
	reached := r.matchPrefixes(model, t.reachable)
	if len(reached) > 0 {
		e.forClients = buildEntry(Route{Targets: reached}, model, model, model)
	}
	return e
}

// matchPrefixes returns the providers that are known for a model's prefix, out of those in among; nil: of all. Without
// WithPrefixFallback it returns only the first.
func (r *Router) matchPrefixes(model string, among map[string]bool) (targets []Target) {
	for _, p := range r.prefixes {
		if among != nil && !among[p.provider] || !hasPrefixFold(model, p.text) ||
			slices.ContainsFunc(targets, func(x Target) bool { return x.Provider == p.provider }) {
			continue
		}
		if targets = append(targets, Target{Provider: p.provider}); !r.fallback {
			break
		}
	}
	return targets
}

// allowClients also lets clients use the entry if clients is set.
func (e *entry) allowClients(clients bool) *entry {
	if clients {
		e.forClients = e
	}
	return e
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// buildEntry prepares a route for one model, sent as send. name is its canonical spelling: a provider does not get its
// own prefix.
func buildEntry(t Route, model, send, name string) *entry {
	e := &entry{Route: t, model: model}
	for _, x := range t.Targets {
		ref := core.TargetRef{Provider: x.Provider, Model: send, Region: x.Region, Route: t.ID}
		if prefix, rest, ok := strings.Cut(name, "/"); ok && prefix == x.Provider {
			ref.Model = rest
		}
		switch {
		case x.ModelOverride != "":
			ref.Model = x.ModelOverride
		case t.Pinned != "":
			ref.Model = t.Pinned
		}
		e.refs = append(e.refs, ref)
		e.total += x.Weight
		e.regional = e.regional || x.Region != ""
	}
	e.refs = append(e.refs, e.refs...)
	return e
}
