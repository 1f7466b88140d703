package route

import (
	"hash/maphash"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core/circuit"
)

// BreakerSettings configure the circuit breakers of each provider and of each of its models.
type BreakerSettings struct {
	// Failures in Window open a circuit, if they are at least FailurePercent of
	// its calls. 0 turns the breakers off.
	Failures       int
	FailurePercent int
	// Throttles is the number of 429 answers in Window that open the circuit of a model. 0: throttling never opens it;
	// most 429 answers reflect the rate of one client.
	Throttles int
	Window    time.Duration
	// OpenFor is how long the circuit stays open the first time. It doubles with
	// each trial that fails, up to MaxOpen.
	OpenFor, MaxOpen time.Duration
	// Trials must succeed in a row, one at a time, to close the circuit.
	Trials int
}

// DefaultBreaker are the default settings.
var DefaultBreaker = BreakerSettings{
	Failures: 5, FailurePercent: 50, Window: 30 * time.Second, OpenFor: 5 * time.Second, MaxOpen: 2 * time.Minute, Trials: 1,
}

// State is the state of a circuit.
type State = circuit.State

// The states.
const (
	Closed   = circuit.Closed
	Open     = circuit.Open
	HalfOpen = circuit.HalfOpen
)

// Health records which providers, and which of their models, can be called. A provider's own circuit opens when calls
// get no answer at all; a model's circuit opens when calls of several callers fail. It outlives a Router, so its
// knowledge survives a reload. Safe for concurrent use.
type Health struct {
	// Changed is called for each change of a circuit, for logs and metrics; model is "" for the provider's own. Set it
	// before the first call. It must not block or call the Health. Optional.
	Changed func(provider, model string, s State)

	set   BreakerSettings
	now   func() time.Time // optional: the default is the system's clock
	start time.Time
	seed  maphash.Seed // so that no client can choose a key that collides with another

	mu sync.Mutex
	by atomic.Pointer[map[string]*providerHealth] // copied when it grows
}

// NewHealth returns a Health in which all circuits are closed. now is the clock. Optional: the default is time.Now.
func NewHealth(s BreakerSettings, now func() time.Time) *Health {
	h := &Health{set: s, now: now, start: readClock(now), seed: maphash.MakeSeed()}
	h.by.Store(&map[string]*providerHealth{})
	return h
}

// Ask describes a call that is about to be made.
type Ask struct {
	Provider string
	Model    string // as sent to the provider
	// Caller is the caller, as far as callers can be told apart: the tenant if there are several, otherwise the key.
	// Failures that only one caller sees open no circuit.
	Caller string
	Alone  bool // no other caller exists: see modelBreaker.count
}

// Allow reports whether a call may be made now. Report each Call: an unreported trial blocks the next one until it times out.
func (h *Health) Allow(a Ask) (Call, bool) {
	if h.set.Failures <= 0 {
		return Call{}, true
	}
	c := Call{p: h.findProvider(a.Provider), model: a.Model, caller: caller{a.Caller, a.Alone}}
	var ok bool
	if c.m = c.p.findBreaker(a.Model); c.m != nil {
		if c.ofModel, ok = c.m.allow(c.caller); !ok {
			return Call{}, false
		}
	}
	if c.ofProvider, ok = c.p.Allow(); !ok {
		c.ofModel.Release()
		return Call{}, false
	}
	return c, true
}

// ReadState returns the state that calls of a model meet, and the time until the next trial if a circuit is not closed.
func (h *Health) ReadState(provider, model string) (State, time.Duration) {
	p, ok := (*h.by.Load())[provider]
	if !ok {
		return Closed, 0
	}
	state, left := p.State()
	if m := p.findBreaker(model); m != nil && state != Open {
		if s, l := m.State(); s != Closed && (state == Closed || s == Open) {
			return s, max(left, l)
		}
	}
	return state, left
}

func (h *Health) measureUptime() time.Duration { return measureSince(h.now, h.start) }

func (h *Health) findProvider(name string) *providerHealth {
	if p, ok := (*h.by.Load())[name]; ok {
		return p
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	old := *h.by.Load()
	if p, ok := old[name]; ok {
		return p
	}
	p := newProviderHealth(h, strings.Clone(name))
	grown := maps.Clone(old)
	grown[p.name] = p
	h.by.Store(&grown)
	return p
}
