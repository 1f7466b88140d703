package state

import (
	"context"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// Advance moves the clock that r counts by.
func (r *Redis) Advance(d time.Duration) { r.skew += d }

// Die ends r as the killing of its process would: nothing that it holds is renewed
// or settled any more.
func (r *Redis) Die() {
	r.stop()
	r.work.Wait()
}

// Repeat settles once more, as after a reply that was lost.
func (r *Redis) Repeat(limits []core.Limit) error {
	return r.settle(context.Background(), r.client, limits)
}

// RenewDue renews what is due after a time.
func (r *Redis) RenewDue(after time.Duration) error {
	return r.renewDue(context.Background(), time.Now().Add(after))
}

// TakeScript is the name by which a Take calls its script.
func TakeScript() string { return takeScript.Hash() }

// RenewScript is the name by which a renewal calls its script.
func RenewScript() string { return renewScript.Hash() }

// CountHolds is the number of holds that are renewed.
func (r *Redis) CountHolds() (n int) {
	for i := range r.held.shards {
		s := &r.held.shards[i]
		s.Lock()
		n += len(s.live)
		s.Unlock()
	}
	return n
}

// CountOwed is the number of settlements that wait for the server.
func (r *Redis) CountOwed() int {
	r.owed.mu.Lock()
	defer r.owed.mu.Unlock()
	return len(r.owed.list)
}
