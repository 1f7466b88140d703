// Package circuit is the circuit breaker of providers, webhooks, processes and Wasm guests. A Breaker holds the state and
// the pauses; what opens it is a policy of its user: a Streak of failures, or the share of failures in a Window. It imports
// nothing of the gateway.
//
//	          Trip                    the pause is over
//	Closed ─────────▶ Open ─────────────────────────▶ HalfOpen: one trial at a time
//	   ▲                ▲            Trip                 │
//	   │                └────────────────────────────────┤
//	   └─────────────────────────────────────────────────┘
//	                   Succeed, Trials times in a row
package circuit

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// State is the state of a circuit.
type State uint8

// The states.
const (
	Closed   State = iota // all calls pass
	Open                  // none passes
	HalfOpen              // one call at a time passes, as a trial
)

// String returns the state as logs and metrics spell it.
func (s State) String() string {
	switch s {
	case Open:
		return "open"
	case HalfOpen:
		return "half-open"
	}
	return "closed"
}

// Settings say how long a circuit stays open and what closes it.
type Settings struct {
	// Pause is how long the circuit stays open the first time. It doubles with each trial that fails, up to MaxPause.
	Pause, MaxPause time.Duration
	// Trials must succeed in a row to close the circuit; less than 1 counts as 1.
	Trials int
	// TrialTimeout is when a trial that was never reported gives way to another. 0: never.
	TrialTimeout time.Duration
	// KeepPause halves the pause when the circuit closes, instead of starting at Pause the next time.
	KeepPause bool
	// Since returns the time on a monotonic clock.
	Since func() time.Duration
	// Changed is called before a change of state takes effect. It must not block or call the Breaker. Optional.
	Changed func(State)
}

// Breaker is one circuit. Calls through a closed circuit take no lock and do not read the clock. Safe for concurrent use.
type Breaker struct {
	set Settings

	// word is a State and, above it, the number of changes so far: the result of a call that was allowed before the
	// last change is ignored.
	word  atomic.Uint64
	until atomic.Int64 // when the next trial may pass

	mu        sync.Mutex    // held to change the state
	pause     time.Duration // the last one
	succeeded int           // trials in a row
}

const stateBits = 2

func readState(word uint64) State { return State(word & (1<<stateBits - 1)) }

// New returns a closed circuit.
func New(s Settings) *Breaker {
	b := new(Breaker)
	b.Init(s)
	return b
}

// Init makes b a closed circuit. Call it before b is used.
func (b *Breaker) Init(s Settings) {
	s.MaxPause = max(s.MaxPause, s.Pause)
	b.set = s
}

// Permit allows one call. Report its end with Trip, Succeed or Release; each is ignored once the circuit has changed.
type Permit struct {
	b    *Breaker
	word uint64
}

// IsCurrent reports whether the circuit has not changed since the call was allowed.
func (p Permit) IsCurrent() bool { return p.b != nil && p.b.word.Load() == p.word }

// IsTrial reports whether the call tries an open circuit.
func (p Permit) IsTrial() bool { return readState(p.word) == HalfOpen }

// Allow returns the permit for a call, or false if the circuit is open or another trial is under way.
func (b *Breaker) Allow() (Permit, bool) {
	w := b.word.Load()
	if readState(w) == Closed {
		return Permit{b, w}, true
	}
	now := b.set.Since()
	if int64(now) < b.until.Load() {
		return Permit{}, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch w = b.word.Load(); {
	case readState(w) == Closed:
		return Permit{b, w}, true
	case int64(now) < b.until.Load():
		return Permit{}, false
	}
	return b.beginTrial(now), true
}

// Try begins a trial of an open circuit without waiting for the pause, for users that probe by a timer. A closed circuit
// needs none: then it returns false.
func (b *Breaker) Try() (Permit, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if readState(b.word.Load()) == Closed {
		return Permit{}, false
	}
	return b.beginTrial(b.set.Since()), true
}

// beginTrial lets one call pass. mu is held.
func (b *Breaker) beginTrial(now time.Duration) Permit {
	until := int64(math.MaxInt64)
	if t := b.set.TrialTimeout; t > 0 {
		until = int64(now + t) // a trial that is never reported must not keep the circuit open forever
	}
	b.until.Store(until)
	return Permit{b, b.change(HalfOpen)}
}

// Trip opens the circuit, for twice as long if the call was a trial that failed.
func (p Permit) Trip() {
	b := p.b
	b.mu.Lock()
	defer b.mu.Unlock()
	if !p.IsCurrent() {
		return
	}
	b.succeeded = 0
	b.pause = min(max(2*b.pause, b.set.Pause), b.set.MaxPause)
	b.until.Store(int64(b.set.Since() + b.pause))
	b.change(Open)
}

// Succeed counts a trial that succeeded, and closes the circuit after enough of them. Other calls change nothing.
func (p Permit) Succeed() { p.endTrial(1) }

// Release ends a trial that says nothing about the callee: the next call may try.
func (p Permit) Release() { p.endTrial(0) }

func (p Permit) endTrial(succeeded int) {
	b := p.b
	if !p.IsTrial() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !p.IsCurrent() {
		return
	}
	if b.succeeded += succeeded; b.succeeded == 0 || b.succeeded < b.set.Trials {
		b.until.Store(int64(b.set.Since()))
		b.change(HalfOpen)
		return
	}
	if b.pause /= 2; !b.set.KeepPause {
		b.pause = 0
	}
	b.close()
}

// Reset closes the circuit, whatever state it is in, and keeps the pause.
func (b *Breaker) Reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.close()
}

// ShortenPause halves the next pause.
func (b *Breaker) ShortenPause() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pause /= 2
}

// close is Reset. mu is held.
func (b *Breaker) close() {
	b.succeeded = 0
	b.change(Closed)
}

// change enters a state and returns its word. mu is held.
func (b *Breaker) change(s State) uint64 {
	old := b.word.Load()
	if b.set.Changed != nil && readState(old) != s {
		b.set.Changed(s)
	}
	w := (old>>stateBits+1)<<stateBits | uint64(s)
	b.word.Store(w)
	return w
}

// IsClosed reports whether all calls pass.
func (b *Breaker) IsClosed() bool { return readState(b.word.Load()) == Closed }

// State returns the state as callers meet it, and the time until the next trial: an open circuit whose pause is over is
// half open, even if no call has tried it yet.
func (b *Breaker) State() (State, time.Duration) {
	s := readState(b.word.Load())
	if s == Closed {
		return Closed, 0
	}
	left := max(0, time.Duration(b.until.Load())-b.set.Since())
	if left == 0 {
		s = HalfOpen
	}
	return s, left
}
