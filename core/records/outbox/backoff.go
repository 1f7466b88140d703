package outbox

import "time"

// Backoff says how long a delivery that failed waits, and when it is given up. A zero field takes the default.
type Backoff struct {
	First time.Duration // before the second attempt; default 5 s, and twice as long each time
	Most  time.Duration // default 1 h
	// Attempts and Age end it, whichever comes first: defaults 20 and 24 h. The age counts from when the event was
	// queued, or asked for again.
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

// pause is how long to wait after so many failures: half of it is fixed and half is drawn, chance being in [0, 1), so
// that those that failed together do not come back together.
func (b *Backoff) pause(failures int, chance float64) time.Duration {
	d := b.First
	for i := 1; i < failures && d < b.Most; i++ {
		d *= 2
	}
	d = min(d, b.Most)
	return d/2 + time.Duration(chance*float64(d/2))
}

// nextAttempt returns when a delivery with so many failures is retried, or false if it is given up.
func (b *Backoff) nextAttempt(queued, now time.Time, failures int, chance float64) (time.Time, bool) {
	at := now.Add(b.pause(failures, chance))
	return at, failures < b.Attempts && at.Sub(queued) < b.Age
}
