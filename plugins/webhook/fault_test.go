package webhook

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/headgate-dev/headgate/plugins/remote"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/stagetest"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

// canary must not appear in an error.
const canary = "canary-9f2c"

func check(s *remote.Stage, text string) (core.Verdict, error) {
	return s.Check(context.Background(), stagetest.Text{Text: text}.Exchange(), core.Request, nil)
}

// checkFault checks the fault of an error, and that the error reveals nothing.
func checkFault(t *testing.T, err error, kind core.Fault, why string) {
	t.Helper()
	var f core.FaultReporter
	require.ErrorAs(t, err, &f)
	assert.Equal(t, kind.String(), f.Fault().String(), err.Error())
	assert.ErrorContains(t, err, why)
	assert.ErrorContains(t, err, `webhook "the-guard"`)
	for e := err; e != nil; e = errors.Unwrap(e) {
		for _, hidden := range []string{"hidden", canary, secret, "127.0.0.1"} {
			assert.NotContains(t, e.Error(), hidden)
		}
	}
}

func TestOneTimeoutBoundsAWholeCheck(t *testing.T) {
	r := receives(t, func(ctx context.Context, _ *webhook.Request) (*webhook.Verdict, error) {
		select { // each call is fast enough, but all of them together are not
		case <-time.After(60 * time.Millisecond):
		case <-ctx.Done():
		}
		return &webhook.Verdict{Action: webhook.Pass}, ctx.Err()
	})
	s := r.link(t, func(o *Options) { o.Timeout = 150 * time.Millisecond })
	_, err := check(s, strings.Repeat(canary+" ", 800_000))
	checkFault(t, err, core.FaultTimeout, "within 150ms")
}

func TestACallerThatLeavesIsNoFaultOfTheReceivers(t *testing.T) {
	r := receives(t, func(ctx context.Context, _ *webhook.Request) (*webhook.Verdict, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	s := r.link(t)
	for range 2 * remote.BreakerFailures {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(5*time.Millisecond, cancel)
		_, err := s.Check(ctx, stagetest.Text{Text: canary}.Exchange(), core.Request, nil)
		require.ErrorIs(t, err, context.Canceled)
	}
}

func TestAReceiverThatIsAwayIsLeftAloneForAWhile(t *testing.T) {
	down := true
	var mu sync.Mutex
	calls := 0
	h := signs(200, "application/json", `{"version":1,"action":"pass"}`)
	r := serves(t, new(receiver), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if calls++; down {
			http.Error(w, canary, http.StatusBadGateway)
			return
		}
		h.ServeHTTP(w, r)
	}))
	s := r.link(t, func(o *Options) { o.pause = 50 * time.Millisecond })
	for range remote.BreakerFailures {
		_, err := check(s, "x")
		checkFault(t, err, core.FaultError, "status 502")
	}
	_, err := check(s, "x")
	checkFault(t, err, core.FaultOverload, "out of service")
	mu.Lock()
	assert.Equal(t, remote.BreakerFailures+1, calls, "with its canary; it is not called while it is out of service")
	down = false
	mu.Unlock()
	require.Eventually(t, func() bool { _, err := check(s, "x"); return err == nil }, 10*time.Second, 10*time.Millisecond)
}

func TestOneTextThatConfusesAReceiverTakesTheGuardFromNobody(t *testing.T) {
	r := receives(t, func(_ context.Context, in *webhook.Request) (*webhook.Verdict, error) {
		if strings.Contains(in.Segments[0].Text, "confusing") {
			return &webhook.Verdict{Action: "none"}, nil
		}
		return &webhook.Verdict{Action: webhook.Pass}, nil
	})
	s := r.link(t)
	for range 3 * remote.BreakerFailures {
		_, err := check(s, "confusing")
		checkFault(t, err, core.FaultVerdict, "action")
	}
	_, err := check(s, "plain")
	require.NoError(t, err)
}

type names map[string][]netip.Addr

func (n names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	return n[host], nil
}

func TestANameThatDoesNotResolveIsAFault(t *testing.T) {
	s, err := New(Options{Link: "the-guard", URL: "https://" + canary + ".example.com/?hidden", Secret: secret, resolver: names{}})
	require.NoError(t, err)
	_, err = check(s, "x")
	checkFault(t, err, core.FaultError, "does not resolve")
}

func TestAReceiverThatIsGoneIsAFault(t *testing.T) {
	r := receives(t, finds(webhook.Flag))
	s := r.link(t)
	r.Close()
	_, err := check(s, "x")
	checkFault(t, err, core.FaultError, "refuses connections")
}

func TestAConnectionThatWasClosedWhileIdleIsNoFault(t *testing.T) {
	r := receives(t, finds(webhook.Flag))
	s := r.link(t)
	for range 20 {
		_, err := check(s, "x")
		require.NoError(t, err)
		r.CloseClientConnections()
	}
}
