package route

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core/circuit"
)

// modelBreaker is the circuit of one model of a provider. It opens when too many calls in a window fail or are
// throttled, and several callers see that: failures that only one sees may be due to what it sends. Calls whose
// answer does not begin in time count as failures as long as the model answers no call.
type modelBreaker struct {
	circuit.Breaker
	p                           *providerHealth
	model                       string
	failing, throttling, silent circuit.Window
	used                        atomic.Int64 // when a call ended last, since the start of the Health, to a second
	streak                      atomic.Int32 // calls in a row that failed or got no answer

	loser  atomic.Uint64 // the caller whose trial failed last; 0: none has since the circuit opened
	barred atomic.Int64  // until when that caller gets no further trial

	mu                          sync.Mutex // held for a few instructions when a call fails
	failed, throttled, unserved callerSet  // of failures; of answers 429; of failures and answers that did not begin
}

func newModelBreaker(p *providerHealth, model string) *modelBreaker {
	m := &modelBreaker{p: p, model: model}
	for _, w := range m.listWindows() {
		w.SetLength(p.h.set.Window)
	}
	m.Init(p.h.buildCircuitSettings(m.handleChange))
	return m
}

func (m *modelBreaker) listWindows() [3]*circuit.Window {
	return [...]*circuit.Window{&m.failing, &m.throttling, &m.silent}
}

// handleChange clears the failures that opened the circuit when it closes, and reports the change.
func (m *modelBreaker) handleChange(s State) {
	if s == Closed {
		for _, w := range m.listWindows() {
			w.Reset()
		}
		m.streak.Store(0)
		m.loser.Store(0)
	}
	if m.p.h.Changed != nil {
		m.p.h.Changed(m.p.name, m.model, s)
	}
}

// rankEviction ranks breakers by the knowledge that evicting them would lose: open circuits most, circuits without
// failures least.
func (m *modelBreaker) rankEviction(now time.Duration) int {
	if !m.IsClosed() {
		return 2
	}
	if _, failed := m.failing.Sum(now); failed > 0 {
		return 1
	}
	return 0
}

// allow permits a call. The caller whose trial failed last lets others go first, if there can be any.
func (m *modelBreaker) allow(c caller) (circuit.Permit, bool) {
	if !m.IsClosed() && !c.alone && m.isBarred(c.id) {
		return circuit.Permit{}, false
	}
	return m.Allow()
}

func (m *modelBreaker) isBarred(id string) bool {
	loser := m.loser.Load()
	return loser != 0 && loser == m.p.h.hash(id) && int64(m.p.h.measureUptime()) < m.barred.Load()
}

// hash identifies a caller without retaining it. It is never 0.
func (h *Health) hash(id string) uint64 { return maphash.String(h.seed, id) | 1 }

// count counts a call through a closed circuit, and opens it when a limit is reached.
func (m *modelBreaker) count(p circuit.Permit, r Blame, c caller, now time.Duration) {
	set := &m.p.h.set
	if last := m.used.Load(); int64(now)-last > int64(time.Second) {
		m.used.Store(int64(now))
	}
	switch r {
	case Served, Refused:
		m.failing.Add(now, false)
		if m.streak.Load() != 0 {
			m.streak.Store(0)
		}
	case Failed, BrokeOff:
		if r == Failed {
			m.failing.Add(now, true)
		} else {
			m.failing.Fail(now)
		}
		calls, failed := m.failing.Sum(now)
		if m.addCaller(&m.failed, c, now) && failed >= uint64(set.Failures) && failed*100 >= uint64(set.FailurePercent)*calls {
			m.trip(p)
		}
		m.countUnserved(p, c, now)
	case Silent:
		m.silent.Add(now, true)
		m.countUnserved(p, c, now)
	case Throttled:
		m.throttling.Add(now, true)
		_, n := m.throttling.Sum(now)
		if m.addCaller(&m.throttled, c, now) && set.Throttles > 0 && n >= uint64(set.Throttles) {
			m.trip(p)
		}
	}
}

// countUnserved counts a call that failed or whose answer did not begin in time, and opens the circuit if the model
// serves no caller. Only the answers to other callers show whether a model is computing or hangs; so one answer in the
// window is enough to keep the circuit closed.
func (m *modelBreaker) countUnserved(p circuit.Permit, c caller, now time.Duration) {
	limit := uint64(m.p.h.set.Failures)
	if c.alone {
		// No other caller can confirm the failure. The end users of the caller may cause it, so opening takes more
		// failures, with no success since the first of them, however long ago that was: timeouts are long.
		if uint64(m.streak.Add(1)) >= 2*limit {
			m.trip(p)
		}
		return
	}
	seen := m.addCaller(&m.unserved, c, now)
	calls, failed := m.failing.Sum(now)
	_, silent := m.silent.Sum(now)
	_, throttled := m.throttling.Sum(now)
	if seen && silent > 0 && calls == failed && throttled == 0 && failed+silent >= limit {
		m.trip(p)
	}
}

// addCaller records that a caller saw a failure, and reports whether enough others did too.
func (m *modelBreaker) addCaller(w *callerSet, c caller, now time.Duration) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return w.add(m.p.h.hash(c.id), now, m.p.h.set.Window)
}

func (m *modelBreaker) trip(p circuit.Permit) {
	m.loser.Store(0)
	p.Trip()
}

// judgeTrial evaluates a trial. One failed trial proves as little as a failure of one caller: the circuit stays half
// open, and the next trial goes to another caller. If that fails too, the circuit opens for longer. The trial of an
// only caller is believed at once.
func (m *modelBreaker) judgeTrial(p circuit.Permit, r Blame, c caller, now time.Duration) {
	switch {
	case r == Failed || r == BrokeOff || r == Silent || r == Throttled && m.p.h.set.Throttles > 0:
		id := m.p.h.hash(c.id)
		if before := m.loser.Load(); c.alone || before != 0 && before != id {
			m.trip(p)
			return
		}
		m.barred.Store(int64(now + m.p.h.set.OpenFor))
		m.loser.Store(id)
		p.Release()
	case r == Served || r == Refused || r == Throttled:
		p.Succeed()
		m.failing.Add(now, false) // the call that closes the circuit is the first through it
	default:
		p.Release()
	}
}

// callerSet are the callers that most recently saw a failure, each with the times of its last two.
type callerSet [4]struct {
	id   uint64
	last [2]time.Duration // the newer first; 0 and earlier: none
}

// enoughOthers is how many failures callers must see besides those of the caller that sees most.
const enoughOthers = 2

// add records that a caller saw a failure now. It reports whether all callers but the one with the most failures saw
// enoughOthers in the window. The last two failures of each caller are enough to decide that.
func (w *callerSet) add(id uint64, now, window time.Duration) bool {
	at := 0
	for i := range w {
		if w[i].id == id {
			at = i
			break
		}
		if w[i].last[0] < w[at].last[0] { // it replaces the caller whose last failure is the oldest
			at = i
		}
	}
	if w[at].id != id {
		w[at].id, w[at].last = id, [2]time.Duration{}
	}
	w[at].last = [2]time.Duration{max(now, 1), w[at].last[0]}
	all, most := 0, 0
	for i := range w {
		n := 0
		for _, t := range w[i].last {
			if t > 0 && now-t < window {
				n++
			}
		}
		all, most = all+n, max(most, n)
	}
	return all-most >= enoughOthers
}
