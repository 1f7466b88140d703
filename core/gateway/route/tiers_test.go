package route

import (
	"context"
	"encoding/json"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

var ten = TierSettings{Max: 10, Threshold: [tierCount]int{100, 80, 50}}

// fill acquires n slots.
func fill(t *testing.T, ts *Tiers, n int, tier Tier) (releases []func()) {
	t.Helper()
	for range n {
		release, err := ts.Acquire(t.Context(), tier)
		require.NoError(t, err)
		releases = append(releases, release)
	}
	return releases
}

// join acquires a slot in the background.
func join(t *testing.T, ts *Tiers, tier Tier) {
	t.Helper()
	go func() {
		_, err := ts.Acquire(t.Context(), tier)
		assert.NoError(t, err)
	}()
	synctest.Wait()
}

func requireRefusal(t *testing.T, ts *Tiers, tier Tier) {
	t.Helper()
	_, err := ts.Acquire(t.Context(), tier)
	var e *core.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, 429, e.HTTPStatus())
	assert.Equal(t, "rate_limit_exceeded", e.Code)
	assert.Equal(t, "rate_limit_error", e.Type())
	assert.Equal(t, time.Second, e.RetryAfter)
	assert.Contains(t, e.Public, tier.String())
}

func TestEachTierStopsAtItsThreshold(t *testing.T) {
	ts := NewTiers(ten)
	bulk := fill(t, ts, 5, Bulk)
	requireRefusal(t, ts, Bulk)
	standard := fill(t, ts, 3, Standard)
	requireRefusal(t, ts, Standard)
	fill(t, ts, 2, Premium)
	requireRefusal(t, ts, Premium)
	assert.Equal(t, PriorityStats{
		Current: 10, Max: 10,
		ByTier:    map[string]int{"premium": 2, "standard": 3, "bulk": 5},
		Threshold: map[string]int{"premium": 100, "standard": 80, "bulk": 50},
	}, ts.Stats())
	bulk[0]()
	requireRefusal(t, ts, Bulk)
	requireRefusal(t, ts, Standard)
	fill(t, ts, 1, Premium)
	for _, release := range append(bulk[1:], standard...) {
		release()
	}
	text, err := json.Marshal(ts.Stats())
	require.NoError(t, err)
	assert.JSONEq(
		t,
		`{"currentConcurrent":3,"maxConcurrent":10,"perTierConcurrent":{"premium":3,"standard":0,"bulk":0},"perTierThresholdPct":{"premium":100,"standard":80,"bulk":50}}`,
		string(text),
	)
}

func TestTiersWithoutALimitOnlyCount(t *testing.T) {
	ts := NewTiers(DefaultTiers)
	releases := fill(t, ts, 1000, Bulk)
	assert.Equal(t, 1000, ts.Stats().Current)
	assert.Zero(t, ts.Stats().Max)
	for _, release := range releases {
		release()
	}
	assert.Zero(t, ts.Stats().Current)
}

func TestASmallLimitStillLetsEachTierIn(t *testing.T) {
	ts := NewTiers(TierSettings{Max: 1, Threshold: [tierCount]int{100, 80, 1}})
	fill(t, ts, 1, Bulk)[0]()
	fill(t, ts, 1, Standard)
}

func TestTiersHaveNames(t *testing.T) {
	for _, name := range tierNames {
		assert.Equal(t, name, FindTier(name).String())
	}
	assert.Equal(t, Standard, FindTier(""))
	assert.Equal(t, Standard, FindTier("gold"))
}

func TestWhoWaitsGetsThePlaceOfOneThatEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := ten
		s.Wait = time.Second
		ts := NewTiers(s)
		running := fill(t, ts, 10, Premium)
		var mu sync.Mutex
		var order []string
		for i, tier := range []Tier{Bulk, Standard, Premium, Standard} {
			go func() {
				_, err := ts.Acquire(t.Context(), tier)
				if assert.NoError(t, err) {
					mu.Lock()
					defer mu.Unlock()
					order = append(order, tier.String()+string(rune('0'+i)))
				}
			}()
			synctest.Wait() // they queue one after the other
		}
		assert.Equal(t, int64(4), ts.waiting.Load())
		for _, release := range running {
			release()
			synctest.Wait()
		}
		assert.Equal(t, []string{"premium2", "standard1", "standard3", "bulk0"}, order)
		assert.Zero(t, ts.waiting.Load())
		assert.Equal(t, 4, ts.Stats().Current)
	})
}

func TestWaitingEndsWithTheTimeOrTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := ten
		s.Wait = time.Second
		ts := NewTiers(s)
		fill(t, ts, 10, Premium)
		began := time.Now()
		requireRefusal(t, ts, Premium)
		assert.Equal(t, time.Second, time.Since(began))

		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		_, err := ts.Acquire(ctx, Premium)
		var e *core.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, core.Canceled, e.Kind)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Zero(t, ts.waiting.Load())
		assert.Equal(t, 10, ts.Stats().Current)
	})
}

func TestNoMoreWaitThanMayRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ts := NewTiers(TierSettings{Max: 2, Threshold: [tierCount]int{100, 100, 100}, Wait: time.Minute})
		running := fill(t, ts, 2, Bulk)
		join(t, ts, Bulk)
		join(t, ts, Bulk)
		began := time.Now()
		requireRefusal(t, ts, Bulk)
		assert.Zero(t, time.Since(began), "at once")
		running[0]()
		running[1]()
	})
}

func TestALaterCallerDoesNotOvertake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ts := NewTiers(TierSettings{Max: 2, Threshold: [tierCount]int{100, 100, 50}, Wait: time.Minute})
		running := fill(t, ts, 1, Bulk)
		join(t, ts, Bulk)
		require.Equal(t, int64(1), ts.waiting.Load())
		premium := fill(t, ts, 1, Premium)
		assert.Equal(t, 2, ts.Stats().Current, "a higher tier does not wait for a lower one")
		running[0]()
		synctest.Wait()
		assert.Equal(t, int64(1), ts.waiting.Load(), "one runs, which is the tier's threshold")
		premium[0]()
		synctest.Wait()
		assert.Zero(t, ts.waiting.Load())
	})
}

func TestAHigherLimitLetsInWhoWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := TierSettings{Max: 1, Threshold: [tierCount]int{100, 100, 100}, Wait: time.Minute}
		ts := NewTiers(s)
		fill(t, ts, 1, Standard)
		join(t, ts, Standard)
		require.Equal(t, int64(1), ts.waiting.Load())
		s.Max = 2
		ts.Configure(s)
		assert.Zero(t, ts.waiting.Load())
		refused := s
		refused.Max, refused.Wait = 1, 0
		ts.Configure(refused)
		_, err := ts.Acquire(t.Context(), Premium)
		require.Error(t, err)
		assert.Equal(t, 2, ts.Stats().Current, "running exchanges continue")
	})
}

func TestTiersAreSafeForConcurrentUse(t *testing.T) {
	s := TierSettings{Max: 8, Threshold: [tierCount]int{100, 75, 50}, Wait: 50 * time.Microsecond}
	ts := NewTiers(s)
	var most, now atomic.Int64
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			for j := range 200 {
				ctx, cancel := context.WithCancel(t.Context())
				if (i+j)%7 == 0 {
					go cancel()
				}
				if release, err := ts.Acquire(ctx, Tier((i+j)%3)); err == nil {
					if n := now.Add(1); n > most.Load() {
						most.Store(n)
					}
					runtime.Gosched()
					now.Add(-1)
					release()
				}
				cancel()
			}
		})
	}
	wg.Wait()
	assert.LessOrEqual(t, most.Load(), int64(8))
	assert.Zero(t, ts.waiting.Load())
	stats := ts.Stats()
	assert.Zero(t, stats.Current)
	assert.Equal(t, map[string]int{"premium": 0, "standard": 0, "bulk": 0}, stats.ByTier)
}
