// Package route maps a model's name to the targets that may serve it, in the order in which they are tried. It also
// tracks what that order depends on: the health of providers (Health), their latency (Latencies), the rules for retries
// (RetrySettings), and priorities under load (Tiers). It makes no calls; its caller reports their outcomes.
package route

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core/body/hosted"
)

// Strategies, as the specification names them.
const (
	ModelPrefix = "model-prefix" // the targets in order
	RoundRobin  = "round-robin"  // each target first in turn
	Weighted    = "weighted"     // the first by weight, at random
)

// Target is one provider of a route.
type Target struct {
	Provider      string
	Weight        int    // relative share under Weighted; 0 is never first
	ModelOverride string // the provider's name for the model; the default is the route's pin, or the client's name
	Region        string
}

// Route maps models whose names match a pattern to targets.
// Its own type: the hot path reads it, with targets that are resolved.
type Route struct {
	ID       string // the name that an output schema refers to
	Pattern  string // glob; * crosses "/"
	Strategy string // "" means ModelPrefix
	Targets  []Target
	Pinned   string // a model version to send instead of the client's name
	// OtherRegions allows targets outside the tenant's region, after those within.
	OtherRegions bool
	// LatencySLA calls the cheapest target that answers within it first; 0: off.
	LatencySLA time.Duration
	// HostedTools is the rule for tools that run at the provider; unset: the tenant's or the gateway's.
	HostedTools hosted.Rule
	// Stored is set for a route of the database. Such a route has no rule for hosted tools and does not loosen the rule
	// of the file's route for the same name.
	Stored bool
}

// Router returns the plan for a model. Safe for concurrent use.
type Router struct {
	prefixes []prefix
	names    map[string]bool
	open     map[string]bool // providers that need no route
	fallback bool
	table    atomic.Pointer[table]
}

// table holds the routes in force.
type table struct {
	routes []*entry
	// reachable are the providers that a model's prefix may select: those that a route names, and the open ones.
	// Without any route, these are all providers.
	reachable map[string]bool

	mu    sync.Mutex
	known atomic.Pointer[map[string]*entry] // by model; copied when it grows
}

type prefix struct{ text, provider string }

// cacheSize limits the cached models, and maxNameLength their names, since clients choose them. A full cache is emptied,
// so that invented names do not displace used ones; resolving a name again takes some microseconds.
const (
	cacheSize     = 1024
	maxNameLength = 256
)

// Option changes the behaviour of a Router.
type Option func(*Router)

// WithPrefixFallback lets a model without a route fall back from the provider with the longest matching prefix to the
// others that match. The name is not changed.
func WithPrefixFallback() Option { return func(r *Router) { r.fallback = true } }

// OpenProviders lets clients reach these providers by prefix although no route names them.
func OpenProviders(names ...string) Option {
	return func(r *Router) {
		for _, name := range names {
			r.open[name] = true
		}
	}
}

// New checks the routes and returns a router. providers are the configured providers with the model name prefixes they
// are known for. If there are routes, a provider that none of them names serves no model, unless OpenProviders lists
// it.
func New(routes []Route, providers map[string][]string, options ...Option) (*Router, error) {
	r := &Router{names: make(map[string]bool, len(providers)), open: map[string]bool{}}
	for _, o := range options {
		o(r)
	}
	for name, ps := range providers {
		r.names[name] = true
		for _, p := range ps {
			r.prefixes = append(r.prefixes, prefix{p, name})
		}
	}
	// The longest prefix is the most specific; ties are sorted by provider, so that the order is stable.
	slices.SortFunc(r.prefixes, func(a, b prefix) int {
		if d := len(b.text) - len(a.text); d != 0 {
			return d
		}
		return strings.Compare(a.provider, b.provider)
	})
	return r, r.Replace(routes)
}

// Replace puts other routes into force, from the next exchange on. It skips invalid routes and returns their errors. Of
// routes with the same pattern the first one counts.
func (r *Router) Replace(routes []Route) error {
	t := &table{reachable: maps.Clone(r.open)}
	if len(routes) == 0 {
		t.reachable = maps.Clone(r.names)
	}
	var errs []error
	for i := range routes {
		one := routes[i]
		one.Targets = slices.Clone(one.Targets)
		if err := r.normalizeRoute(&one); err != nil {
			errs = append(errs, fmt.Errorf("route %q: %w", one.Pattern, err))
			continue
		}
		t.routes = append(t.routes, &entry{Route: one, match: r.normalizeModel(one.Pattern)})
		for _, x := range one.Targets {
			t.reachable[x.Provider] = true
		}
	}
	// Exact names first, then the most specific patterns; otherwise in their original order.
	slices.SortStableFunc(t.routes, func(a, b *entry) int { return rankPattern(b.match) - rankPattern(a.match) })
	empty := make(map[string]*entry)
	t.known.Store(&empty)
	r.table.Store(t)
	return errors.Join(errs...)
}

// Check returns the error in a route for the configured providers, or nil.
func (r *Router) Check(one Route) error {
	one.Targets = slices.Clone(one.Targets)
	return r.normalizeRoute(&one)
}

// normalizeRoute returns the error in a route, or nil, and replaces its provider names with the configured ones.
func (r *Router) normalizeRoute(t *Route) error {
	switch t.Strategy {
	case "", ModelPrefix, RoundRobin, Weighted:
	default:
		return fmt.Errorf("unknown strategy %q; use %s, %s or %s", t.Strategy, ModelPrefix, RoundRobin, Weighted)
	}
	if len(t.Targets) == 0 {
		return errors.New("no provider is named")
	}
	for i := range t.Targets {
		name, ok := r.findProvider(t.Targets[i].Provider)
		if !ok {
			return fmt.Errorf("unknown provider %q", t.Targets[i].Provider)
		}
		t.Targets[i].Provider = name
	}
	return nil
}

// rankPattern ranks a pattern: exact names first, then by the number of literal characters.
func rankPattern(pattern string) int {
	n := len(pattern) - strings.Count(pattern, "*") - strings.Count(pattern, "?")
	if n == len(pattern) {
		return 1 << 20
	}
	return n
}

// Reaches reports whether clients can reach a configured provider: a route names it, it is open, or there are no routes.
func (r *Router) Reaches(provider string) bool { return r.table.Load().reachable[provider] }

// Routes returns the routes, the most specific first.
func (r *Router) Routes() []Route {
	t := r.table.Load()
	out := make([]Route, len(t.routes))
	for i, e := range t.routes {
		out[i] = e.Route
	}
	return out
}
