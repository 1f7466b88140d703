package route

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

func TestWhatIsTriedAgainAndWhere(t *testing.T) {
	s := DefaultRetry
	careful := s
	careful.Lost = false
	once := s
	once.Attempts = 1
	const ms, again = time.Millisecond, 150 * time.Millisecond
	for _, c := range []struct {
		name   string
		set    RetrySettings
		tries  Tries
		result Result
		wait   time.Duration
		want   Action
	}{
		{"a call that never reached the provider", s, Tries{Calls: 1}, Result{Unsent: true}, again, SameTarget},
		{"after the last attempt: the next target", s, Tries{Calls: 2}, Result{Unsent: true}, 0, NextTarget},
		{"with one attempt: the next target at once", once, Tries{Calls: 1}, Result{Unsent: true}, 0, NextTarget},
		{"a connection timeout: the next target", s, Tries{Calls: 1}, Result{Unsent: true, Timeout: true}, 0, NextTarget},
		{"a call that was lost in transit", s, Tries{Calls: 1}, Result{}, again, SameTarget},
		{"unless that is turned off", careful, Tries{Calls: 1}, Result{}, 0, GiveUp},
		{"an answer that cannot be used", s, Tries{Calls: 1}, Result{Broken: true}, again, SameTarget},
		{"an answer that can never be used: the next target", s, Tries{Calls: 1}, Result{Broken: true, Final: true}, 0, NextTarget},
		{"a client that hung up", s, Tries{Calls: 1}, Result{Ours: true, Unsent: true}, 0, GiveUp},
		{"a timeout: the next target", s, Tries{Calls: 1}, Result{Timeout: true}, 0, NextTarget},
		{"unless that is turned off too", careful, Tries{Calls: 1}, Result{Timeout: true}, 0, GiveUp},
		{"429 without a time: the next target", s, Tries{Calls: 1}, Result{Status: 429}, 0, NextTarget},
		{"429 with a short time waits for it", s, Tries{Calls: 1}, Result{Status: 429, RetryAfter: time.Second}, time.Second, SameTarget},
		{"never less than the back-off", s, Tries{Calls: 1}, Result{Status: 429, RetryAfter: ms}, again, SameTarget},
		{"429 with a long time: the next target", s, Tries{Calls: 1}, Result{Status: 429, RetryAfter: time.Minute}, 0, NextTarget},
		{"503 with a long time too", s, Tries{Calls: 1}, Result{Status: 503, RetryAfter: time.Minute}, 0, NextTarget},
		{"a provider that asks not to be called again", s, Tries{Calls: 1}, Result{Status: 429, RetryAfter: time.Second, Final: true}, 0, NextTarget},
		{"no budget left", s, Tries{Calls: 1, Waited: 4900 * ms}, Result{Status: 503}, 0, NextTarget},
		{"just enough budget left", s, Tries{Calls: 1, Waited: 4850 * ms}, Result{Status: 503}, again, SameTarget},
		{"500", s, Tries{Calls: 1}, Result{Status: 500}, again, SameTarget},
		{"502", s, Tries{Calls: 1}, Result{Status: 502}, again, SameTarget},
		{"504", s, Tries{Calls: 1}, Result{Status: 504}, again, SameTarget},
		{"529", s, Tries{Calls: 1}, Result{Status: 529}, again, SameTarget},
		{"501 is not transient: the next target", s, Tries{Calls: 1}, Result{Status: 501}, 0, NextTarget},
		{"a failure of a proxy before the provider too", s, Tries{Calls: 1}, Result{Status: 525}, 0, NextTarget},
		{"400 concerns the client", s, Tries{Calls: 1}, Result{Status: 400}, 0, GiveUp},
		{"401 concerns the operator", s, Tries{Calls: 1}, Result{Status: 401}, 0, GiveUp},
		{"404", s, Tries{Calls: 1}, Result{Status: 404}, 0, GiveUp},
	} {
		t.Run(c.name, func(t *testing.T) {
			wait, action := c.set.decide(c.tries, c.result, func() float64 { return 0.5 })
			assert.Equal(t, c.want, action)
			assert.Equal(t, c.wait, wait)
		})
	}
}

func TestTheBackOffDoublesWithinBoundsAndVaries(t *testing.T) {
	s := RetrySettings{Attempts: 100, Base: 100 * time.Millisecond, Max: time.Second, Budget: time.Hour}
	seen := map[time.Duration]bool{}
	for calls, full := range []time.Duration{0, 100, 200, 400, 800, 1000, 1000, 1000} {
		if calls == 0 {
			continue
		}
		full *= time.Millisecond
		for range 50 {
			wait, action := s.ChooseNext(Tries{Calls: calls}, Result{Status: 500})
			assert.Equal(t, SameTarget, action)
			assert.GreaterOrEqual(t, wait, full/2)
			assert.Less(t, wait, full)
			seen[wait] = true
		}
	}
	assert.Greater(t, len(seen), 200)
}

