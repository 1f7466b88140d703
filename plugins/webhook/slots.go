package webhook

import (
	"context"
	"sync/atomic"

	"github.com/headgate-dev/headgate/core"
)

// waitersPerSlot bounds how many wait for a call to end: beyond that nobody
// would come through in time, and each waiter holds a request's memory.
const waitersPerSlot = 4

// slots bound the calls at once.
type slots struct {
	free    chan struct{}
	waiting atomic.Int64
}

func newSlots(n int) *slots { return &slots{free: make(chan struct{}, n)} }

// take waits for a slot until ctx ends; ok is false when none came free, or too
// many wait already.
func (l *slots) take(ctx context.Context) (ok bool) {
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

func (l *slots) give() { <-l.free }

// crowded is the fault of a Check that got no slot.
func (s *Stage) crowded(parent context.Context) *Error {
	if parent.Err() != nil {
		return s.late(parent)
	}
	return s.fault(core.FaultOverload, "too many calls are under way")
}
