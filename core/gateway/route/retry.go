package route

import (
	"math/rand/v2"
	"net/http"
	"time"
)

// Action is what to do after a call that brought no answer for the client.
type Action uint8

// The actions.
const (
	GiveUp     Action = iota // the client gets the error
	SameTarget               // call this target again after the wait
	NextTarget               // go on with the plan; at its end the client gets the error
)

// RetrySettings say how often a call is tried. They are asked only while nothing of
// an answer has reached the client.
type RetrySettings struct {
	// Attempts are the calls to one target at most. 1 never calls it again.
	Attempts int
	// Base is the back-off before the second call. It doubles up to Max, and half
	// of it is left to chance, so that calls that failed together do not come back
	// together.
	Base, Max time.Duration
	// Budget bounds the waits of one exchange, all targets together.
	Budget time.Duration
	// MaxRetryAfter is the longest Retry-After that is waited for. With a longer
	// one the next target is called at once.
	MaxRetryAfter time.Duration
	// Lost allows to repeat a call that broke before the first byte of its answer, or
	// whose answer came too slowly, though the provider may still be at work on it,
	// and charge for it.
	Lost bool
}

// DefaultRetry is what applies unless it is configured.
var DefaultRetry = RetrySettings{
	Attempts: 2, Base: 200 * time.Millisecond, Max: 2 * time.Second, Budget: 5 * time.Second, MaxRetryAfter: 3 * time.Second, Lost: true,
}

// Tries is what an exchange has done so far.
type Tries struct {
	Calls  int           // to this target, the one that is judged included
	Waited time.Duration // before calls to any target
}

// Next decides what comes after a call that did not succeed.
func (s *RetrySettings) Next(t Tries, r Result) (time.Duration, Action) {
	return s.decide(t, r, rand.Float64)
}

func (s *RetrySettings) decide(t Tries, r Result, chance func() float64) (time.Duration, Action) {
	switch {
	case r.Ours || !s.mayRepeat(r):
		return 0, GiveUp
	case t.Calls >= s.Attempts, r.Final, r.Timeout, !isTransient(r.Status):
		return 0, NextTarget
	case r.Status == http.StatusTooManyRequests && r.RetryAfter == 0, r.RetryAfter > s.MaxRetryAfter:
		return 0, NextTarget
	}
	wait := max(s.backOff(t.Calls, chance), r.RetryAfter)
	if t.Waited+wait > s.Budget {
		return 0, NextTarget
	}
	return wait, SameTarget
}

// mayRepeat says whether the call may be made once more, here or elsewhere: it must
// not be charged twice, and not be sure to end the same way.
func (s *RetrySettings) mayRepeat(r Result) bool {
	if r.Status == 0 {
		return r.Unsent || r.Broken || s.Lost
	}
	return r.Status == http.StatusTooManyRequests || r.Status >= 500
}

// isTransient says whether what stands behind a status is likely to pass soon.
func isTransient(status int) bool {
	switch status {
	case 0, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout, statusOverloaded:
		return true
	}
	return false
}

// statusOverloaded is what some providers answer instead of 503.
const statusOverloaded = 529

func (s *RetrySettings) backOff(calls int, chance func() float64) time.Duration {
	d := s.Base
	for i := 1; i < calls && d < s.Max; i++ {
		d *= 2
	}
	d = min(d, s.Max)
	return d/2 + time.Duration(float64(d/2)*chance())
}
