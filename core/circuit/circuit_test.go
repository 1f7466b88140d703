package circuit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// clock is a clock that the test moves.
type clock struct{ now time.Duration }

func (c *clock) readTime() time.Duration { return c.now }

func TestStatesHaveNames(t *testing.T) {
	assert.Equal(t, []string{"closed", "open", "half-open"}, []string{Closed.String(), Open.String(), HalfOpen.String()})
}

func TestTheWindowForgetsAndSaturates(t *testing.T) {
	w := Window{part: time.Second}
	for i := range 100 {
		w.Add(time.Duration(i)*time.Second, i%2 == 0)
	}
	calls, failures := w.Sum(99 * time.Second)
	assert.Equal(t, []uint64{8, 4}, []uint64{calls, failures})
	calls, _ = w.Sum(103 * time.Second)
	assert.Equal(t, uint64(4), calls)
	calls, _ = w.Sum(200 * time.Second)
	assert.Zero(t, calls)
	for range countMax + 10 {
		w.Add(300*time.Second, true)
	}
	calls, failures = w.Sum(300 * time.Second)
	assert.Equal(t, []uint64{countMax, countMax}, []uint64{calls, failures})
}

func TestAFailureWhosePartOfTheWindowIsOverCountsOnceMore(t *testing.T) {
	w := Window{part: time.Second}
	w.Fail(0)
	calls, failures := w.Sum(0)
	assert.Equal(t, [2]uint64{1, 1}, [2]uint64{calls, failures})
}

func TestAStreakOpensAfterFailuresInARow(t *testing.T) {
	c := new(clock)
	k := NewStreak(3, Settings{Pause: time.Second, Since: c.readTime})
	report := func(o Outcome) {
		t.Helper()
		p, ok := k.Allow()
		require.True(t, ok)
		k.Report(p, o)
	}
	late, _ := k.Allow()
	for range 5 {
		report(Failure)
		report(Failure)
		report(Neutral)
		assert.Equal(t, 2, k.Failures(), "a neutral call changes nothing")
		report(Success)
		assert.Zero(t, k.Failures())
	}
	for range 3 {
		report(Failure)
	}
	assert.False(t, k.IsClosed())
	_, ok := k.Allow()
	assert.False(t, ok)
	k.Report(late, Success)
	assert.False(t, k.IsClosed(), "a call from before the change says nothing")
	assert.False(t, k.Count(Failure), "an open circuit counts nothing")

	c.now += time.Second
	first, ok := k.Allow()
	require.True(t, ok)
	_, ok = k.Allow()
	assert.False(t, ok, "one trial at a time")
	k.Report(first, Neutral)
	report(Failure)
	_, left := k.State()
	assert.Equal(t, time.Second, left, "Pause is also the longest one")
	c.now += time.Second
	report(Success)
	assert.True(t, k.IsClosed())
	assert.False(t, k.Count(Failure))
	assert.False(t, k.Count(Failure))
	assert.True(t, k.Count(Failure), "counting starts over")
}

func TestATrialWithoutATimeoutIsWaitedForForEver(t *testing.T) {
	c := new(clock)
	k := NewStreak(1, Settings{Pause: time.Second, Since: c.readTime})
	k.Count(Failure)
	c.now += time.Second
	_, ok := k.Allow()
	require.True(t, ok)
	c.now += 1000 * time.Hour
	_, ok = k.Allow()
	assert.False(t, ok)
	k.Reset()
	assert.True(t, k.IsClosed())
}

func TestAPauseThatIsKeptIsForgottenByHalves(t *testing.T) {
	c := new(clock)
	k := NewStreak(1, Settings{Pause: time.Second, MaxPause: 6 * time.Second, KeepPause: true, Since: c.readTime})
	k.Count(Failure)
	for _, want := range []time.Duration{1, 2, 4, 6, 6} {
		_, left := k.State()
		assert.Equal(t, want*time.Second, left)
		p, ok := k.Try()
		require.True(t, ok, "a probe does not wait for the pause")
		p.Trip()
	}
	p, _ := k.Try()
	p.Succeed()
	_, ok := k.Try()
	assert.False(t, ok, "a closed circuit needs no probe")
	k.Count(Failure)
	_, left := k.State()
	assert.Equal(t, 6*time.Second, left)
	p, _ = k.Try()
	p.Succeed()
	k.ShortenPause()
	k.Count(Failure)
	_, left = k.State()
	assert.Equal(t, 3*time.Second, left)
}
