package circuit

import (
	"sync/atomic"
	"time"
)

// Window counts calls and failures over a time that slides by an eighth of its length. Each part is one word, so that it
// changes as a whole without a lock: the number of the part since the start, calls, failures.
type Window struct {
	part  time.Duration
	parts [windowParts]atomic.Uint64
}

const (
	windowParts = 8
	countBits   = 20
	countMax    = 1<<countBits - 1
	stampMask   = 1<<(64-2*countBits) - 1
)

// SetLength sets how far back the window reaches. Call it before the window is used.
func (w *Window) SetLength(d time.Duration) { w.part = max(1, d/windowParts) }

// Add counts a call that ended now.
func (w *Window) Add(now time.Duration, failed bool) {
	w.count(now, func(calls, failures uint64) (uint64, uint64) {
		if failed {
			failures++
		}
		return calls + 1, failures
	})
}

// Fail turns a call that was counted as a success into a failure.
func (w *Window) Fail(now time.Duration) {
	w.count(now, func(calls, failures uint64) (uint64, uint64) {
		return max(calls, failures+1), failures + 1 // its part may have slid away
	})
}

func (w *Window) count(now time.Duration, change func(calls, failures uint64) (uint64, uint64)) {
	n := uint64(now / w.part)
	p, stamp := &w.parts[n%windowParts], n&stampMask
	for {
		old := p.Load()
		calls, failures := old>>countBits&countMax, old&countMax
		if old>>(2*countBits) != stamp {
			calls, failures = 0, 0
		}
		if calls == countMax {
			return // the share counted so far stands for the rest
		}
		calls, failures = change(calls, failures)
		if p.CompareAndSwap(old, stamp<<(2*countBits)|calls<<countBits|failures) {
			return
		}
	}
}

// Sum returns the calls in the window, and how many of them failed.
func (w *Window) Sum(now time.Duration) (calls, failures uint64) {
	n := uint64(now / w.part)
	for i := range w.parts {
		v := w.parts[i].Load()
		if (n-v>>(2*countBits))&stampMask < windowParts {
			calls += v >> countBits & countMax
			failures += v & countMax
		}
	}
	return calls, failures
}

// Reset forgets all calls.
func (w *Window) Reset() {
	for i := range w.parts {
		w.parts[i].Store(0)
	}
}
