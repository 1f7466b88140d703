package route

import (
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core/circuit"
)

// BreakerSettings configure the circuit breaker of each provider.
type BreakerSettings struct {
	// Failures in Window open the circuit, if they are at least FailurePercent of
	// its calls. 0 turns the breaker off.
	Failures       int
	FailurePercent int
	// Throttles are the answers 429 in Window that open the circuit. 0: they never do; most providers throttle per
	// model.
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

// State is the state of a provider's circuit.
type State = circuit.State

// The states.
const (
	Closed   = circuit.Closed
	Open     = circuit.Open
	HalfOpen = circuit.HalfOpen
)

// Health records which providers can be called. It outlives a Router, so its knowledge survives a reload. Safe for
// concurrent use.
type Health struct {
	// Changed is called for each change of a circuit, for logs and metrics. Set it before the first call. It must not
	// block or call the Health. Optional.
	Changed func(provider string, s State)

	set   BreakerSettings
	now   func() time.Time // nil: the system's clock
	start time.Time

	mu sync.Mutex
	by atomic.Pointer[map[string]*breaker] // by provider; copied when it grows
}

// NewHealth returns a Health in which all circuits are closed. now is the clock; nil: the system's.
func NewHealth(s BreakerSettings, now func() time.Time) *Health {
	h := &Health{set: s, now: now, start: begin(now)}
	h.by.Store(&map[string]*breaker{})
	return h
}

// Allow reports whether a provider may be called now. Report each Call: otherwise a trial blocks the next one until it
// times out.
func (h *Health) Allow(provider string) (Call, bool) {
	if h.set.Failures <= 0 {
		return Call{}, true
	}
	b := h.breaker(provider)
	p, ok := b.Allow()
	if !ok {
		return Call{}, false
	}
	return Call{b, p}, true
}

// State returns the state of a provider's circuit, and the time until the next trial if it is not closed.
func (h *Health) State(provider string) (State, time.Duration) {
	b, ok := (*h.by.Load())[provider]
	if !ok {
		return Closed, 0
	}
	return b.State()
}

// Counts returns the calls of a provider in the window: those answered or failed, those that failed, and those that
// were throttled.
func (h *Health) Counts(provider string) (calls, failed, throttled int) {
	b, ok := (*h.by.Load())[provider]
	if !ok {
		return 0, 0, 0
	}
	now := h.since()
	c, f := b.failing.Sum(now)
	t, _ := b.throttling.Sum(now)
	return int(c), int(f), int(t)
}

func (h *Health) since() time.Duration { return since(h.now, h.start) }

func (h *Health) breaker(provider string) *breaker {
	if b, ok := (*h.by.Load())[provider]; ok {
		return b
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	old := *h.by.Load()
	if b, ok := old[provider]; ok {
		return b
	}
	b := newBreaker(h, strings.Clone(provider))
	grown := maps.Clone(old)
	grown[b.provider] = b
	h.by.Store(&grown)
	return b
}
