package route

import (
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

// calls makes n calls that end in the same way.
func calls(t *testing.T, h *Health, n int, r Blame) {
	t.Helper()
	for range n {
		c, ok := h.Allow("p")
		require.True(t, ok)
		c.Report(r)
	}
}

func stateOf(h *Health) State {
	s, _ := h.State("p")
	return s
}

func TestEachChangeOfACircuitIsTold(t *testing.T) {
	clock := newClock()
	h := NewHealth(quick, clock.now)
	var told []string
	h.Changed = func(provider string, s State) { told = append(told, provider+" "+s.String()) }
	calls(t, h, 3, Failed)
	clock.pass(quick.OpenFor)
	calls(t, h, 1, Failed)
	clock.pass(2 * quick.OpenFor)
	calls(t, h, 2, Served)
	assert.Equal(t, []string{"p open", "p half-open", "p open", "p half-open", "p closed"}, told)
}

func TestACircuitOpensWhenEnoughCallsFail(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(t *testing.T, h *Health, c *clock)
		want State
	}{
		{"not before the number is reached", func(t *testing.T, h *Health, _ *clock) { calls(t, h, 2, Failed) }, Closed},
		{"at the number", func(t *testing.T, h *Health, _ *clock) { calls(t, h, 3, Failed) }, Open},
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
			calls(t, h, 1, Failed)
		}, Open},
		{"never by throttling, unless that is asked for", func(t *testing.T, h *Health, _ *clock) { calls(t, h, 100, Throttled) }, Closed},
		{"never by calls that tell nothing", func(t *testing.T, h *Health, _ *clock) { calls(t, h, 100, Unknown) }, Closed},
	} {
		t.Run(c.name, func(t *testing.T) {
			clock := newClock()
			h := NewHealth(quick, clock.now)
			c.do(t, h, clock)
			assert.Equal(t, c.want, stateOf(h))
			_, ok := h.Allow("p")
			assert.Equal(t, c.want == Closed, ok)
			_, ok = h.Allow("other")
			assert.True(t, ok, "the others go on")
		})
	}
}

func TestThrottlingOpensACircuitWhereThatIsAskedFor(t *testing.T) {
	s := quick
	s.Throttles = 2
	clock := newClock()
	h := NewHealth(s, clock.now)
	calls(t, h, 50, Served)
	calls(t, h, 2, Throttled)
	assert.Equal(t, Open, stateOf(h))
	clock.pass(s.OpenFor)
	calls(t, h, 1, Throttled)
	assert.Equal(t, Open, stateOf(h), "the trial was throttled too")
}

func TestCallsAreCountedByTheirEnd(t *testing.T) {
	h := NewHealth(quick, newClock().now)
	calls(t, h, 4, Served)
	calls(t, h, 1, Failed)
	calls(t, h, 7, Throttled)
	n, failed, throttled := h.Counts("p")
	assert.Equal(t, []int{5, 1, 7}, []int{n, failed, throttled})
	n, failed, throttled = h.Counts("nobody")
	assert.Equal(t, []int{0, 0, 0}, []int{n, failed, throttled})
}

func TestAnOpenCircuitIsTriedWithOneCallAtATime(t *testing.T) {
	clock := newClock()
	h := NewHealth(quick, clock.now)
	calls(t, h, 3, Failed)
	s, left := h.State("p")
	assert.Equal(t, Open, s)
	assert.Equal(t, 10*time.Second, left)
	clock.pass(9999 * time.Millisecond)
	_, ok := h.Allow("p")
	assert.False(t, ok)

	clock.pass(time.Millisecond)
	assert.Equal(t, HalfOpen, stateOf(h))
	first, ok := h.Allow("p")
	require.True(t, ok)
	_, ok = h.Allow("p")
	assert.False(t, ok, "a second trial beside the first")
	first.Report(Served)
	first.Report(Served)
	second, ok := h.Allow("p")
	require.True(t, ok, "two trials are asked for")
	_, ok = h.Allow("p")
	assert.False(t, ok, "one report is one trial")
	second.Report(Served)
	assert.Equal(t, Closed, stateOf(h))
	n, failed, _ := h.Counts("p")
	assert.Zero(t, n+failed, "what led to the opening is forgotten")
}

func TestATrialThatFailsDoublesTheTimeUpToALimit(t *testing.T) {
	clock := newClock()
	h := NewHealth(quick, clock.now)
	calls(t, h, 3, Failed)
	for _, want := range []time.Duration{10, 20, 35, 35} {
		_, left := h.State("p")
		assert.Equal(t, want*time.Second, left)
		clock.pass(left)
		calls(t, h, 1, Failed)
	}
	clock.pass(quick.MaxOpen)
	calls(t, h, 2, Served)
	calls(t, h, 3, Failed)
	_, left := h.State("p")
	assert.Equal(t, quick.OpenFor, left, "after it was closed it begins anew")
}

func TestATrialThatTellsNothingFreesItsPlace(t *testing.T) {
	clock := newClock()
	h := NewHealth(quick, clock.now)
	calls(t, h, 3, Failed)
	clock.pass(quick.OpenFor)
	calls(t, h, 5, Unknown)
	assert.Equal(t, HalfOpen, stateOf(h))
}

func TestATrialThatIsNeverReportedDoesNotBlockForGood(t *testing.T) {
	clock := newClock()
	h := NewHealth(quick, clock.now)
	calls(t, h, 3, Failed)
	clock.pass(quick.OpenFor)
	lost, ok := h.Allow("p")
	require.True(t, ok)
	clock.pass(quick.MaxOpen)
	next, ok := h.Allow("p")
	require.True(t, ok)
	lost.Report(Failed)
	assert.Equal(t, HalfOpen, stateOf(h), "the lost one came too late to count")
	next.Report(Failed)
	assert.Equal(t, Open, stateOf(h))
}

func TestCallsFromBeforeAChangeDoNotCount(t *testing.T) {
	clock := newClock()
	h := NewHealth(quick, clock.now)
	late, _ := h.Allow("p")
	calls(t, h, 3, Failed)
	late.Report(Served)
	assert.Equal(t, Open, stateOf(h))
	clock.pass(quick.OpenFor)
	calls(t, h, 2, Served)
	late.Report(Failed)
	n, _, _ := h.Counts("p")
	assert.Zero(t, n)
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
				c, ok := h.Allow("p")
				if !ok {
					clock.pass(time.Millisecond)
					continue
				}
				if c.permit.IsTrial() {
					if n := trials.Add(1); n > most.Load() {
						most.Store(n)
					}
					trials.Add(-1)
				}
				c.Report([]Blame{Served, Failed, Throttled, Unknown}[(i+j)%4])
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
		c, ok := h.Allow("p")
		require.True(t, ok)
		c.Report(Served)
		c.Report(BrokeOff)
		calls, failed, _ := h.Counts("p")
		assert.Equal(t, [2]int{i + 1, i + 1}, [2]int{calls, failed})
	}
	state, _ := h.State("p")
	assert.Equal(t, Open, state)
}
