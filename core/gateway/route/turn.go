package route

import (
	"context"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// turn is an exchange that waits for a slot. A slot that becomes free is handed to it, so that later exchanges cannot
// take it.
type turn struct{ ready chan struct{} }

// awaitSlot queues for a slot until the wait times out.
func (t *Tiers) awaitSlot(ctx context.Context, set *tierLimits, tier Tier) error {
	me, ok := t.requestSlot(set, tier)
	switch {
	case me == nil && ok:
		return nil
	case !ok:
		return newNoRoomError(tier)
	}
	timer := time.NewTimer(set.Wait)
	defer timer.Stop()
	var err error
	select {
	case <-me.ready:
		return nil
	case <-timer.C:
		err = newNoRoomError(tier)
	case <-ctx.Done():
		err = &core.Error{Kind: core.Canceled, Code: core.CodeCanceled, Public: "the client closed the request", Err: context.Cause(ctx)}
	}
	if !t.leave(me, tier) {
		<-me.ready // a slot was handed over at the last moment
		if ctx.Err() == nil {
			return nil
		}
		t.release(tier)
	}
	return err
}

// requestSlot returns a slot at once (nil, true), a turn to wait for, or neither.
func (t *Tiers) requestSlot(set *tierLimits, tier Tier) (*turn, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting.Add(1)
	ahead := 0
	for i := range t.queues[:tier+1] {
		ahead += len(t.queues[i])
	}
	if ahead == 0 && t.enter(set, tier) {
		t.waiting.Add(-1)
		return nil, true
	}
	if set.Wait <= 0 || t.waiting.Load() > int64(set.Max) {
		t.waiting.Add(-1)
		return nil, false
	}
	me := &turn{make(chan struct{})}
	t.queues[tier] = append(t.queues[tier], me)
	return me, true
}

// leave stops waiting. It returns false if a slot was already handed over.
func (t *Tiers) leave(me *turn, tier Tier) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.queues[tier], me)
	if i < 0 {
		return false
	}
	t.queues[tier] = slices.Delete(t.queues[tier], i, i+1)
	t.waiting.Add(-1)
	return true
}

// admit hands free slots to waiting exchanges, tier by tier, each in order. mu is held.
func (t *Tiers) admit() {
	set := t.set.Load()
	for tier := range t.queues {
		for len(t.queues[tier]) > 0 && t.enter(set, Tier(tier)) {
			close(t.queues[tier][0].ready)
			t.queues[tier] = slices.Delete(t.queues[tier], 0, 1)
			t.waiting.Add(-1)
		}
	}
}
