package route

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

// usual are the steps of every exchange. None of them may allocate.
func usual(tb testing.TB) map[string]func() {
	tb.Helper()
	targets := []Target{{Provider: "a", Weight: 2, Region: "eu"}, {Provider: "b", Weight: 1}, {Provider: "c", Weight: 1, Region: "us"}}
	r, err := New([]Route{
		{Pattern: "order", Targets: targets},
		{Pattern: "turns", Strategy: RoundRobin, Targets: targets},
		{Pattern: "weights", Strategy: Weighted, Targets: targets},
		{Pattern: "cheapest", Strategy: Weighted, Targets: targets, LatencySLA: time.Second},
		{Pattern: "*", Targets: targets},
	}, many)
	require.NoError(tb, err)
	health, latencies := NewHealth(DefaultBreaker, nil), NewLatencies(DefaultLatency, nil)
	for _, t := range targets {
		latencies.Observe(t.Provider, "cheapest", time.Millisecond)
		c, ok := health.Allow(Ask{Provider: t.Provider, Model: "gpt-5", Caller: "dev"})
		require.True(tb, ok)
		c.Report(Served)
	}
	limited := DefaultTiers
	limited.Max = 100
	tiers, open := NewTiers(limited), NewTiers(DefaultTiers)
	dst := make([]core.TargetRef, 0, 8)
	var prices Prices = costs{"a": 3, "b": 2, "c": 1}
	query := Query{Latencies: latencies, Prices: prices}
	plan := func(model, region string) func() {
		return func() {
			q := query
			q.Model, q.Region = model, region
			if p, ok := r.PlanFor(dst, q); !ok || len(p) == 0 {
				panic(model)
			}
		}
	}
	acquire := func(t *Tiers) func() {
		ctx := tb.Context()
		return func() {
			release, err := t.Acquire(ctx, Standard)
			if err != nil {
				panic(err)
			}
			release()
		}
	}
	retry := DefaultRetry
	needs := Needs{Tools: true}
	return map[string]func(){
		"plan/order":    plan("order", ""),
		"plan/turns":    plan("turns", ""),
		"plan/weights":  plan("weights", ""),
		"plan/glob":     plan("any/model", ""),
		"plan/region":   plan("order", "eu"),
		"plan/cheapest": plan("cheapest", ""),
		"fit": func() {
			rest, _ := RemoveUnfit(r.Plan("order"), func(*core.TargetRef) *core.Error { return needs.CheckCapabilities("X", Capabilities{ToolCalls: true}) })
			if len(rest) != 3 {
				panic(len(rest))
			}
		},
		"health": func() {
			c, ok := health.Allow(Ask{Provider: "b", Model: "gpt-5", Caller: "dev"})
			if !ok {
				panic("open")
			}
			c.Report(Served)
		},
		"latency":        func() { latencies.Observe("b", "cheapest", time.Millisecond) },
		"retry":          func() { retry.ChooseNext(Tries{Calls: 1}, Result{Status: 503}) },
		"tiers/limit":    acquire(tiers),
		"tiers/no limit": acquire(open),
	}
}

func TestTheUsualPathDoesNotAllocate(t *testing.T) {
	for name, step := range usual(t) {
		step()
		assert.Zero(t, testing.AllocsPerRun(100, step), name)
	}
}

func BenchmarkUsual(b *testing.B) {
	for name, step := range usual(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				step()
			}
		})
	}
}

func BenchmarkParallel(b *testing.B) {
	for name, step := range usual(b) {
		if name == "plan/region" || name == "plan/cheapest" {
			continue // the memory for the plan belongs to one exchange
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					step()
				}
			})
		})
	}
}
