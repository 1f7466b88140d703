package route

import (
	"sync/atomic"
	"time"
)

// window counts calls, and those that went wrong, over a time that slides by an
// eighth of its length. Each part is one word, so that it changes as a whole
// without a lock: the number of the part since the start, calls, wrongs.
type window struct {
	part  time.Duration
	parts [windowParts]atomic.Uint64
}

const (
	windowParts = 8
	countBits   = 20
	countMax    = 1<<countBits - 1
	stampMask   = 1<<(64-2*countBits) - 1
)

// add counts a call.
func (w *window) add(now time.Duration, wrong bool) {
	w.count(now, func(calls, wrongs uint64) (uint64, uint64) {
		if wrong {
			wrongs++
		}
		return calls + 1, wrongs
	})
}

// spoil turns a call that was counted as a good one into one that went wrong.
func (w *window) spoil(now time.Duration) {
	w.count(now, func(calls, wrongs uint64) (uint64, uint64) {
		return max(calls, wrongs+1), wrongs + 1 // its part may have slid away
	})
}

func (w *window) count(now time.Duration, change func(calls, wrongs uint64) (uint64, uint64)) {
	n := uint64(now / w.part)
	p, stamp := &w.parts[n%windowParts], n&stampMask
	for {
		old := p.Load()
		calls, wrongs := old>>countBits&countMax, old&countMax
		if old>>(2*countBits) != stamp {
			calls, wrongs = 0, 0
		}
		if calls == countMax {
			return // the share of what was counted so far stands for the rest
		}
		calls, wrongs = change(calls, wrongs)
		if p.CompareAndSwap(old, stamp<<(2*countBits)|calls<<countBits|wrongs) {
			return
		}
	}
}

func (w *window) sum(now time.Duration) (calls, wrongs uint64) {
	n := uint64(now / w.part)
	for i := range w.parts {
		v := w.parts[i].Load()
		if (n-v>>(2*countBits))&stampMask < windowParts {
			calls += v >> countBits & countMax
			wrongs += v & countMax
		}
	}
	return calls, wrongs
}

func (w *window) reset() {
	for i := range w.parts {
		w.parts[i].Store(0)
	}
}
