package wasm

import (
	"context"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// exchangeState is what a stage keeps for one exchange: its bytes, and what it holds.
// The chain hands it from one call to the next.
type exchangeState struct {
	data  []byte
	holds []*hold // by the number that the guest knows them by, from 1 on
}

// hold is what one take took, until it is settled.
type hold struct {
	state  core.State
	mu     sync.Mutex
	limits []core.Limit
	done   bool
	timer  *time.Timer // nil: nothing is held that could run out
}

// releaseTime is how long the store may take when a hold is released.
const releaseTime = 5 * time.Second

// hold keeps what a take took, and gives its number. limits are its own from here on.
func (k *exchangeState) hold(limits []core.Limit, state core.State) int64 {
	h := &hold{limits: limits, state: state}
	var lasts time.Duration
	for at := range limits {
		if l := &limits[at]; l.Kind != core.Rate && l.Cost > 0 {
			lasts = max(lasts, l.Period)
		}
	}
	k.holds = append(k.holds, h)
	if lasts > 0 {
		h.mu.Lock()
		h.timer = time.AfterFunc(lasts, func() { h.release(context.Background()) })
		h.mu.Unlock()
	}
	return int64(len(k.holds))
}

// find gives a hold by its number; nil when there is none.
func (k *exchangeState) find(n int64) *hold {
	if k == nil || n < 1 || n > int64(len(k.holds)) {
		return nil
	}
	return k.holds[n-1]
}

// open is the number of holds that are not settled.
func (k *exchangeState) open() (n int) {
	for _, h := range k.holds {
		h.mu.Lock()
		if !h.done {
			n++
		}
		h.mu.Unlock()
	}
	return n
}

// release lets go of everything that is still held.
func (k *exchangeState) release(ctx context.Context) {
	if k == nil {
		return
	}
	for _, h := range k.holds {
		h.release(ctx)
	}
	k.holds = nil
}

// settle puts what was used in the place of what was taken, once. A failure leaves it
// to the store, which settles when it can.
func (h *hold) settle(ctx context.Context, actual []int64) (settled bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.done {
		return false, nil
	}
	h.done = true
	if h.timer != nil {
		h.timer.Stop()
	}
	for k := range h.limits {
		h.limits[k].Actual = actual[k]
	}
	return true, h.state.Settle(ctx, h.limits)
}

// release settles what was not: nothing was spent, and what was taken from a rate stays
// taken.
func (h *hold) release(ctx context.Context) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.done {
		return
	}
	h.done = true
	if h.timer == nil { // nothing is held
		return
	}
	h.timer.Stop()
	for k := range h.limits {
		l := &h.limits[k]
		if l.Actual = 0; l.Kind == core.Rate {
			l.Actual = l.Cost
		}
	}
	ctx, cancel := context.WithTimeout(ctx, releaseTime)
	defer cancel()
	_ = h.state.Settle(ctx, h.limits) // what the store cannot take now it takes later
}
