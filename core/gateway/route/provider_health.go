package route

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core/circuit"
)

// providerHealth holds the circuit of a provider as a whole, which opens when too many calls in a window get no answer,
// and those of its models.
type providerHealth struct {
	circuit.Breaker
	h          *Health
	name       string
	unanswered circuit.Window // calls without an answer: all of them are failures
	others     circuit.Window // answered calls of models without a breaker

	mu     sync.Mutex
	models atomic.Pointer[map[string]*modelBreaker] // copied when it grows
}

// maxModels limits the models of a provider that have a breaker, because clients choose their names. A new one replaces
// those that were not called for the longest time, closed circuits first.
const maxModels = 64

func newProviderHealth(h *Health, name string) *providerHealth {
	p := &providerHealth{h: h, name: name}
	p.unanswered.SetLength(h.set.Window)
	p.others.SetLength(h.set.Window)
	p.models.Store(&map[string]*modelBreaker{})
	p.Init(h.buildCircuitSettings(p.handleChange))
	return p
}

// buildCircuitSettings returns the settings of a circuit.
func (h *Health) buildCircuitSettings(changed func(State)) circuit.Settings {
	return circuit.Settings{
		Pause: h.set.OpenFor, MaxPause: h.set.MaxOpen, Trials: h.set.Trials, TrialTimeout: h.set.MaxOpen,
		Since: h.measureUptime, Changed: changed,
	}
}

// handleChange clears the failures that opened the circuit when it closes, and reports the change.
func (p *providerHealth) handleChange(s State) {
	if s == Closed {
		p.unanswered.Reset()
	}
	if p.h.Changed != nil {
		p.h.Changed(p.name, "", s)
	}
}

// addUnanswered counts a call without an answer, and opens the circuit when the limit is reached.
func (p *providerHealth) addUnanswered(permit circuit.Permit, now time.Duration) {
	p.unanswered.Add(now, true)
	_, failed := p.unanswered.Sum(now)
	if failed < uint64(p.h.set.Failures) {
		return
	}
	if failed*100 >= uint64(p.h.set.FailurePercent)*(failed+p.countAnswered(now)) {
		permit.Trip()
	}
}

// countAnswered returns how many calls in the window got an answer of any kind.
func (p *providerHealth) countAnswered(now time.Duration) uint64 {
	n, _ := p.others.Sum(now)
	for _, m := range *p.models.Load() {
		calls, _ := m.failing.Sum(now)
		throttled, _ := m.throttling.Sum(now)
		n += calls + throttled
	}
	return n
}

// findBreaker returns the breaker of a model, or nil if it has none.
func (p *providerHealth) findBreaker(model string) *modelBreaker { return (*p.models.Load())[model] }

// ensureBreaker returns the breaker of a model, which it creates if necessary, or nil if the name is too long.
func (p *providerHealth) ensureBreaker(name string, now time.Duration) *modelBreaker {
	if m := p.findBreaker(name); m != nil {
		return m
	}
	if len(name) > maxNameLength {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	old := *p.models.Load()
	if m, ok := old[name]; ok {
		return m
	}
	grown := maps.Clone(old)
	if len(grown) >= maxModels {
		evictModels(grown, now)
	}
	m := newModelBreaker(p, strings.Clone(name))
	m.used.Store(int64(now))
	grown[m.model] = m
	p.models.Store(&grown)
	return m
}

// evictModels removes an eighth of the models to make room.
func evictModels(models map[string]*modelBreaker, now time.Duration) {
	type candidate struct {
		model  string
		weight int
		used   int64
	}
	all := make([]candidate, 0, len(models))
	for name, m := range models {
		all = append(all, candidate{name, m.rankEviction(now), m.used.Load()})
	}
	slices.SortFunc(all, func(a, b candidate) int { return cmp.Or(a.weight-b.weight, cmp.Compare(a.used, b.used)) })
	for _, c := range all[:len(all)/8] {
		delete(models, c.model)
	}
}
