package route

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

var providers = map[string][]string{"openai": {"gpt-", "o1"}, "mock": {"mock-"}}

func TestPlan(t *testing.T) {
	r, err := New([]Route{
		{Pattern: "*", Targets: []Target{{Provider: "mock", ModelOverride: "mock-any"}}},
		{Pattern: "gpt-*", Targets: []Target{{Provider: "openai"}, {Provider: "mock"}}},
		{Pattern: "gpt-4o", Targets: []Target{{Provider: "openai", Region: "eu"}}, Pinned: "gpt-4o-2024-08-06"},
		{Pattern: "openai/ft:*", Targets: []Target{{Provider: "openai"}}},
	}, providers)
	require.NoError(t, err)
	for _, c := range []struct {
		name, model string
		want        []core.TargetRef
	}{
		{"an exact name beats a pattern, and the pin is sent", "gpt-4o", []core.TargetRef{{Provider: "openai", Model: "gpt-4o-2024-08-06", Region: "eu"}}},
		{"the pattern that fixes most wins, its targets in order", "gpt-5", []core.TargetRef{{Provider: "openai", Model: "gpt-5"}, {Provider: "mock", Model: "gpt-5"}}},
		{"a star crosses slashes and colons, and the provider's own prefix is cut", "openai/ft:gpt-4o:acme/x", []core.TargetRef{{Provider: "openai", Model: "ft:gpt-4o:acme/x"}}},
		{"an override replaces the name", "llama", []core.TargetRef{{Provider: "mock", Model: "mock-any"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, r.Plan(c.model))
			assert.Equal(t, c.want, r.Plan(c.model), "from the cache")
		})
	}
}

func TestWithoutARouteThePrefixDecides(t *testing.T) {
	r, err := New(nil, providers)
	require.NoError(t, err)
	assert.Equal(t, []core.TargetRef{{Provider: "mock", Model: "mock-echo"}}, r.Plan("mock-echo"))
	assert.Equal(t, []core.TargetRef{{Provider: "openai", Model: "any/thing"}}, r.Plan("openai/any/thing"))
	assert.Nil(t, r.Plan("claude-3"))
	assert.Nil(t, r.Plan("openai/"))
	assert.Nil(t, r.Plan(""))
}

func TestStrategies(t *testing.T) {
	targets := []Target{{Provider: "openai", Weight: 3}, {Provider: "mock", Weight: 1}}
	r, err := New(
		[]Route{{Pattern: "a", Strategy: RoundRobin, Targets: targets}, {Pattern: "b", Strategy: Weighted, Targets: targets}},
		providers,
	)
	require.NoError(t, err)
	var turns []string
	for range 4 {
		seen := r.Plan("a")[0].Provider
		assert.Equal(t, seen, r.Plan("a")[0].Provider, "a query takes no turn")
		plan, _ := r.PlanFor(nil, Query{Model: "a"})
		assert.Equal(t, seen, plan[0].Provider)
		turns = append(turns, plan[0].Provider)
	}
	assert.Equal(t, []string{"openai", "mock", "openai", "mock"}, turns)
	first := map[string]int{}
	for range 4000 {
		p := r.Plan("b")
		require.Len(t, p, 2)
		first[p[0].Provider]++
	}
	assert.InDelta(t, 3000, first["openai"], 250)
}

func TestBadRoutes(t *testing.T) {
	for _, c := range []struct {
		name  string
		route Route
		want  string
	}{
		{"an unknown strategy is refused", Route{Pattern: "a", Strategy: "fastest", Targets: []Target{{Provider: "mock"}}}, "unknown strategy"},
		{"an unknown provider is refused", Route{Pattern: "a", Targets: []Target{{Provider: "acme"}}}, `unknown provider "acme"`},
		{"a route without a provider is refused", Route{Pattern: "a"}, "no provider is named"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := New([]Route{c.route}, providers)
			assert.ErrorContains(t, err, c.want)
		})
	}
}

func TestTheCacheOfNamesIsBounded(t *testing.T) {
	r, err := New([]Route{{Pattern: "*", Targets: []Target{{Provider: "mock"}}}}, providers)
	require.NoError(t, err)
	for i := range cacheSize + 100 {
		require.NotNil(t, r.Plan(fmt.Sprint("m", i)))
	}
	assert.Len(t, *r.table.Load().known.Load(), 100, "the others were evicted")
	require.NotNil(t, r.Plan(strings.Repeat("x", maxNameLength+1)))
	assert.Len(t, *r.table.Load().known.Load(), 100, "an overlong name is not cached")
}

// Invented names do not evict a model that is in use.
func TestAModelInUseIsRememberedAgain(t *testing.T) {
	r, err := New([]Route{{Pattern: "*", Strategy: RoundRobin, Targets: []Target{{Provider: "mock"}, {Provider: "openai"}}}}, providers)
	require.NoError(t, err)
	for i := range 3 * cacheSize {
		require.NotNil(t, r.Plan(fmt.Sprint("invented", i)))
	}
	first, _ := r.PlanFor(nil, Query{Model: "used"})
	next, _ := r.PlanFor(nil, Query{Model: "used"})
	assert.NotEqual(t, first[0].Provider, next[0].Provider, "its turns continue")
}
