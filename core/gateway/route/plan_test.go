package route

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

var many = map[string][]string{"a": nil, "b": nil, "c": nil, "d": nil}

func TestTheTenantsRegionComesFirst(t *testing.T) {
	targets := []Target{{Provider: "a", Region: "us"}, {Provider: "b"}, {Provider: "c", Region: "eu"}, {Provider: "d", Region: "eu"}}
	r, err := New([]Route{
		{Pattern: "strict", Targets: targets},
		{Pattern: "loose", Targets: targets, OtherRegions: true},
		{Pattern: "us", Targets: targets[:1]},
		{Pattern: "none", Targets: []Target{{Provider: "a"}, {Provider: "b"}}},
		{Pattern: "turns", Targets: targets[2:], Strategy: RoundRobin},
	}, many)
	require.NoError(t, err)
	for _, c := range []struct {
		name, model, region, want string
	}{
		{"without a region the route's order stands", "strict", "", "abcd"},
		{"then targets without a region, and no others", "strict", "eu", "cdb"},
		{"others last where the route allows them", "loose", "eu", "cdba"},
		{"a region with its own target", "loose", "us", "abcd"},
		{"no target at all, rather than one elsewhere", "us", "eu", ""},
		{"a route without regions serves every tenant", "none", "eu", "ab"},
		{"the strategy orders within the region", "turns", "eu", "cd"},
		{"the strategy orders within the region", "turns", "eu", "dc"},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan, known := r.PlanFor(nil, Query{Model: c.model, Region: c.region})
			assert.True(t, known)
			assert.Equal(t, c.want, providersOf(plan))
		})
	}
	_, known := r.PlanFor(nil, Query{Model: "nothing", Region: "eu"})
	assert.False(t, known)
}

func TestALatencyLimitPutsTheCheapestFirst(t *testing.T) {
	r, err := New([]Route{
		{
			Pattern:      "m",
			LatencySLA:   time.Second,
			OtherRegions: true,
			Targets: []Target{
				{Provider: "a", Region: "us"},
				{Provider: "b", Region: "us"},
				{Provider: "c", Region: "eu"},
				{Provider: "d", Region: "eu"},
			},
		},
		{Pattern: "off", Targets: []Target{{Provider: "a"}, {Provider: "b"}}},
	}, many)
	require.NoError(t, err)
	l := NewLatencies(DefaultLatency, nil)
	for p := range many {
		l.Observe(p, "m", time.Millisecond)
	}
	prices := costs{"a": 4, "b": 3, "c": 2, "d": 1}
	plan := func(q Query, dst []core.TargetRef) string {
		got, _ := r.PlanFor(dst, q)
		return providersOf(got)
	}
	assert.Equal(t, "dcba", plan(Query{Model: "m", Latencies: l, Prices: prices}, nil))
	assert.Equal(t, "dcba", plan(Query{Model: "m", Latencies: l, Prices: prices}, make([]core.TargetRef, 9)))
	assert.Equal(
		t,
		"badc",
		plan(Query{Model: "m", Region: "us", Latencies: l, Prices: prices}, make([]core.TargetRef, 9)),
		"a cheaper region does not precede the tenant's",
	)
	assert.Equal(t, "abcd", plan(Query{Model: "m", Latencies: l}, nil), "no prices")
	assert.Equal(t, "abcd", plan(Query{Model: "m", Prices: prices}, nil), "no records")
	assert.Equal(t, "ab", plan(Query{Model: "off", Latencies: l, Prices: prices}, nil), "no limit")
	assert.Equal(t, "abcd", providersOf(r.Plan("m")), "the shared plan is unchanged")
}

