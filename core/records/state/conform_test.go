package state_test

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/core/records/state/statetest"
)

// computeLifetime is state whose clock a test can move.
type keepFor struct {
	state.Backend
	advance func(time.Duration)
}

// runOnEach runs a test on all kinds of state.
func runOnEach(t *testing.T, test func(t *testing.T, s keepFor)) {
	t.Run("memory", func(t *testing.T) {
		var past atomic.Int64
		began := time.Now()
		m := state.NewMemory(state.Options{Now: func() time.Time { return began.Add(time.Duration(past.Load())) }})
		test(t, keepFor{m, func(d time.Duration) { past.Add(int64(d)) }})
	})
	t.Run("redis", func(t *testing.T) {
		r := open(t, statetest.StartRedis(t).URL)
		test(t, keepFor{r, r.Advance})
	})
}

func open(t testing.TB, url string) *state.Redis {
	t.Helper()
	r, err := state.OpenRedis(context.Background(), url, nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, r.Close(context.Background())) })
	return r
}

func take(t testing.TB, s core.State, limits ...core.Limit) (bool, []core.Limit) {
	t.Helper()
	ok, err := s.Take(context.Background(), limits)
	require.NoError(t, err)
	return ok, limits
}

// rate lets one pass each 100 ms, and max of them at once.
func rate(key string, cost, most int64) core.Limit {
	return core.Limit{Kind: core.Rate, Key: key, Cost: cost, Max: most, Period: time.Duration(most) * 100 * time.Millisecond}
}

func spend(key string, cost, most int64) core.Limit {
	return core.Limit{Kind: core.Spend, Key: key, Cost: cost, Max: most, Period: time.Minute, Ends: time.Now().Add(time.Hour)}
}

func concurrent(key string, most int64) core.Limit {
	return core.Limit{Kind: core.Concurrent, Key: key, Cost: 1, Max: most, Period: time.Minute}
}

func TestARateLetsABurstThroughAndThenAnEvenPace(t *testing.T) {
	runOnEach(t, func(t *testing.T, s keepFor) {
		for i := range 10 {
			ok, l := take(t, s, rate("k", 1, 10))
			require.True(t, ok, "request %d", i)
			assert.Equal(t, int64(9-i), l[0].Left)
		}
		passed := 0
		for range 40 { // a second, in steps of 25 ms
			s.advance(25 * time.Millisecond)
			if ok, _ := take(t, s, rate("k", 1, 10)); ok {
				passed++
			}
		}
		assert.InDelta(t, 10, passed, 1) // the server's own clock goes on too
	})
}

func TestARefusalTellsHowLongToWait(t *testing.T) {
	runOnEach(t, func(t *testing.T, s keepFor) {
		ok, l := take(t, s, rate("k", 8, 10))
		require.True(t, ok)
		assert.InDelta(t, 800*time.Millisecond, l[0].Reset, float64(time.Millisecond))
		ok, l = take(t, s, rate("k", 5, 10))
		require.False(t, ok)
		assert.True(t, l[0].Short)
		assert.InDelta(t, 300*time.Millisecond, l[0].Wait, float64(100*time.Millisecond))
		s.advance(l[0].Wait)
		ok, _ = take(t, s, rate("k", 5, 10))
		assert.True(t, ok, "it need not wait longer")
		ok, l = take(t, s, rate("k", 11, 10))
		require.False(t, ok)
		assert.Negative(t, l[0].Wait, "no time is long enough")
		ok, l = take(t, s, rate("none", 1, 0))
		assert.False(t, ok)
		assert.Negative(t, l[0].Wait)
	})
}

