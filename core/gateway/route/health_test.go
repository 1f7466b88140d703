package route

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var quick = BreakerSettings{
	Failures: 3, FailurePercent: 50, Window: 8 * time.Second, OpenFor: 10 * time.Second, MaxOpen: 35 * time.Second, Trials: 2,
}

// calls makes n calls with the same outcome, of three callers in turn.
func calls(t *testing.T, h *Health, n int, r Blame) {
	t.Helper()
	for i := range n {
		callsOf(t, h, []string{"k", "l", "m"}[i%3], 1, r)
	}
}

// callsOfOne makes n calls of the only caller.
func callsOfOne(t *testing.T, h *Health, n int, r Blame) {
	t.Helper()
	for range n {
		a := ask("k")
		a.Alone = true
		c, ok := h.Allow(a)
		require.True(t, ok)
		c.Report(r)
	}
}

// callsOf makes n calls of one key with the same outcome.
func callsOf(t *testing.T, h *Health, key string, n int, r Blame) {
	t.Helper()
	for range n {
		c, ok := h.Allow(ask(key))
		require.True(t, ok)
		c.Report(r)
	}
}

func ask(key string) Ask { return Ask{Provider: "p", Model: "m", Caller: key} }

func stateOf(h *Health) State {
	s, _ := h.ReadState("p", "m")
	return s
}

func TestEachChangeOfACircuitIsTold(t *testing.T) {
	clock := newClock()
	h := NewHealth(quick, clock.now)
	var told []string
	h.Changed = func(provider, model string, s State) { told = append(told, provider+" "+model+" "+s.String()) }
	calls(t, h, 3, Failed)
	clock.pass(quick.OpenFor)
	calls(t, h, 2, Failed)
	clock.pass(2 * quick.OpenFor)
	calls(t, h, 2, Served)
	assert.Equal(t, []string{"p m open", "p m half-open", "p m open", "p m half-open", "p m closed"}, told)
	told = nil
	calls(t, h, 3, NoAnswer)
	clock.pass(quick.OpenFor)
	calls(t, h, 1, NoAnswer)
	clock.pass(2 * quick.OpenFor)
	calls(t, h, 2, Served)
	assert.Equal(t, []string{"p  open", "p  half-open", "p  open", "p  half-open", "p  closed"}, told)
}

