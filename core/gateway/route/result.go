package route

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// Result is the outcome of one call to a provider, before the client has received anything.
type Result struct {
	Status     int           // of the answer, or of the error in it; 0: none, or an unusable one
	RetryAfter time.Duration // requested by the answer; 0: none
	Final      bool          // the answer asks not to retry
	Unsent     bool          // no byte can have reached the provider
	Unread     bool          // the provider stopped reading the request, and did not answer
	Broken     bool          // the answer was unusable: it broke off, or is not of the API
	Reported   bool          // the provider reported an error in its answer, of an unknown status
	Timeout    bool          // the provider timed out
	Silent     bool          // it timed out before its answer began, by a limit of the provider's configuration
	Ours       bool          // it ended for a reason on our side, for example a hang-up
}

// ClassifyResult returns the Result of upstream.Client.Do.
func ClassifyResult(res *upstream.Response, err error) Result {
	if err == nil {
		return Result{Status: res.Status, RetryAfter: readRetryAfter(res), Final: res.Get("x-should-retry") == "false"}
	}
	var r Result
	var u *upstream.Error
	if errors.As(err, &u) {
		r = Result{Unsent: u.Unsent, Broken: u.Phase > upstream.PhaseFirstByte && !u.Timeout, Timeout: u.Timeout}
		r.Unread = u.Phase == upstream.PhaseWrite && !u.Unsent && !u.Timeout
		r.Silent = u.Timeout && !u.Unsent && errors.Is(u.Err, os.ErrDeadlineExceeded) &&
			(u.Phase == upstream.PhaseWrite || u.Phase == upstream.PhaseFirstByte)
	}
	r.Ours = errors.Is(err, context.Canceled) || errors.Is(err, upstream.ErrRequest) || errors.Is(err, upstream.ErrClosed)
	return r
}

// Blame is what a Result says about the health of the provider and its model.
type Blame uint8

// The blames.
const (
	Served   Blame = iota // the provider answered
	Refused               // the provider answered with a client error
	Failed                // the provider failed: 5xx, as a status or in an answer; or it did not read the request
	BrokeOff              // the provider failed after the call was reported as Served
	// NoAnswer is a call without any answer: the provider was unreachable, or closed the connection. The content of the
	// request cannot have caused that.
	NoAnswer
	Throttled // the provider answered 429
	Unusable  // the answer is unusable, which the request may have caused
	// Silent is a call whose answer did not begin in time. The model may have been thinking, so it counts only while the
	// model answers no call.
	Silent
	Unknown // the call says nothing about the provider: it ended for a reason on our side, or its answer stalled
)

// Blame classifies the result.
func (r Result) Blame() Blame {
	switch {
	case r.Ours:
		return Unknown
	case r.Status == http.StatusTooManyRequests:
		return Throttled
	case r.Status >= 500:
		return Failed
	case r.Status >= 300 || r.Status > 0 && r.Status < 200:
		return Refused
	case r.Status > 0:
		return Served
	case r.Unsent:
		return NoAnswer
	case r.Silent:
		return Silent
	case r.Timeout:
		return Unknown
	case r.Reported, r.Unread:
		return Failed
	case r.Broken:
		return Unusable
	}
	return NoAnswer
}

// readRetryAfter returns when a provider wants to be called again. Some send the finer Retry-After-Ms too.
func readRetryAfter(res *upstream.Response) time.Duration {
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
