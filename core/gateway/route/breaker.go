package route

import (
	"sync"
	"sync/atomic"
	"time"
)

// breaker is the circuit of one provider.
type breaker struct {
	h                   *Health
	provider            string
	failing, throttling window

	// word is a State and above it the number of changes so far: a call that was
	// allowed before the last change has nothing to say about the present.
	word  atomic.Uint64
	until atomic.Int64 // when the next trial may go, as a time since h.start

	mu     sync.Mutex // held to change the state
	opened int        // times in a row
	won    int        // trials that succeeded in a row
}

const stateBits = 2

func newBreaker(h *Health, provider string) *breaker {
	b := &breaker{h: h, provider: provider}
	b.failing.part = max(1, h.set.Window/windowParts)
	b.throttling.part = b.failing.part
	return b
}

// Call is the permission for one call to a provider. The zero Call reports to
// nobody.
type Call struct {
	b    *breaker
	word uint64
}

// Report says how the call went: once when the answer can be used or has failed,
// and as BrokeOff if it failed after the client was sent a part of it.
func (c Call) Report(r Blame) {
	if c.b == nil || c.b.word.Load() != c.word {
		return
	}
	if state(c.word) == HalfOpen {
		c.b.tried(c.word, r)
		return
	}
	c.b.count(c.word, r)
}

func (b *breaker) allow() (Call, bool) {
	w := b.word.Load()
	if state(w) == Closed {
		return Call{b, w}, true // the usual case does not look at the clock
	}
	now := b.h.since()
	if int64(now) < b.until.Load() {
		return Call{}, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch w = b.word.Load(); {
	case state(w) == Closed:
		return Call{b, w}, true
	case int64(now) < b.until.Load():
		return Call{}, false
	}
	// A trial that is never reported must not keep the circuit open for good.
	b.until.Store(int64(now + b.h.set.MaxOpen))
	return Call{b, b.change(HalfOpen)}, true
}

// count books a call of a closed circuit, and opens it when that is too much.
func (b *breaker) count(w uint64, r Blame) {
	set, now := &b.h.set, b.h.since()
	switch r {
	case Served:
		b.failing.add(now, false)
	case Failed, BrokeOff:
		if r == Failed {
			b.failing.add(now, true)
		} else {
			b.failing.spoil(now)
		}
		calls, failed := b.failing.sum(now)
		if failed >= uint64(set.Failures) && failed*100 >= uint64(set.FailurePercent)*calls {
			b.open(w, now)
		}
	case Throttled:
		b.throttling.add(now, true)
		if _, n := b.throttling.sum(now); set.Throttles > 0 && n >= uint64(set.Throttles) {
			b.open(w, now)
		}
	}
}

// tried judges a trial.
func (b *breaker) tried(w uint64, r Blame) {
	now := b.h.since()
	if r == Failed || r == BrokeOff || r == Throttled && b.h.set.Throttles > 0 {
		b.open(w, now)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.word.Load() != w {
		return
	}
	if r != Unknown {
		b.won++
	}
	if b.won < b.h.set.Trials {
		b.until.Store(int64(now))
		b.change(HalfOpen)
		return
	}
	b.opened, b.won = 0, 0
	b.failing.reset()
	b.throttling.reset()
	b.change(Closed)
}

func (b *breaker) open(w uint64, now time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.word.Load() != w {
		return
	}
	wait := b.h.set.OpenFor
	for i := 0; i < b.opened && wait < b.h.set.MaxOpen; i++ {
		wait *= 2
	}
	b.opened++
	b.won = 0
	b.until.Store(int64(now + min(wait, max(b.h.set.OpenFor, b.h.set.MaxOpen))))
	b.change(Open)
}

// change moves to a state and gives the word of it. mu is held.
func (b *breaker) change(s State) uint64 {
	old := b.word.Load()
	w := (old>>stateBits+1)<<stateBits | uint64(s)
	b.word.Store(w)
	if b.h.Changed != nil && state(old) != s {
		b.h.Changed(b.provider, s)
	}
	return w
}

// now is the state as callers meet it: an open circuit whose time is up is half
// open, though no call has come to try it.
func (b *breaker) now(now time.Duration) (State, time.Duration) {
	s := state(b.word.Load())
	if s == Closed {
		return Closed, 0
	}
	left := max(0, time.Duration(b.until.Load())-now)
	if left == 0 {
		s = HalfOpen
	}
	return s, left
}

func state(word uint64) State { return State(word & (1<<stateBits - 1)) }