func TestACircuitOpensWhenEnoughCallsFail(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(t *testing.T, h *Health, c *clock)
		want State
	}{
		{"not below the number of failures", func(t *testing.T, h *Health, _ *clock) { calls(t, h, 2, Failed) }, Closed},
		{"at the number of failures", func(t *testing.T, h *Health, _ *clock) { calls(t, h, 3, Failed) }, Open},
		{"not while most calls are served", func(t *testing.T, h *Health, _ *clock) {
			calls(t, h, 10, Served)
			calls(t, h, 9, Failed)
		}, Closed},
		{"when the share is reached", func(t *testing.T, h *Health, _ *clock) {
			calls(t, h, 10, Served)
			calls(t, h, 10, Failed)
		}, Open},
		{"not by failures that left the window", func(t *testing.T, h *Health, c *clock) {
			calls(t, h, 2, Failed)
			c.pass(8 * time.Second)
			calls(t, h, 2, Failed)
		}, Closed},
		{"by failures in different parts of the window", func(t *testing.T, h *Health, c *clock) {
			calls(t, h, 2, Failed)
			c.pass(6900 * time.Millisecond)
			callsOf(t, h, "m", 1, Failed)
		}, Open},
		{"never by throttling, unless configured", func(t *testing.T, h *Health, _ *clock) { calls(t, h, 100, Throttled) }, Closed},
		{"never by inconclusive calls", func(t *testing.T, h *Health, _ *clock) { calls(t, h, 100, Unknown) }, Closed},
		{"never by answers that cannot be used", func(t *testing.T, h *Health, _ *clock) { calls(t, h, 100, Unusable) }, Closed},
		{"never by one key alone", func(t *testing.T, h *Health, _ *clock) { callsOf(t, h, "k", 100, Failed) }, Closed},
		{"not by one key and a failure of another", func(t *testing.T, h *Health, _ *clock) {
			callsOf(t, h, "k", 100, Failed)
			callsOf(t, h, "l", 1, Failed)
			callsOf(t, h, "k", 100, Failed)
		}, Closed},
		{"by one key and two failures of another", func(t *testing.T, h *Health, _ *clock) {
			callsOf(t, h, "k", 2, Failed)
			callsOf(t, h, "l", 2, Failed)
		}, Open},
		{"by many keys that fail less often than those before them", func(t *testing.T, h *Health, _ *clock) {
			callsOf(t, h, "k", 2, Served)
			for i := range 9 {
				callsOf(t, h, strconv.Itoa(i), 1, Served)
			}
			callsOf(t, h, "a", 8, Failed)
			for _, key := range []string{"b", "c", "d"} {
				callsOf(t, h, key, 1, Failed)
			}
		}, Open},
		{"by a model that answers no caller", func(t *testing.T, h *Health, _ *clock) {
			callsOf(t, h, "k", 2, Silent)
			callsOf(t, h, "l", 2, Silent)
		}, Open},
		{"by a model that fails or does not answer", func(t *testing.T, h *Health, _ *clock) {
			callsOf(t, h, "k", 2, Silent)
			callsOf(t, h, "l", 2, Failed)
		}, Open},
		{"not by a model that does not answer one caller", func(t *testing.T, h *Health, _ *clock) {
			callsOf(t, h, "k", 100, Silent)
			callsOf(t, h, "l", 1, Silent)
		}, Closed},
		{"not by a model that answers some callers and not others", func(t *testing.T, h *Health, c *clock) {
			for range 5 {
				callsOf(t, h, "l", 1, Served)
				c.pass(7 * time.Second)
				calls(t, h, 20, Silent)
			}
		}, Closed},
		{"by the only caller's failures in a row", func(t *testing.T, h *Health, c *clock) {
			for range 6 {
				c.pass(time.Minute)
				callsOfOne(t, h, 1, Failed)
			}
		}, Open},
		{"by the only caller's calls to a model that does not answer", func(t *testing.T, h *Health, c *clock) {
			for range 6 {
				c.pass(time.Minute)
				callsOfOne(t, h, 1, Silent)
			}
		}, Open},
		{"not by the only caller's failures with an answer between them", func(t *testing.T, h *Health, _ *clock) {
			for range 5 {
				callsOfOne(t, h, 5, Failed)
				callsOfOne(t, h, 1, Refused)
				callsOfOne(t, h, 5, Silent)
				callsOfOne(t, h, 1, Served)
			}
		}, Closed},
		{"not by another key's failure that left the window", func(t *testing.T, h *Health, c *clock) {
			callsOf(t, h, "l", 1, Failed)
			for range 5 {
				c.pass(8 * time.Second)
				callsOf(t, h, "k", 3, Failed)
			}
		}, Closed},
		{"by many keys", func(t *testing.T, h *Health, _ *clock) {
			for _, key := range []string{"a", "b", "c"} {
				callsOf(t, h, key, 1, Failed)
			}
		}, Open},
		{"by calls of one key that get no answer", func(t *testing.T, h *Health, _ *clock) { callsOf(t, h, "k", 3, NoAnswer) }, Open},
		{"not by them while most calls are answered", func(t *testing.T, h *Health, _ *clock) {
			calls(t, h, 5, Served)
			calls(t, h, 4, Refused)
			calls(t, h, 1, Throttled)
			callsOf(t, h, "k", 9, NoAnswer)
		}, Closed},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := newClock()
			h := NewHealth(quick, clock.now)
			c.do(t, h, clock)
			assert.Equal(t, c.want, stateOf(h))
			_, ok := h.Allow(ask("k"))
			assert.Equal(t, c.want == Closed, ok)
			_, ok = h.Allow(Ask{Provider: "other", Model: "m", Caller: "k"})
			assert.True(t, ok, "the others continue")
		})
	}
}

func TestThrottlingOpensACircuitWhereThatIsAskedFor(t *testing.T) {
	s := quick
	s.Throttles = 3
	clock := newClock()
	h := NewHealth(s, clock.now)
	calls(t, h, 50, Served)
	callsOf(t, h, "k", 9, Throttled)
	assert.Equal(t, Closed, stateOf(h))
	calls(t, h, 3, Throttled)
	assert.Equal(t, Open, stateOf(h))
	clock.pass(s.OpenFor)
	calls(t, h, 2, Throttled)
	assert.Equal(t, Open, stateOf(h), "the trials were throttled too")
}

func TestAnOpenCircuitIsTriedWithOneCallAtATime(t *testing.T) {
	clock := newClock()
	h := NewHealth(quick, clock.now)
	calls(t, h, 3, NoAnswer)
	s, left := h.ReadState("p", "m")
	assert.Equal(t, Open, s)
	assert.Equal(t, 10*time.Second, left)
	clock.pass(9999 * time.Millisecond)
	_, ok := h.Allow(ask("k"))
	assert.False(t, ok)

	clock.pass(time.Millisecond)
	assert.Equal(t, HalfOpen, stateOf(h))
	first, ok := h.Allow(ask("k"))
	require.True(t, ok)
	_, ok = h.Allow(ask("k"))
	assert.False(t, ok, "a second trial beside the first")
	first.Report(Served)
	first.Report(Served)
	second, ok := h.Allow(ask("k"))
	require.True(t, ok, "two trials are required")
	_, ok = h.Allow(ask("k"))
	assert.False(t, ok, "one report is one trial")
	second.Report(Served)
	assert.Equal(t, Closed, stateOf(h))
	calls(t, h, 2, NoAnswer)
	assert.Equal(t, Closed, stateOf(h), "the failures that opened it are cleared")
}

