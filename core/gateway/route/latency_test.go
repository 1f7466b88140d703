package route

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

func TestARecordIsAMovingAverage(t *testing.T) {
	clock := newClock()
	l := NewLatencies(LatencySettings{Smoothing: 20, Stale: time.Minute}, clock.now)
	assert.Empty(t, l.Records())
	l.Observe("openai", "gpt-5", 100*time.Millisecond)
	clock.pass(time.Second)
	l.Observe("openai", "gpt-5", 200*time.Millisecond)
	l.Observe("azure", "b", 1234567*time.Nanosecond)
	l.Observe("azure", "a", time.Millisecond)
	l.Observe("azure", "a", -time.Millisecond)
	got := l.Records()
	require.Len(t, got, 3)
	assert.Equal(t, LatencyRecord{Provider: "openai", Model: "gpt-5", EWMA: 120, Raw: 200, Samples: 2, Updated: clock.now()}, got[2])
	assert.Equal(t, "a b", got[0].Model+" "+got[1].Model, "in order")
	text, err := json.Marshal(got[1])
	require.NoError(t, err)
	assert.JSONEq(
		t,
		`{"provider":"azure","model":"b","ewmaLatencyMs":1.235,"rawLatencyMs":1.235,"sampleCount":1,"lastUpdated":"2026-03-01T12:00:01Z"}`,
		string(text),
	)
}

func TestAStaleRecordBeginsAnew(t *testing.T) {
	clock := newClock()
	l := NewLatencies(LatencySettings{Smoothing: 20, Stale: time.Minute}, clock.now)
	l.Observe("p", "m", 10*time.Second)
	clock.pass(time.Minute)
	_, known := l.findAverage("p", "m")
	assert.True(t, known)
	clock.pass(time.Nanosecond)
	_, known = l.findAverage("p", "m")
	assert.False(t, known)
	l.Observe("p", "m", time.Second)
	average, known := l.findAverage("p", "m")
	assert.True(t, known)
	assert.Equal(t, time.Second, average)
}

func TestTheRecordsAreBounded(t *testing.T) {
	l := NewLatencies(DefaultLatency, nil)
	for i := range maxRecords + 10 {
		l.Observe("p", fmt.Sprint("m", i), time.Second)
	}
	assert.LessOrEqual(t, len(l.Records()), maxRecords)
	assert.Greater(t, len(l.Records()), maxRecords/2)
	l.Observe("p", strings.Repeat("x", maxNameLength+1), time.Second)
	assert.False(t, l.probe("p", strings.Repeat("x", maxNameLength+1), time.Second), "nobody's model")
	l.Observe("p", "new", time.Second)
	_, known := l.findAverage("p", "new")
	assert.True(t, known, "there is room for a new one")
}

func TestLatenciesAreSafeForConcurrentUse(t *testing.T) {
	l := NewLatencies(DefaultLatency, nil)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 500 {
				l.Observe("p", fmt.Sprint((i+j)%5), time.Second)
				l.findAverage("p", "1")
				l.probe("p", "x", time.Second)
			}
			l.Records()
		})
	}
	wg.Wait()
	var n int64
	for _, r := range l.Records() {
		n += r.Samples
		assert.InDelta(t, 1000, r.EWMA, 0)
	}
	assert.Equal(t, int64(4000), n)
}

// costs are prices by provider.
type costs map[string]int64

func (c costs) FindCallPrice(provider, _ string) (int64, bool) {
	cost, ok := c[provider]
	return cost, ok
}

func providersOf(plan []core.TargetRef) (out string) {
	for _, t := range plan {
		out += t.Provider
	}
	return out
}

func TestTheCheapestTargetThatIsFastEnoughComesFirst(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name      string
		latencies map[string]time.Duration
		prices    costs
		want      string
	}{
		{"among those that are fast", map[string]time.Duration{"a": 100 * ms, "b": 300 * ms, "c": 200 * ms}, costs{"a": 9, "b": 1, "c": 5}, "bca"},
		{"one at the limit is fast", map[string]time.Duration{"a": 100 * ms, "b": 500 * ms, "c": 501 * ms}, costs{"a": 9, "b": 2, "c": 1}, "bac"},
		{"the slow ones last, the fastest of them first", map[string]time.Duration{"a": 900 * ms, "b": 800 * ms, "c": 499 * ms}, costs{"a": 1, "b": 2, "c": 9}, "cba"},
		{"all too slow: the fastest", map[string]time.Duration{"a": 900 * ms, "b": 800 * ms, "c": 700 * ms}, costs{"a": 1, "b": 2, "c": 3}, "cba"},
		{"nothing known: the cheapest", nil, costs{"a": 3, "b": 1, "c": 2}, "bca"},
		{"nothing known and no prices: the order of the route", nil, nil, "abc"},
		{"equal prices: the order of the route", map[string]time.Duration{"a": 3 * ms, "b": 2 * ms, "c": ms}, costs{"a": 1, "b": 1, "c": 1}, "abc"},
		{"no price comes after any price", map[string]time.Duration{"a": ms, "b": ms, "c": ms}, costs{"c": 1 << 40}, "cab"},
		{"an unmeasured one that is more expensive comes after the fast ones", map[string]time.Duration{"b": ms, "c": 900 * ms}, costs{"a": 3, "b": 2, "c": 1}, "bac"},
		{"an unmeasured one without a price too", map[string]time.Duration{"b": ms, "c": 2 * ms}, costs{"b": 2, "c": 1}, "cba"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := NewLatencies(DefaultLatency, newClock().now)
			for p, d := range c.latencies {
				l.Observe(p, "m", d)
			}
			plan := []core.TargetRef{{Provider: "a", Model: "m"}, {Provider: "b", Model: "m"}, {Provider: "c", Model: "m"}}
			l.sortByCost(plan, 500*ms, c.prices)
			assert.Equal(t, c.want, providersOf(plan))
		})
	}
}

func TestAnUnknownTargetThatIsCheaperIsTriedByOneCallAtATime(t *testing.T) {
	clock := newClock()
	l := NewLatencies(LatencySettings{Smoothing: 20, Stale: time.Minute}, clock.now)
	order := func() string {
		plan := []core.TargetRef{{Provider: "a", Model: "m"}, {Provider: "b", Model: "m"}}
		l.sortByCost(plan, 500*time.Millisecond, costs{"a": 2, "b": 1})
		return providersOf(plan)
	}
	l.Observe("a", "m", 100*time.Millisecond)
	assert.Equal(t, "ba", order(), "the first call measures it")
	assert.Equal(t, "ab", order(), "other calls do not wait for that")
	clock.pass(probePeriod)
	assert.Equal(t, "ba", order())
	l.Observe("b", "m", time.Second)
	clock.pass(probePeriod)
	assert.Equal(t, "ab", order(), "the measured target is too slow")
	clock.pass(time.Minute)
	l.Observe("a", "m", 100*time.Millisecond)
	assert.Equal(t, "ba", order(), "a stale record gets another chance")
	l.Observe("b", "m", 200*time.Millisecond)
	assert.Equal(t, "ba", order())
	assert.Equal(t, "ba", order(), "now it is fast enough")
}
