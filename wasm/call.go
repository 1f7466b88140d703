package wasm

import (
	"context"
	"sync/atomic"
	"time"
)

// slice is how much weight of code runs between two ticks: some 45 us, the
// longest that the garbage collector waits for a guest.
const slice = 20_000

var epoch = time.Now()

// now is a monotonic clock that costs one reading.
func now() time.Duration { return time.Since(epoch) }

// callContext carries a call's deadline to the host functions. Each instance
// has one and uses it for every call, so that a call allocates nothing.
type callContext struct {
	parent   context.Context
	timeout  time.Duration
	until    time.Duration // 0: the clock was not looked at yet
	making   bool          // the instance is being made
	borrowed bool          // until is the request's deadline, not the guest's own
	last     time.Duration // when the guest was last looked at
	gap      time.Duration // how long after the look before that
	closing  *atomic.Bool
	inst     *instance
}

var _ context.Context = (*callContext)(nil)

// Deadline implements context.Context.
func (c *callContext) Deadline() (time.Time, bool) { return c.parent.Deadline() }

// Done implements context.Context.
func (c *callContext) Done() <-chan struct{} { return c.parent.Done() }

// Err implements context.Context.
func (c *callContext) Err() error { return c.parent.Err() }

// Value is nil but for where memory comes from: the runtime looks for features of
// its own there, which nobody who calls us may switch on.
func (c *callContext) Value(key any) any {
	if c.making {
		return withMemory.Value(key)
	}
	return nil
}

// check ends the call when its time is up. Every host function that can take
// long calls it, not only tick: a guest could otherwise spend its slice on
// expensive calls.
func (c *callContext) check() {
	at := now()
	c.gap, c.last = at-c.last, at
	if c.until == 0 {
		c.begin(at)
	}
	switch {
	case at > c.until:
		panic(errDeadline)
	case c.parent.Err() != nil:
		if c.parent.Err() == context.DeadlineExceeded { // the very value, by contract of context
			c.borrowed = true
			panic(errDeadline)
		}
		panic(errLeft)
	case c.closing.Load():
		panic(errClosing)
	}
}

// tick is what a metered guest calls when its slice is used up.
func tick(ctx context.Context, stack []uint64) {
	c := ctx.(*callContext)
	c.check()
	c.inst.v.ticks.Add(1)
	stack[0] = slice
}

// budget is the time that one call may take.
type budget struct {
	timeout time.Duration // 0: by the length of the text
}

// Time for a call whose link sets no timeout.
const (
	baseTime    = 5 * time.Millisecond
	timePer10KB = time.Millisecond
)

func (b budget) of(n int) time.Duration {
	if b.timeout > 0 {
		return b.timeout
	}
	return baseTime + time.Duration(n)*timePer10KB/10_000
}

// arm gives the calls to come their time. It does not look at the clock, which
// would cost as much as the rest of a short call: the time begins with the first
// tick, within a slice of the guest's own running time. A call that never ticks
// has returned before anybody could have cut it.
func (c *callContext) arm(ctx context.Context, timeout time.Duration) {
	c.parent, c.timeout, c.until, c.borrowed = ctx, timeout, 0, false
}

// begin sets the deadline: the guest's own, or the request's if that is earlier.
func (c *callContext) begin(at time.Duration) {
	c.until = at + c.timeout
	if d, ok := c.parent.Deadline(); ok {
		if request := d.Sub(epoch); request < c.until {
			c.until, c.borrowed = max(request, 1), true
		}
	}
}

func (c *callContext) disarm() { c.parent = context.Background() }
