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
func (r *Redis) Repeat(limits []core.Limit) error { return r.settle(context.Background(), limits) }
