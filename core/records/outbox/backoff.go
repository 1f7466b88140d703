package outbox

import "time"

// Backoff controls when a failed delivery is retried and when it is abandoned. A zero field takes the default.
type Backoff struct {
	First time.Duration // pause before the second attempt, doubled each time; default 5 s
	Most  time.Duration // maximum pause; default 1 h
	// Attempts and Age limit a delivery, whichever comes first. The defaults are 20 and 24 h. The age counts from the
	// queueing or the last redelivery request.
	Attempts int
	Age      time.Duration
}

func (b *Backoff) fill() {
	for _, d := range []struct {
		v *time.Duration
		d time.Duration
	}{{&b.First, 5 * time.Second}, {&b.Most, time.Hour}, {&b.Age, 24 * time.Hour}} {
		if *d.v <= 0 {
			*d.v = d.d
		}
	}
	if b.Attempts <= 0 {
		b.Attempts = 20
	}
}

// computePause returns the pause after a number of failures. Half of it is fixed and half is scaled by chance, in [0,
// 1), so that deliveries that failed together do not retry together.
func (b *Backoff) computePause(failures int, chance float64) time.Duration {
	d := b.First
	for i := 1; i < failures && d < b.Most; i++ {
		d *= 2
	}
	d = min(d, b.Most)
	return d/2 + time.Duration(chance*float64(d/2))
}

// scheduleNext returns when to retry a delivery after a number of failures, or false to abandon it.
func (b *Backoff) scheduleNext(queued, now time.Time, failures int, chance float64) (time.Time, bool) {
	at := now.Add(b.computePause(failures, chance))
	return at, failures < b.Attempts && at.Sub(queued) < b.Age
}
