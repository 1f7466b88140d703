package state

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// maxDebts is the maximum number of settlements that wait for the server.
const maxDebts = 1 << 16

// debts are settlements that the server has not confirmed.
type debts struct {
	mu   sync.Mutex
	list [][]core.Limit
	lost int
}

// queueSettlement queues a settlement. taking is set if it undoes a Take that may have been executed.
func (r *Redis) queueSettlement(limits []core.Limit, taking bool) {
	// Leave rates as they are: it is unknown whether the Take was executed.
	d := slices.DeleteFunc(slices.Clone(limits), func(l core.Limit) bool { return l.Kind == core.Rate })
	for i := range d {
		if taking {
			d[i].Actual = 0
		}
	}
	if len(d) == 0 {
		return
	}
	r.owed.mu.Lock()
	defer r.owed.mu.Unlock()
	if len(r.owed.list) >= maxDebts {
		r.owed.lost++
		r.held.remove(d[0].Hold)
		return
	}
	r.owed.list = append(r.owed.list, d)
}

// retrySettlements retries unconfirmed settlements until ctx ends.
func (r *Redis) retrySettlements(ctx context.Context, lost func(error)) {
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = r.settleDebts(ctx) // failed ones stay queued
			r.owed.mu.Lock()
			n := r.owed.lost
			r.owed.lost = 0
			r.owed.mu.Unlock()
			if n > 0 {
				lost(fmt.Errorf("%d settlements were dropped because the Redis server did not confirm them", n))
			}
		}
	}
}

// settleDebts settles the queued debts up to the first failure.
func (r *Redis) settleDebts(ctx context.Context) error {
	r.owed.mu.Lock()
	list := r.owed.list
	r.owed.list = nil
	r.owed.mu.Unlock()
	for i := range list {
		if err := r.settle(ctx, r.upkeep, list[i]); err != nil {
			r.owed.mu.Lock()
			r.owed.list = append(list[i:], r.owed.list...)
			r.owed.mu.Unlock()
			return err
		}
	}
	return nil
}