func TestASettledRateCountsWhatWasUsed(t *testing.T) {
	runOnEach(t, func(t *testing.T, s keepFor) {
		ok, l := take(t, s, rate("less", 1000, 1000))
		require.True(t, ok)
		l[0].Actual = 400
		require.NoError(t, s.Settle(context.Background(), l))
		assert.InDelta(t, 600, l[0].Left, 5)

		ok, l = take(t, s, rate("more", 10, 1000))
		require.True(t, ok)
		l[0].Actual = 1500
		require.NoError(t, s.Settle(context.Background(), l))
		assert.InDelta(t, -500, l[0].Left, 5, "the debt is paid by time")
		ok, l = take(t, s, rate("more", 1, 1000))
		require.False(t, ok)
		s.advance(l[0].Wait)
		ok, _ = take(t, s, rate("more", 1, 1000))
		assert.True(t, ok)
	})
}

func TestAllLimitsAreTakenFromOrNone(t *testing.T) {
	runOnEach(t, func(t *testing.T, s keepFor) {
		ok, _ := take(t, s, spend("full", 100, 100))
		require.True(t, ok)
		before := []core.Limit{rate("r", 0, 10), concurrent("c", 3), spend("s", 0, 50)}
		before[1].Cost = 0
		for range 3 {
			ok, l := take(t, s, rate("r", 2, 10), concurrent("c", 3), spend("s", 5, 50), spend("full", 1, 100))
			require.False(t, ok)
			assert.Equal(t, []bool{false, false, false, true}, []bool{l[0].Short, l[1].Short, l[2].Short, l[3].Short})
			_, l = take(t, s, before...)
			assert.Equal(t, []int64{10, 3, 50}, []int64{l[0].Left, l[1].Left, l[2].Left})
		}
	})
}

func TestWhatRunsAtOnceIsBounded(t *testing.T) {
	runOnEach(t, func(t *testing.T, s keepFor) {
		ok, first := take(t, s, concurrent("c", 2))
		require.True(t, ok)
		ok, _ = take(t, s, concurrent("c", 2))
		require.True(t, ok)
		ok, l := take(t, s, concurrent("c", 2))
		require.False(t, ok)
		assert.Equal(t, int64(2), l[0].Spent)
		require.NoError(t, s.Settle(context.Background(), first))
		assert.Equal(t, int64(1), first[0].Left)
		ok, _ = take(t, s, concurrent("c", 2))
		assert.True(t, ok)
	})
}

func TestASpendCountsWhatIsHeldAndWhatIsSettled(t *testing.T) {
	runOnEach(t, func(t *testing.T, s keepFor) {
		ok, a := take(t, s, spend("b", 60, 100))
		require.True(t, ok)
		ok, l := take(t, s, spend("b", 50, 100))
		require.False(t, ok)
		assert.Equal(t, int64(40), l[0].Left)
		a[0].Actual = 10
		require.NoError(t, s.Settle(context.Background(), a))
		assert.Equal(t, []int64{90, 10}, []int64{a[0].Left, a[0].Spent})
		ok, l = take(t, s, spend("b", 90, 100))
		require.True(t, ok)
		l[0].Actual = 95
		require.NoError(t, s.Settle(context.Background(), l))
		assert.Equal(t, []int64{-5, 105}, []int64{l[0].Left, l[0].Spent}, "what was used is used")
		_, l = take(t, s, spend("b", 0, 100))
		assert.False(t, l[0].Short, "looking costs nothing")
		assert.Equal(t, int64(-5), l[0].Left)
	})
}

func TestAmountsBeyondTheExactNumbersOfAFloatingPointAreExact(t *testing.T) {
	const most = int64(1)<<59 + 1
	runOnEach(t, func(t *testing.T, s keepFor) {
		ok, l := take(t, s, spend("b", most-1, most))
		require.True(t, ok)
		assert.Equal(t, int64(1), l[0].Left)
		ok, _ = take(t, s, spend("b", 2, most))
		assert.False(t, ok)
		ok, _ = take(t, s, spend("b", 1, most))
		assert.True(t, ok)
		ok, _ = take(t, s, spend("b", 1, most))
		assert.False(t, ok)
		l[0].Actual = most - 2
		require.NoError(t, s.Settle(context.Background(), l))
		assert.Equal(t, []int64{1, most - 2}, []int64{l[0].Left, l[0].Spent})
	})
}

