package remote

import (
	"context"
	"sync/atomic"
)

// waitersPerSlot limits how many wait for a slot: more would not get one in time, and each waiter holds a request's
// memory.
const waitersPerSlot = 4

// Slots limits concurrent calls. It is safe for concurrent use.
type Slots struct {
	free    chan struct{}
	waiting atomic.Int64
}

// NewSlots returns n free slots.
func NewSlots(n int) *Slots { return &Slots{free: make(chan struct{}, n)} }

// Take waits for a slot until ctx ends. It returns false if no slot became free, or if too many already wait.
func (l *Slots) Take(ctx context.Context) bool {
	select {
	case l.free <- struct{}{}:
		return true
	default:
	}
	if l.waiting.Add(1) > l.MaxWaiting() {
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

// Release returns a slot that Take took.
func (l *Slots) Release() { <-l.free }

// Waiting returns how many wait for a slot now, MaxWaiting how many may.
func (l *Slots) Waiting() int64    { return l.waiting.Load() }
func (l *Slots) MaxWaiting() int64 { return int64(cap(l.free)) * waitersPerSlot }
