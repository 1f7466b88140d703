package wasm

import (
	"context"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// exchangeState is a stage's state for one exchange: its bytes and its holds. The chain passes it from one call to the next.
type exchangeState struct {
	data  []byte
	holds []*hold // by the guest's number for them, from 1

	region     string   // in which the target must be; "" for any
	thresholds int      // reported in the exchange
	calls      int      // of host_call
	unknown    []string // placeholders asked for that were unknown
	answer     *keptAnswer
	withholds  bool // a streamed answer waits for its end

	http *httpExchange // of an http-wasm module
}

// hold is the result of one take, until it is settled.
type hold struct {
	state  core.State
	mu     sync.Mutex
	limits []core.Limit
	done   bool
	timer  *time.Timer // nil if nothing is held that could expire
}

// releaseTime is the time limit of the store for releasing a hold.
const releaseTime = 5 * time.Second

// addHold stores the result of a take and returns its number. It takes ownership of limits.
func (k *exchangeState) addHold(limits []core.Limit, state core.State) int64 {
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

// find returns the hold with a number, or nil.
func (k *exchangeState) find(n int64) *hold {
	if k == nil || n < 1 || n > int64(len(k.holds)) {
		return nil
	}
	return k.holds[n-1]
}

// countOpenHolds returns the number of unsettled holds.
func (k *exchangeState) countOpenHolds() (n int) {
	for _, h := range k.holds {
		h.mu.Lock()
		if !h.done {
			n++
		}
		h.mu.Unlock()
	}
	return n
}

// release releases everything that is still held.
func (k *exchangeState) release(ctx context.Context) {
	if k == nil {
		return
	}
	k.http.releaseHeld(nil)
	for _, h := range k.holds {
		h.release(ctx)
	}
	k.holds = nil
}

// settle replaces the taken units with those actually used, once. After a failure the store settles as soon as it can.
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

// release settles an unsettled hold as unused. Units taken from a rate are not returned.
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
	_ = h.state.Settle(ctx, h.limits) // if it fails, the store settles later
}