func TestASeedRaisesACounterToWhatTheRecordsSay(t *testing.T) {
	ctx, ends := context.Background(), time.Now().Add(time.Hour)
	runOnEach(t, func(t *testing.T, s keepFor) {
		ok, held := take(t, s, spend("b", 10, 100)) // another node is at work already
		require.True(t, ok)
		require.NoError(t, s.Seed(ctx, "b", 30, ends))
		require.NoError(t, s.Seed(ctx, "b", 30, ends))
		_, l := take(t, s, spend("b", 0, 100))
		assert.Equal(t, []int64{60, 30}, []int64{l[0].Left, l[0].Spent})
		held[0].Actual = 10
		require.NoError(t, s.Settle(ctx, held))
		assert.Equal(t, int64(40), held[0].Spent)
		require.NoError(t, s.Seed(ctx, "b", 9, ends)) // of a node that knows of little
		_, l = take(t, s, spend("b", 0, 100))
		assert.Equal(t, []int64{60, 40}, []int64{l[0].Left, l[0].Spent})
		ok, held = take(t, s, spend("b", 5, 100))
		require.True(t, ok)
		require.NoError(t, s.Seed(ctx, "b", 70, ends))
		_, l = take(t, s, spend("b", 0, 100))
		assert.Equal(t, []int64{25, 70}, []int64{l[0].Left, l[0].Spent}, "5 are held")
		held[0].Actual = 7
		require.NoError(t, s.Settle(ctx, held))
		assert.Equal(t, []int64{23, 77}, []int64{held[0].Left, held[0].Spent})
		const much = 9_000_000_000_000_000_123 // more than a floating-point number tells from its neighbours
		require.NoError(t, s.Seed(ctx, "m", much, ends))
		require.NoError(t, s.Seed(ctx, "m", much-1, ends))
		_, l = take(t, s, spend("m", 0, math.MaxInt64))
		assert.Equal(t, int64(much), l[0].Spent)
		require.NoError(t, s.Seed(ctx, "m", much+1, ends))
		_, l = take(t, s, spend("m", 0, math.MaxInt64))
		assert.Equal(t, int64(much+1), l[0].Spent)
	})
}

func TestALimitThatIsNoneIsAnError(t *testing.T) {
	runOnEach(t, func(t *testing.T, s keepFor) {
		for name, l := range map[string][]core.Limit{
			"no kind":         {{Key: "k", Cost: 1, Max: 1}},
			"a negative cost": {spend("k", -1, 1)},
			"too many":        make([]core.Limit, 100),
		} {
			_, err := s.Take(context.Background(), l)
			assert.Error(t, err, name)
			assert.Error(t, s.Settle(context.Background(), l), name)
		}
	})
}

func TestValuesAreKeptForTheirTime(t *testing.T) {
	ctx := context.Background()
	runOnEach(t, func(t *testing.T, s keepFor) {
		b := []byte("one")
		require.NoError(t, s.Set(ctx, "k", b, time.Hour))
		b[0] = 'x'
		got, ok, err := s.Get(ctx, "k")
		require.NoError(t, err)
		assert.True(t, ok)
		assert.Equal(t, "one", string(got))
		require.NoError(t, s.Set(ctx, "k", nil, time.Hour))
		got, ok, err = s.Get(ctx, "k")
		require.NoError(t, err)
		assert.True(t, ok)
		assert.Empty(t, got)
		require.NoError(t, s.Delete(ctx, "k"))
		require.NoError(t, s.Delete(ctx, "k"))
		_, ok, err = s.Get(ctx, "k")
		require.NoError(t, err)
		assert.False(t, ok)
		require.Error(t, s.Set(ctx, "k", nil, 0))
		require.NoError(t, s.Set(ctx, "short", []byte("v"), time.Millisecond))
		s.advance(time.Second)
		assert.Eventually(t, func() bool {
			_, ok, err := s.Get(ctx, "short")
			return err == nil && !ok
		}, 10*time.Second, time.Millisecond)
	})
}

