// Package route maps a model's name to the targets that may serve it, in the
// order in which they are tried. It imports only core.
package route

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

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
	Pattern  string // glob; * crosses "/"
	Strategy string // "" means ModelPrefix
	Targets  []Target
	Pinned   string // a model version to send in place of the client's name
}

// Router finds the plan for a model. It is safe for concurrent use.
type Router struct {
	routes   []*entry
	prefixes []prefix
	names    map[string]bool

	mu    sync.Mutex
	known atomic.Pointer[map[string]*entry] // by model: copied when it grows
}

type entry struct {
	Route
	model string // canonical spelling of the model that the targets are for
	refs  []core.TargetRef
	turn  atomic.Uint64
	total int
}

type prefix struct{ text, provider string }

// cacheSize bounds the models that are remembered: their names come from
// clients.
const cacheSize = 4096

// New checks the routes and makes a router. providers are the configured
// providers with the prefixes of the model names that they are known for.
func New(routes []Route, providers map[string][]string) (*Router, error) {
	r := &Router{names: make(map[string]bool, len(providers))}
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
	var errs []error
	for i := range routes {
		if err := r.check(&routes[i]); err != nil {
			errs = append(errs, fmt.Errorf("route %q: %w", routes[i].Pattern, err))
			continue
		}
		r.routes = append(r.routes, &entry{Route: routes[i]})
	}
	// Exact names first, then the patterns that say most; else the order of the file.
	slices.SortStableFunc(r.routes, func(a, b *entry) int { return literal(b.Pattern) - literal(a.Pattern) })
	empty := make(map[string]*entry)
	r.known.Store(&empty)
	return r, errors.Join(errs...)
}

func (r *Router) check(t *Route) error {
	switch t.Strategy {
	case "", ModelPrefix, RoundRobin, Weighted:
	default:
		return fmt.Errorf("unknown strategy %q; use %s, %s or %s", t.Strategy, ModelPrefix, RoundRobin, Weighted)
	}
	if len(t.Targets) == 0 {
		return errors.New("it names no provider")
	}
	for _, x := range t.Targets {
		if !r.names[x.Provider] {
			return fmt.Errorf("there is no provider %q", x.Provider)
		}
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

// Plan gives the targets to try for a model, or none when nobody serves it. The
// slice must not be changed.
func (r *Router) Plan(model string) []core.TargetRef {
	e, ok := (*r.known.Load())[model]
	if !ok {
		if e = r.find(model); e == nil {
			return nil
		}
	}
	return e.plan()
}

// find resolves a model the first time it is asked for.
func (r *Router) find(model string) *entry {
	e := r.resolve(strings.Clone(model))
	if e == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	old := *r.known.Load()
	if known, ok := old[model]; ok {
		return known
	}
	if len(old) >= cacheSize {
		return e
	}
	grown := make(map[string]*entry, len(old)+1)
	for k, v := range old {
		grown[k] = v
	}
	grown[e.model] = e
	r.known.Store(&grown)
	return e
}

func (r *Router) resolve(model string) *entry {
	for _, e := range r.routes {
		if core.Glob(e.Pattern, model) {
			return made(e.Route, model, model)
		}
	}
	if name, rest, ok := strings.Cut(model, "/"); ok && r.names[name] && rest != "" {
		return made(Route{Targets: []Target{{Provider: name}}}, model, rest)
	}
	for _, p := range r.prefixes {
		if strings.HasPrefix(model, p.text) {
			return made(Route{Targets: []Target{{Provider: p.provider}}}, model, model)
		}
	}
	return nil
}

// made prepares a route for one model.
func made(t Route, model, send string) *entry {
	e := &entry{Route: t, model: model}
	for _, x := range t.Targets {
		ref := core.TargetRef{Provider: x.Provider, Model: send, Region: x.Region}
		if name, rest, ok := strings.Cut(send, "/"); ok && name == x.Provider {
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
	}
	return e
}

// plan orders the targets by the route's strategy.
func (e *entry) plan() []core.TargetRef {
	if len(e.refs) == 1 {
		return e.refs
	}
	first := 0
	switch e.Strategy {
	case RoundRobin:
		first = int((e.turn.Add(1) - 1) % uint64(len(e.refs)))
	case Weighted:
		at := rand.IntN(max(e.total, 1))
		for first = range e.Targets {
			if at -= e.Targets[first].Weight; at < 0 {
				break
			}
		}
	default:
		return e.refs
	}
	out := make([]core.TargetRef, 0, len(e.refs))
	out = append(out, e.refs[first:]...)
	return append(out, e.refs[:first]...)
}

// Routes lists the routes, the most specific first.
func (r *Router) Routes() []Route {
	out := make([]Route, len(r.routes))
	for i, e := range r.routes {
		out[i] = e.Route
	}
	return out
}
