package process

import (
	"sync"
	"sync/atomic"
	"time"
)

// tripAfter is how many faults in a row take a plugin that still runs out of service.
const tripAfter = 5

// breaker takes a plugin that keeps failing out of service for a while, so that each
// exchange does not wait for its failure. After the pause one call tries it. A process
// that has ended is another matter: it is not called while it does not run.
type breaker struct {
	p   *process
	run atomic.Int32 // faults in a row

	mu     sync.Mutex
	pause  time.Duration
	until  time.Time
	trying bool
}

// ended are outcomes that say nothing of how a process that runs does its work.
var ended = map[Outcome]bool{OutcomeOverload: true, OutcomeDown: true, OutcomeClosed: true, OutcomeCrash: true, OutcomeHang: true}

// reset forgets what an earlier process has done.
func (b *breaker) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trying = false
	b.run.Store(0)
}

// allow says why the plugin is not called now, or nothing.
func (b *breaker) allow() *Error {
	if b.run.Load() < tripAfter {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	wait := time.Until(b.until)
	if wait <= 0 && !b.trying {
		b.trying = true
		return nil
	}
	return b.p.fault(OutcomeDown, "out of service after %d faults in a row; tried again in %s", tripAfter, max(wait, 0).Round(100*time.Millisecond))
}

// told takes the result of a call: nil, or what was wrong with it.
func (b *breaker) told(err *Error) {
	if err == nil {
		if b.run.Load() != 0 {
			b.run.Store(0)
			b.mu.Lock()
			b.pause, b.trying = b.pause/2, false
			b.mu.Unlock()
		}
		return
	}
	if err.left != nil || ended[err.Outcome] { // it says nothing of the plugin, and another one tries
		b.mu.Lock()
		b.trying = false
		b.mu.Unlock()
		return
	}
	if b.run.Add(1) < tripAfter {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.trying || time.Now().After(b.until) {
		b.pause = min(max(2*b.pause, firstPause), lastPause)
		b.until, b.trying = time.Now().Add(b.pause), false
	}
}

// open reports a plugin that is out of service.
func (b *breaker) open() bool { return b.run.Load() >= tripAfter }