func TestManyTakersNeverTakeMoreThanThereIs(t *testing.T) {
	runOnEach(t, func(t *testing.T, s keepFor) {
		const takers, each, most = 32, 60, 1000
		var got, held, settled atomic.Int64
		var all sync.WaitGroup
		for g := range takers {
			all.Go(func() {
				for i := range each {
					limits := []core.Limit{spend("b", 1, most), concurrent(fmt.Sprint("c", g%4), math.MaxInt32), rate("r", 1, 1_000_000)}
					if i%2 == g%2 { // in another order: locks are taken in one order all the same
						limits[0], limits[2] = limits[2], limits[0]
					}
					ok, err := s.Take(context.Background(), limits)
					if !assert.NoError(t, err) || !ok {
						continue
					}
					got.Add(1)
					for k := range limits {
						limits[k].Actual = limits[k].Cost
					}
					if i%3 == 0 {
						held.Add(1)
						continue
					}
					settled.Add(1)
					assert.NoError(t, s.Settle(context.Background(), limits))
				}
			})
		}
		all.Wait()
		assert.Equal(t, int64(most), got.Load())
		_, l := take(t, s, spend("b", 0, most))
		assert.Equal(t, []int64{0, settled.Load()}, []int64{l[0].Left, l[0].Spent})
		running := int64(0)
		for g := range 4 {
			_, l := take(t, s, core.Limit{Kind: core.Concurrent, Key: fmt.Sprint("c", g), Period: time.Minute})
			running += l[0].Spent
		}
		assert.Equal(t, held.Load(), running)
	})
}

// Both kinds of state give the same results for the same calls at the same times.
func TestMemoryAndRedisCountAlike(t *testing.T) {
	var past atomic.Int64
	m := state.NewMemory(state.Options{Now: func() time.Time { return time.Unix(1_800_000_000, past.Load()) }})
	r := open(t, statetest.StartRedis(t).URL)
	same := 0
	for i := range int64(3000) {
		n := (i*7919 + i*i*31) % 97
		step := time.Duration(n%11) * 100_000 * time.Second
		past.Add(int64(step))
		r.Advance(step)
		// Steps are multiples of 1000 seconds, and so many units as there can be come back
		// between 70 and 770 seconds after one: the time that the test itself takes is of no
		// account.
		a := []core.Limit{
			{Kind: core.Rate, Key: fmt.Sprint("r", n%3), Cost: n % 5, Max: 7, Burst: 3 + n%9, Period: 7 * 1_000_070 * time.Second},
			spend(fmt.Sprint("s", n%4), n%6, 400),
			concurrent(fmt.Sprint("c", n%2), 5),
		}
		b := append([]core.Limit(nil), a...)
		okA, errA := m.Take(context.Background(), a)
		okB, errB := r.Take(context.Background(), b)
		require.NoError(t, errA)
		require.NoError(t, errB)
		compare(t, a, b)
		require.Equal(t, okA, okB, "round %d", i)
		if okA {
			same++
			for k := range a {
				a[k].Actual = (n + int64(k)) % 7
				b[k].Actual = a[k].Actual
			}
			require.NoError(t, m.Settle(context.Background(), a))
			require.NoError(t, r.Settle(context.Background(), b))
			compare(t, a, b)
		}
	}
	assert.Greater(t, same, 100)
	assert.Less(t, same, 2900)
}

func compare(t *testing.T, a, b []core.Limit) {
	t.Helper()
	for i := range a {
		x, y := a[i], b[i]
		require.InDelta(t, x.Wait, y.Wait, float64(30*time.Second))
		require.InDelta(t, x.Reset, y.Reset, float64(30*time.Second))
		if x.Kind == core.Rate { // a unit that comes back while the test runs
			require.InDelta(t, x.Left, y.Left, 1)
			x.Left, y.Left = 0, 0
		}
		x.Hold, y.Hold, x.Wait, y.Wait, x.Reset, y.Reset = 0, 0, 0, 0, 0, 0
		require.Equal(t, x, y)
	}
}