func TestAResultIsReadFromACall(t *testing.T) {
	answer := func(status int, field ...string) *upstream.Response {
		res := &upstream.Response{Status: status}
		for i := 0; i < len(field); i += 2 {
			res.Header = append(res.Header, upstream.Field{Name: field[i], Value: field[i+1]})
		}
		return res
	}
	failure := func(p upstream.Phase, timeout, unsent bool, err error) error {
		return fmt.Errorf("call: %w", &upstream.Error{Phase: p, Timeout: timeout, Unsent: unsent, Err: err})
	}
	for _, c := range []struct {
		name  string
		res   *upstream.Response
		err   error
		want  Result
		blame Blame
	}{
		{"an answer", answer(200), nil, Result{Status: 200}, Served},
		{"a refusal of the request", answer(400), nil, Result{Status: 400}, Refused},
		{"a refusal of our key", answer(401), nil, Result{Status: 401}, Refused},
		{"throttling", answer(429, "retry-after", "2"), nil, Result{Status: 429, RetryAfter: 2 * time.Second}, Throttled},
		{"finer than seconds", answer(429, "Retry-After", "2", "retry-after-ms", "1250.5"), nil, Result{Status: 429, RetryAfter: 1250500 * time.Microsecond}, Throttled},
		{"a fraction of a second", answer(503, "Retry-After", "0.25"), nil, Result{Status: 503, RetryAfter: 250 * time.Millisecond}, Failed},
		{"a date that has passed", answer(503, "Retry-After", "Wed, 21 Oct 2015 07:28:00 GMT"), nil, Result{Status: 503}, Failed},
		{"nonsense", answer(503, "Retry-After", "soon", "Retry-After-Ms", "-5"), nil, Result{Status: 503}, Failed},
		{"a negative time", answer(503, "Retry-After", "-5"), nil, Result{Status: 503}, Failed},
		{"an excessive time", answer(503, "Retry-After", "1e300"), nil, Result{Status: 503}, Failed},
		{"an exhausted quota", answer(429, "X-Should-Retry", "false"), nil, Result{Status: 429, Final: true}, Throttled},
		{"overload", answer(529), nil, Result{Status: 529}, Failed},
		{"no connection", nil, failure(upstream.PhaseDial, false, true, io.EOF), Result{Unsent: true}, NoAnswer},
		{"silence", nil, failure(upstream.PhaseFirstByte, true, false, os.ErrDeadlineExceeded), Result{Timeout: true, Silent: true}, Silent},
		{"no connection in time", nil, failure(upstream.PhaseDial, true, true, os.ErrDeadlineExceeded), Result{Unsent: true, Timeout: true}, NoAnswer},
		{"no handshake", nil, failure(upstream.PhaseHandshake, false, true, io.EOF), Result{Unsent: true}, NoAnswer},
		{"a request that is not read completely", nil, failure(upstream.PhaseWrite, false, false, io.EOF), Result{Unread: true}, Failed},
		{"a request that is not read in time", nil, failure(upstream.PhaseWrite, true, false, os.ErrDeadlineExceeded), Result{Timeout: true, Silent: true}, Silent},
		{"the end of the request's own time", nil, failure(upstream.PhaseFirstByte, true, false, context.DeadlineExceeded), Result{Timeout: true}, Unknown},
		{"a connection that is closed before the answer", nil, failure(upstream.PhaseFirstByte, false, false, io.EOF), Result{}, NoAnswer},
		{"half a head", nil, failure(upstream.PhaseHead, false, false, io.ErrUnexpectedEOF), Result{Broken: true}, Unusable},
		{"half a body", nil, failure(upstream.PhaseBody, false, false, io.ErrUnexpectedEOF), Result{Broken: true}, Unusable},
		{"a body that stalls", nil, failure(upstream.PhaseBody, true, false, os.ErrDeadlineExceeded), Result{Timeout: true}, Unknown},
		{"the client hung up", nil, failure(upstream.PhaseFirstByte, false, false, context.Canceled), Result{Ours: true}, Unknown},
		{"a request that cannot be sent", nil, failure(0, false, true, upstream.ErrRequest), Result{Ours: true, Unsent: true}, Unknown},
		{"any other error", nil, errors.New("what"), Result{}, NoAnswer},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ClassifyResult(c.res, c.err)
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.blame, got.Blame())
		})
	}
	soon := ClassifyResult(answer(503, "Retry-After", time.Now().Add(time.Minute).UTC().Format(http.TimeFormat)), nil)
	assert.InDelta(t, 60, soon.RetryAfter.Seconds(), 2)
}
