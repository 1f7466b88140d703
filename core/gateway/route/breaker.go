package route

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core/circuit"
)

// modelBreaker is the circuit of one model of a provider. It opens when too many calls in a window fail, or are throttled,
// and at least two keys see that: what one key alone sees may be due to what it sends.
type modelBreaker struct {
	circuit.Breaker
	p                   *providerHealth
	model               string
	failing, throttling circuit.Window
	used                atomic.Int64 // when a call ended last, since the start of the Health, to a second

	loser  atomic.Uint64 // the key whose trial failed last; 0: none has since the circuit opened
	barred atomic.Int64  // until when that key gets no further trial

	mu                sync.Mutex // held for a few instructions when a call fails
	failed, throttled witnesses
}

func newModelBreaker(p *providerHealth, model string) *modelBreaker {
	m := &modelBreaker{p: p, model: model}
	m.failing.SetLength(p.h.set.Window)
	m.throttling.SetLength(p.h.set.Window)
	m.Init(p.h.circuit(m.change))
	return m
}

// change forgets the failures that opened the circuit when it closes, and passes the change on.
func (m *modelBreaker) change(s State) {
	if s == Closed {
		m.failing.Reset()
		m.throttling.Reset()
		m.loser.Store(0)
	}
	if m.p.h.Changed != nil {
		m.p.h.Changed(m.p.name, m.model, s)
	}
}

// weight says how much is lost with the breaker: an open circuit most, one without failures least.
func (m *modelBreaker) weight(now time.Duration) int {
	if !m.IsClosed() {
		return 2
	}
	if _, failed := m.failing.Sum(now); failed > 0 {
		return 1
	}
	return 0
}

// allow permits a call. The key whose trial failed last makes room for others.
func (m *modelBreaker) allow(key string) (circuit.Permit, bool) {
	if !m.IsClosed() && m.isBarred(key) {
		return circuit.Permit{}, false
	}
	return m.Allow()
}

func (m *modelBreaker) isBarred(key string) bool {
	loser := m.loser.Load()
	return loser != 0 && loser == m.p.h.hash(key) && int64(m.p.h.since()) < m.barred.Load()
}

// hash identifies a key without holding on to it. It is never 0.
func (h *Health) hash(key string) uint64 { return maphash.String(h.seed, key) | 1 }

// count counts a call through a closed circuit, and opens it when a limit is reached.
func (m *modelBreaker) count(p circuit.Permit, r Blame, key string, now time.Duration) {
	set := &m.p.h.set
	if last := m.used.Load(); int64(now)-last > int64(time.Second) {
		m.used.Store(int64(now))
	}
	switch r {
	case Served, Refused:
		m.failing.Add(now, false)
	case Failed, BrokeOff:
		if r == Failed {
			m.failing.Add(now, true)
		} else {
			m.failing.Fail(now)
		}
		calls, failed := m.failing.Sum(now)
		if m.saw(&m.failed, key, now) && failed >= uint64(set.Failures) && failed*100 >= uint64(set.FailurePercent)*calls {
			m.trip(p)
		}
	case Throttled:
		m.throttling.Add(now, true)
		_, n := m.throttling.Sum(now)
		if m.saw(&m.throttled, key, now) && set.Throttles > 0 && n >= uint64(set.Throttles) {
			m.trip(p)
		}
	}
}

// saw notes that a key saw a failure, and reports whether another did too.
func (m *modelBreaker) saw(w *witnesses, key string, now time.Duration) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return w.add(m.p.h.hash(key), now, m.p.h.set.Window)
}

func (m *modelBreaker) trip(p circuit.Permit) {
	m.loser.Store(0)
	p.Trip()
}

// judgeTrial judges a trial. A first one that fails says as little as a failure of one key: the circuit stays half open,
// and the next trial is another key's. When that fails too, the circuit opens for longer.
func (m *modelBreaker) judgeTrial(p circuit.Permit, r Blame, key string, now time.Duration) {
	switch {
	case r == Failed || r == BrokeOff || r == Throttled && m.p.h.set.Throttles > 0:
		id := m.p.h.hash(key)
		if before := m.loser.Load(); before != 0 && before != id {
			m.trip(p)
			return
		}
		m.barred.Store(int64(now + m.p.h.set.OpenFor))
		m.loser.Store(id)
		p.Release()
	case r == Served || r == Refused || r == Throttled:
		p.Succeed()
		m.failing.Add(now, false) // what closes the circuit is the first call through it
	default:
		p.Release()
	}
}

// witnesses are the two keys that saw a failure last.
type witnesses [2]struct {
	key uint64
	at  time.Duration
}

// add notes that a key saw a failure now, and reports whether two keys did in the window.
func (w *witnesses) add(key uint64, now, window time.Duration) bool {
	if w[0].key != key {
		w[0], w[1] = w[1], w[0]
	}
	if w[0].key != key { // it takes the place of the one that saw none for longer
		if w[0].at > w[1].at {
			w[0], w[1] = w[1], w[0]
		}
		w[0].key = key
	}
	w[0].at = now
	return w[1].key != 0 && now-w[1].at < window
}