func TestAzureIsAnotherNameOfAzureOpenAI(t *testing.T) {
	known := map[string][]string{"azure-openai": nil, "openai": {"gpt-"}}
	r, err := New([]Route{
		{Pattern: "azure/o3*", Targets: []Target{{Provider: "azure"}, {Provider: "openai"}}},
		{Pattern: "azure-openai/prod-*", Targets: []Target{{Provider: "openai"}}},
	}, known)
	require.NoError(t, err)
	for model, want := range map[string][]core.TargetRef{
		"azure/gpt-5":             {{Provider: "azure-openai", Model: "gpt-5"}},
		"azure-openai/gpt-5":      {{Provider: "azure-openai", Model: "gpt-5"}},
		"azure/o3-mini":           {{Provider: "azure-openai", Model: "o3-mini"}, {Provider: "openai", Model: "azure/o3-mini"}},
		"azure-openai/o3-mini":    {{Provider: "azure-openai", Model: "o3-mini"}, {Provider: "openai", Model: "azure-openai/o3-mini"}},
		"azure/prod-1":            {{Provider: "openai", Model: "azure/prod-1"}},
		"azure-openai/prod-1":     {{Provider: "openai", Model: "azure-openai/prod-1"}},
		"openai/azure/something":  {{Provider: "openai", Model: "azure/something"}},
		"azure/":                  nil,
		"azure":                   nil,
		"azure-openai/deep/azure": {{Provider: "azure-openai", Model: "deep/azure"}},
	} {
		assert.Equal(t, want, r.Plan(model), model)
	}
	assert.Equal(t, "azure/o3*", r.Routes()[1].Pattern, "listed as written")

	own, err := New([]Route{{Pattern: "x", Targets: []Target{{Provider: "azure"}}}}, map[string][]string{"azure": nil, "azure-openai": nil})
	require.NoError(t, err)
	assert.Equal(t, []core.TargetRef{{Provider: "azure", Model: "m"}}, own.Plan("azure/m"), "unless a provider has that name")
	assert.Equal(t, "azure", own.Plan("x")[0].Provider)
	_, err = New([]Route{{Pattern: "x", Targets: []Target{{Provider: "azure"}}}}, map[string][]string{"openai": nil})
	require.ErrorContains(t, err, `unknown provider "azure"`)
}

func TestModelsWithoutARouteFallBackWhereThatIsAskedFor(t *testing.T) {
	known := map[string][]string{"a": {"gpt-"}, "b": {"gpt-5", "gpt-"}, "c": {"claude-"}}
	r, err := New(nil, known, WithPrefixFallback())
	require.NoError(t, err)
	assert.Equal(t, []core.TargetRef{{Provider: "b", Model: "gpt-5-mini"}, {Provider: "a", Model: "gpt-5-mini"}}, r.Plan("gpt-5-mini"))
	assert.Equal(t, []core.TargetRef{{Provider: "b", Model: "gpt-5"}}, r.Plan("b/gpt-5"), "a named provider is the only one")
	r, err = New(nil, known)
	require.NoError(t, err)
	assert.Equal(t, []core.TargetRef{{Provider: "b", Model: "gpt-5-mini"}}, r.Plan("gpt-5-mini"))
}

func TestAPlanHoldsEachTargetOnce(t *testing.T) {
	targets := []Target{{Provider: "a", Weight: 1}, {Provider: "b", Weight: 1}, {Provider: "c", Weight: 1}, {Provider: "d"}}
	r, err := New([]Route{{Pattern: "t", Strategy: RoundRobin, Targets: targets}, {Pattern: "w", Strategy: Weighted, Targets: targets}}, many)
	require.NoError(t, err)
	for range 50 {
		for _, model := range []string{"t", "w"} {
			plan := r.Plan(model)
			assert.Len(t, plan, 4)
			assert.Equal(t, 4, cap(plan), "an append must not reach the shared targets")
			assert.Contains(t, []string{"abcd", "bcda", "cdab", "dabc"}, providersOf(plan))
			if model == "w" {
				assert.NotEqual(t, "d", plan[0].Provider, "a weight of 0 is never the first")
			}
		}
	}
}