func TestATrialThatFailsDoublesTheTimeUpToALimit(t *testing.T) {
	clock := newClock()
	h := NewHealth(quick, clock.now)
	calls(t, h, 3, NoAnswer)
	for _, want := range []time.Duration{10, 20, 35, 35} {
		_, left := h.ReadState("p", "m")
		assert.Equal(t, want*time.Second, left)
		clock.pass(left)
		calls(t, h, 1, NoAnswer)
	}
	clock.pass(quick.MaxOpen)
	calls(t, h, 2, Served)
	calls(t, h, 3, NoAnswer)
	_, left := h.ReadState("p", "m")
	assert.Equal(t, quick.OpenFor, left, "it starts again once the circuit was closed")
}

func TestATrialThatTellsNothingFreesItsPlace(t *testing.T) {
	clock := newClock()
	h := NewHealth(quick, clock.now)
	calls(t, h, 3, NoAnswer)
	clock.pass(quick.OpenFor)
	calls(t, h, 5, Unknown)
	assert.Equal(t, HalfOpen, stateOf(h))
}

func TestATrialThatIsNeverReportedDoesNotBlockForGood(t *testing.T) {
	clock := newClock()
	h := NewHealth(quick, clock.now)
	calls(t, h, 3, NoAnswer)
	clock.pass(quick.OpenFor)
	lost, ok := h.Allow(ask("k"))
	require.True(t, ok)
	clock.pass(quick.MaxOpen)
	next, ok := h.Allow(ask("k"))
	require.True(t, ok)
	lost.Report(NoAnswer)
	assert.Equal(t, HalfOpen, stateOf(h), "the lost trial was reported too late to count")
	next.Report(NoAnswer)
	assert.Equal(t, Open, stateOf(h))
}

func TestCallsFromBeforeAChangeDoNotCount(t *testing.T) {
	clock := newClock()
	h := NewHealth(quick, clock.now)
	late, _ := h.Allow(ask("k"))
	calls(t, h, 3, NoAnswer)
	late.Report(Served)
	assert.Equal(t, Open, stateOf(h))
	clock.pass(quick.OpenFor)
	calls(t, h, 2, Served)
	calls(t, h, 2, NoAnswer)
	late.Report(NoAnswer)
	assert.Equal(t, Closed, stateOf(h))
}

func TestABreakerCanBeTurnedOff(t *testing.T) {
	h := NewHealth(BreakerSettings{}, nil)
	calls(t, h, 100, Failed)
	assert.Equal(t, Closed, stateOf(h))
}

func TestHealthIsSafeForConcurrentUse(t *testing.T) {
	clock := newClock()
	s := quick
	s.OpenFor, s.MaxOpen = time.Millisecond, time.Hour
	h := NewHealth(s, clock.now)
	var trials, most atomic.Int64
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 2000 {
				c, ok := h.Allow(Ask{Provider: "p", Model: "m", Caller: strconv.Itoa(i)})
				if !ok {
					clock.pass(time.Millisecond)
					continue
				}
				if c.ofProvider.IsTrial() {
					if n := trials.Add(1); n > most.Load() {
						most.Store(n)
					}
					trials.Add(-1)
				}
				c.Report([]Blame{Served, Failed, Throttled, Unknown, NoAnswer, Unusable, Silent}[(i+j)%7])
			}
		})
	}
	wg.Wait()
	assert.LessOrEqual(t, most.Load(), int64(1), "one trial at a time")
}

func TestACallThatBrokeOffLaterIsOneCallThatFailed(t *testing.T) {
	h := NewHealth(
		BreakerSettings{Failures: 3, FailurePercent: 100, Window: time.Minute, OpenFor: time.Second, MaxOpen: time.Second, Trials: 1},
		nil,
	)
	for i := range 3 {
		assert.Equal(t, Closed, stateOf(h))
		c, ok := h.Allow(ask(strconv.Itoa(i)))
		require.True(t, ok)
		c.Report(Served)
		c.Report(BrokeOff)
	}
	assert.Equal(t, Open, stateOf(h), "all calls failed, and none is counted twice")
}
