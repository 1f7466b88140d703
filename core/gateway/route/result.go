package route

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// Result is how one call to a provider went, as far as nothing of its answer has
// reached the client.
type Result struct {
	Status     int           // of the answer, or that its error stands for; 0: there was none, or none of use
	RetryAfter time.Duration // what the answer asks for; 0: nothing
	Final      bool          // the answer asks not to be called again for this
	Unsent     bool          // no byte can have reached the provider
	Broken     bool          // an answer came that cannot be used: it broke off, or is no answer of the API
	Timeout    bool          // the provider took too long
	Ours       bool          // it ended for a reason that is not the provider's: the client left, say
}

// ResultOf reads a Result from what upstream.Client.Do gives.
func ResultOf(res *upstream.Response, err error) Result {
	if err == nil {
		return Result{Status: res.Status, RetryAfter: retryAfter(res), Final: res.Get("x-should-retry") == "false"}
	}
	var r Result
	var u *upstream.Error
	if errors.As(err, &u) {
		r = Result{Unsent: u.Unsent, Broken: u.Phase > upstream.PhaseFirstByte && !u.Timeout, Timeout: u.Timeout}
	}
	r.Ours = errors.Is(err, context.Canceled) || errors.Is(err, upstream.ErrRequest) || errors.Is(err, upstream.ErrClosed)
	return r
}

// Blame says what a Result tells of the provider's health.
type Blame uint8

// The blames.
const (
	Served    Blame = iota // it answered, be it that the request was at fault
	Failed                 // it was not reached, was too slow, broke off, answered nonsense, or 5xx
	BrokeOff               // it failed after it was reported as Served
	Throttled              // it answered 429
	Unknown                // the call tells nothing of the provider
)

// Blame judges the result.
func (r Result) Blame() Blame {
	switch {
	case r.Ours:
		return Unknown
	case r.Status == http.StatusTooManyRequests:
		return Throttled
	case r.Status == 0, r.Status >= 500:
		return Failed
	}
	return Served
}

// retryAfter reads when a provider wants to be called again. Retry-After-Ms is
// what some send beside the standard field, because it is finer.
func retryAfter(res *upstream.Response) time.Duration {
	if v := res.Get("Retry-After-Ms"); v != "" {
		if ms, err := strconv.ParseFloat(v, 64); err == nil && ms > 0 && ms < 1e9 {
			return time.Duration(ms * float64(time.Millisecond))
		}
	}
	v := res.Get("Retry-After")
	if v == "" {
		return 0
	}
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		if s > 0 && s < 1e6 {
			return time.Duration(s * float64(time.Second))
		}
		return 0
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(0, time.Until(t))
	}
	return 0
}
