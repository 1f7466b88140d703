package process

import (
	"context"
	"sync/atomic"
)

// waitersPerSlot bounds how many wait for a call to end: beyond that nobody would come
// through in time, and each waiter holds a request's memory.
const waitersPerSlot = 4

// slots bound the calls at once.
type slots struct {
	free    chan struct{}
	waiting *atomic.Int64
}

func newSlots(n int) slots { return slots{make(chan struct{}, n), new(atomic.Int64)} }

// take waits for a slot until ctx ends. It is false when none came free, or too many
// wait already.
func (l slots) take(ctx context.Context) bool {
	select {
	case l.free <- struct{}{}:
		return true
	default:
	}
	if l.waiting.Add(1) > int64(cap(l.free))*waitersPerSlot {
		l.waiting.Add(-1)
		return false
	}
	defer l.waiting.Add(-1)
	select {
	case l.free <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (l slots) give() { <-l.free }
