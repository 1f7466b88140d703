package route

import (
	"math/rand/v2"
	"net/http"
	"time"
)

// Action is what follows a call that did not answer the client.
type Action uint8

// The actions.
const (
	GiveUp     Action = iota // return the error to the client
	SameTarget               // call this target again after the wait
	NextTarget               // continue with the plan; at its end return the error
)

// RetrySettings configure retries. They apply only while the client has seen nothing of an answer.
type RetrySettings struct {
	// Attempts is the maximum number of calls to one target. 1 never repeats a call.
	Attempts int
	// Base is the back-off before the second call. It doubles up to Max, and half of it is random, so that calls that
	// failed together do not come back together.
	Base, Max time.Duration
	// Budget limits the waits of one exchange, over all targets.
	Budget time.Duration
	// MaxRetryAfter limits the Retry-After for which a call waits. After a longer one the next target is called at
	// once.
	MaxRetryAfter time.Duration
	// Lost also repeats calls that broke off before the first byte or timed out, although the provider may still be
	// processing them, and charge for them.
	Lost bool
}

// DefaultRetry are the default settings.
var DefaultRetry = RetrySettings{
	Attempts: 2, Base: 200 * time.Millisecond, Max: 2 * time.Second, Budget: 5 * time.Second, MaxRetryAfter: 3 * time.Second, Lost: true,
}

// Tries is what an exchange has tried so far.
type Tries struct {
	Calls  int           // to this target, including the last one
	Waited time.Duration // before calls to any target
}

// ChooseNext decides what follows a failed call.
func (s *RetrySettings) ChooseNext(t Tries, r Result) (time.Duration, Action) {
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
	wait := max(s.chooseBackOff(t.Calls, chance), r.RetryAfter)
	if t.Waited+wait > s.Budget {
		return 0, NextTarget
	}
	return wait, SameTarget
}

// mayRepeat reports whether the call may be repeated, here or elsewhere: it must not be charged twice, and must have a
// chance to succeed.
func (s *RetrySettings) mayRepeat(r Result) bool {
	if r.Status == 0 {
		return r.Unsent || r.Broken || s.Lost
	}
	return r.Status == http.StatusTooManyRequests || r.Status >= 500
}

// isTransient reports whether the condition behind a status is likely to pass soon.
func isTransient(status int) bool {
	switch status {
	case 0, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout, statusOverloaded:
		return true
	}
	return false
}

// statusOverloaded is sent by some providers instead of 503.
const statusOverloaded = 529

func (s *RetrySettings) chooseBackOff(calls int, chance func() float64) time.Duration {
	d := s.Base
	for i := 1; i < calls && d < s.Max; i++ {
		d *= 2
	}
	d = min(d, s.Max)
	return d/2 + time.Duration(float64(d/2)*chance())
}
