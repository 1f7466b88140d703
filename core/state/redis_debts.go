package state

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// mostDebts is the most settlements that wait for the server.
const mostDebts = 1 << 16

// debts are settlements that the server has not confirmed.
type debts struct {
	mu   sync.Mutex
	list []debt
	lost int
}

type debt struct {
	limits []core.Limit
	since  time.Time
	taking bool // of a Take of which nobody knows what became
}

// owe notes a settlement to be made later. taking says that it undoes a Take, if
// that was carried out.
func (r *Redis) owe(limits []core.Limit, taking bool) {
	d := debt{slices.Clone(limits), time.Now(), taking}
	if taking {
		for i := range d.limits {
			d.limits[i].Actual = 0
		}
		// What has put a rate off is left as it is: it may have been nothing.
		d.limits = slices.DeleteFunc(d.limits, func(l core.Limit) bool { return l.Kind == core.Rate })
	}
	if len(d.limits) == 0 {
		return
	}
	r.owed.mu.Lock()
	defer r.owed.mu.Unlock()
	if len(r.owed.list) >= mostDebts {
		r.owed.lost++
		return
	}
	r.owed.list = append(r.owed.list, d)
}

// repay settles what is owed until ctx ends.
func (r *Redis) repay(ctx context.Context, lost func(error)) {
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = r.settleDebts(ctx) // what is left is tried again
			r.owed.mu.Lock()
			n := r.owed.lost
			r.owed.lost = 0
			r.owed.mu.Unlock()
			if n > 0 {
				lost(fmt.Errorf("%d settlements could not be told to the Redis server, and are given up", n))
			}
		}
	}
}

// settleDebts settles what is owed, up to the first failure.
func (r *Redis) settleDebts(ctx context.Context) error {
	r.owed.mu.Lock()
	list := r.owed.list
	r.owed.list = nil
	r.owed.mu.Unlock()
	for i := range list {
		d := &list[i]
		// Within its period a hold cannot have expired: if it is gone, the settlement
		// was carried out, and only its confirmation was lost.
		again := d.taking
		for k := range d.limits {
			again = again || d.limits[k].Kind != core.Rate && time.Since(d.since) < d.limits[k].Period/2
		}
		if err := r.settle(ctx, d.limits, again); err != nil {
			r.owed.mu.Lock()
			r.owed.list = append(list[i:], r.owed.list...)
			r.owed.mu.Unlock()
			return err
		}
	}
	return nil
}
