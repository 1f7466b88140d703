package state

import "time"

// Advance moves the clock that r counts by.
func (r *Redis) Advance(d time.Duration) { r.skew += d }

// Die ends r as the killing of its process would: nothing that it holds is renewed
// or settled any more.
func (r *Redis) Die() {
	r.stop()
	r.work.Wait()
}
