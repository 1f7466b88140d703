// Package route maps a model's name to the targets that may serve it, in the
// order in which they are tried, and knows what that order depends on: which
// providers are well (Health), how fast they answer (Latencies), when a call is
// tried again (RetrySettings), and who goes first when there is much to do
// (Tiers). It makes no calls: it is told how they went. It imports only core and
// core/gateway/upstream.
package route

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// Strategies, as the specification names them.
const (
	ModelPrefix = "model-prefix" // the targets in their order
	RoundRobin  = "round-robin"  // each target first in turn
	Weighted    = "weighted"     // the first by weight, at random
)

// Target is one provider of a route.
type Target struct {
	Provider      string
	Weight        int    // relative share under Weighted; 0 is never the first
	ModelOverride string // the provider's name for the model; "": the route's pin, or the client's name
	Region        string
}

// Route sends models whose name matches a pattern to its targets.
type Route struct {
	ID       string // by which an output schema means it
	Pattern  string // glob; * crosses "/"
	Strategy string // "" means ModelPrefix
	Targets  []Target
	Pinned   string // a model version to send in place of the client's name
	// OtherRegions allows targets outside the tenant's region, after those within.
	OtherRegions bool
	// LatencySLA puts the cheapest target first that answers within it; 0: off.
	LatencySLA time.Duration
}

// Router finds the plan for a model. It is safe for concurrent use.
type Router struct {
	prefixes []prefix
	names    map[string]bool
	fallback bool
	table    atomic.Pointer[table]
}

// table are the routes in force.
type table struct {
	routes []*entry

	mu    sync.Mutex
	known atomic.Pointer[map[string]*entry] // by model: copied when it grows
}

type entry struct {
	Route
	match string           // Pattern, in the canonical spelling
	model string           // the model that the targets are for, as the client spells it
	refs  []core.TargetRef // the targets, twice
	turn  atomic.Uint64
	total int
	// regional is true when a target is bound to a region.
	regional bool
}

type prefix struct{ text, provider string }

// cacheSize bounds the models that are remembered, and longestName each: their names
// come from clients. When it is full all are forgotten, so that invented names do not
// keep out those that are in use; what is remembered again costs some microseconds.
const (
	cacheSize   = 1024
	longestName = 256
)

// Option changes how a Router works.
type Option func(*Router)

// PrefixFallback makes a model that no route is for fall back from the provider
// that knows its name best to the others that know it. The name is not changed.
func PrefixFallback() Option { return func(r *Router) { r.fallback = true } }

// New checks the routes and makes a router. providers are the configured
// providers with the prefixes of the model names that they are known for.
func New(routes []Route, providers map[string][]string, options ...Option) (*Router, error) {
	r := &Router{names: make(map[string]bool, len(providers))}
	for _, o := range options {
		o(r)
	}
	for name, ps := range providers {
		r.names[name] = true
		for _, p := range ps {
			r.prefixes = append(r.prefixes, prefix{p, name})
		}
	}
	// The longest prefix is the most specific; ties go by the provider's name, so that the order is always the same.
	slices.SortFunc(r.prefixes, func(a, b prefix) int {
		if d := len(b.text) - len(a.text); d != 0 {
			return d
		}
		return strings.Compare(a.provider, b.provider)
	})
	return r, r.Replace(routes)
}

// Replace puts other routes in force, from the next exchange on. Those that cannot
// work are left out, and the error says why. Of routes with one pattern the first
// counts.
func (r *Router) Replace(routes []Route) error {
	t := &table{}
	var errs []error
	for i := range routes {
		one := routes[i]
		one.Targets = slices.Clone(one.Targets)
		if err := r.check(&one); err != nil {
			errs = append(errs, fmt.Errorf("route %q: %w", one.Pattern, err))
			continue
		}
		t.routes = append(t.routes, &entry{Route: one, match: r.canonical(one.Pattern)})
	}
	// Exact names first, then the patterns that say most; else the order that they came in.
	slices.SortStableFunc(t.routes, func(a, b *entry) int { return literal(b.match) - literal(a.match) })
	empty := make(map[string]*entry)
	t.known.Store(&empty)
	r.table.Store(t)
	return errors.Join(errs...)
}

// Check answers what is wrong with a route for the configured providers.
func (r *Router) Check(one Route) error {
	one.Targets = slices.Clone(one.Targets)
	return r.check(&one)
}

// check finds what is wrong with a route, and gives its providers their
// configured names.
func (r *Router) check(t *Route) error {
	switch t.Strategy {
	case "", ModelPrefix, RoundRobin, Weighted:
	default:
		return fmt.Errorf("unknown strategy %q; use %s, %s or %s", t.Strategy, ModelPrefix, RoundRobin, Weighted)
	}
	if len(t.Targets) == 0 {
		return errors.New("it names no provider")
	}
	for i := range t.Targets {
		name, ok := r.provider(t.Targets[i].Provider)
		if !ok {
			return fmt.Errorf("there is no provider %q", t.Targets[i].Provider)
		}
		t.Targets[i].Provider = name
	}
	return nil
}

// literal ranks a pattern: an exact name above all, then by the number of
// characters that it fixes.
func literal(pattern string) int {
	n := len(pattern) - strings.Count(pattern, "*") - strings.Count(pattern, "?")
	if n == len(pattern) {
		return 1 << 20
	}
	return n
}

// entry is the prepared route of a model; nil: nobody serves it.
func (r *Router) entry(model string) *entry {
	t := r.table.Load()
	if e, ok := (*t.known.Load())[model]; ok {
		return e
	}
	return r.find(t, model)
}

// find resolves a model the first time it is asked for.
func (r *Router) find(t *table, model string) *entry {
	e := r.resolve(t, strings.Clone(model))
	if e == nil || len(model) > longestName {
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

func (r *Router) resolve(t *table, model string) *entry {
	name := r.canonical(model)
	for _, e := range t.routes {
		if core.Glob(e.match, name) {
			return copyTargets(e.Route, model, model, name)
		}
	}
	if p, rest, ok := strings.Cut(name, "/"); ok && r.names[p] && rest != "" {
		return copyTargets(Route{Targets: []Target{{Provider: p}}}, model, rest, rest)
	}
	var own Route
	for _, p := range r.prefixes {
		if strings.HasPrefix(model, p.text) && !slices.ContainsFunc(own.Targets, func(x Target) bool { return x.Provider == p.provider }) {
			if own.Targets = append(own.Targets, Target{Provider: p.provider}); !r.fallback {
				break
			}
		}
	}
	if len(own.Targets) == 0 {
		return nil
	}
	return copyTargets(own, model, model, model)
}

// copyTargets prepares a route for one model, which send names to the providers. name
// is the canonical spelling of that: a provider is not sent its own prefix.
func copyTargets(t Route, model, send, name string) *entry {
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

// Routes lists the routes, the most specific first.
func (r *Router) Routes() []Route {
	t := r.table.Load()
	out := make([]Route, len(t.routes))
	for i, e := range t.routes {
		out[i] = e.Route
	}
	return out
}
