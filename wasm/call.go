package wasm

import (
	"context"
	"sync/atomic"
	"time"
)

// slice is the weight of code that runs between two ticks: at most about 45 µs, the longest that the garbage collector waits for a guest.
const slice = 20_000

// stallTime caps the time counted between two checks of a guest. The guest's own code takes at most half of it, even if every load misses
// every cache. In a longer gap the machine ran something else, which must not count against the guest.
const stallTime = 2 * time.Millisecond

var epoch = time.Now()

// readClock reads a monotonic clock.
func readClock() time.Duration { return time.Since(epoch) }

// callContext carries a call's allowance to the host functions. Each instance has one and reuses it for every call, so that a call
// allocates nothing.
type callContext struct {
	parent  context.Context
	closing *atomic.Bool
	inst    *instance

	fuel    int64         // remaining
	allowed time.Duration // limit of ran
	ran     time.Duration // how long the guest has run, without stalls
	stored  time.Duration // the part of ran spent in the state store
	request time.Duration // deadline of the request; 0 if it has none

	last, gap time.Duration // when the guest was last checked, and the time between that check and the one before
	late      time.Duration // by how much a call exceeded its limit before it was cut
	starting  bool          // the instance is being created
	begun     bool          // the clock has been started
	borrowed  bool          // the request's deadline ended the call
}

var _ context.Context = (*callContext)(nil)

// Deadline implements context.Context.
func (c *callContext) Deadline() (time.Time, bool) { return c.parent.Deadline() }

// Done implements context.Context.
func (c *callContext) Done() <-chan struct{} { return c.parent.Done() }

// Err implements context.Context.
func (c *callContext) Err() error { return c.parent.Err() }

// Value returns nil except for the memory allocator: the runtime looks up experimental features here, and callers must not be able to
// enable them.
func (c *callContext) Value(key any) any {
	if c.starting {
		return withMemory.Value(key)
	}
	return nil
}

// check ends the call when its time is up. Every slow host function calls it, not only tick: otherwise a guest could spend its slice on
// expensive host calls.
func (c *callContext) check() { c.countTime(readClock(), stallTime) }

// countTime counts the time since the last check, at most stallTime of it.
func (c *callContext) countTime(at, counted time.Duration) {
	if !c.begun {
		c.begin(at)
	}
	c.gap, c.last = at-c.last, at
	if c.ran += min(c.gap, counted); c.gap > counted {
		c.inst.v.stalled.Add(uint64(c.gap - counted))
	}
	switch {
	case c.request > 0 && at > c.request:
		c.late, c.borrowed = at-c.request, true
		panic(errDeadline)
	case c.ran > c.allowed:
		c.late = c.ran - c.allowed
		panic(errDeadline)
	case c.parent.Err() != nil:
		if c.parent.Err() == context.DeadlineExceeded { // context returns this value itself, never a wrapper
			c.borrowed = true
			panic(errDeadline)
		}
		panic(errLeft)
	case c.closing.Load():
		panic(errClosing)
	}
}

// handleTick is called by a metered guest when its slice is used up.
func handleTick(ctx context.Context, stack []uint64) {
	c := ctx.(*callContext)
	c.check()
	c.inst.v.ticks.Add(1)
	if c.fuel -= slice; c.fuel < 0 {
		panic(errFuel)
	}
	stack[0] = slice
}

// arm sets the allowance of the following calls. It does not read the clock, which would cost as much as the rest of a short call: time
// is counted from the first tick, within a slice of the guest's own running time. A call that never ticks has returned before anything
// could have cut it.
func (c *callContext) arm(ctx context.Context, a allowance) {
	c.parent, c.fuel, c.allowed = ctx, a.fuel, a.time
	c.ran, c.stored, c.begun, c.borrowed = 0, 0, false, false
}

// begin starts the clock.
func (c *callContext) begin(at time.Duration) {
	c.last, c.begun, c.request = at, true, 0
	if d, ok := c.parent.Deadline(); ok {
		c.request = max(d.Sub(epoch), 1)
	}
}

// computeDeadline returns when the call must end if it does not stall.
func (c *callContext) computeDeadline() time.Time {
	until := c.last + c.allowed - c.ran
	if c.request > 0 {
		until = min(until, c.request)
	}
	return epoch.Add(until)
}

// countStoreTime counts the time since the last check in full: the guest waited for the state store.
func (c *callContext) countStoreTime() {
	at := readClock()
	c.stored += at - c.last
	c.countTime(at, at-c.last)
}

func (c *callContext) disarm() { c.parent = context.Background() }
