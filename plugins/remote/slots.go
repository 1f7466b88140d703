package remote

import (
	"context"
	"sync/atomic"
)

// waitersPerSlot bounds how many wait for a call to end: beyond that nobody would come
// through in time, and each waiter holds a request's memory.
const waitersPerSlot = 4

// Slots bound the calls at once. They may be used from any goroutine.
type Slots struct {
	free    chan struct{}
	waiting atomic.Int64
}

// NewSlots makes n slots, all of them free.
func NewSlots(n int) *Slots { return &Slots{free: make(chan struct{}, n)} }

// Take waits for a slot until ctx ends. It is false when none came free, or too many
// wait already.
func (l *Slots) Take(ctx context.Context) bool {
	select {
	case l.free <- struct{}{}:
		return true
	default:
	}
	if l.waiting.Add(1) > l.MostWaiting() {
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

// Give gives a slot back that Take took.
func (l *Slots) Give() { <-l.free }

// Waiting is how many wait for a slot now, MostWaiting how many may.
func (l *Slots) Waiting() int64     { return l.waiting.Load() }
func (l *Slots) MostWaiting() int64 { return int64(cap(l.free)) * waitersPerSlot }
