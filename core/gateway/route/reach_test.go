package route_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/route"
)

// planForClient returns the targets of a model that a client requests.
func planForClient(r *route.Router, model string) []core.TargetRef {
	plan, _ := r.PlanFor(nil, route.Query{Model: model, Still: true})
	return plan
}

func TestAProviderThatNoRouteNamesIsNotReachableByPrefix(t *testing.T) {
	known := map[string][]string{"openai": {"gpt-"}, "azure-openai": {"gpt-"}, "open": {"o-"}}
	routed := []route.Route{{Pattern: "chat", Targets: []route.Target{{Provider: "openai"}}}}
	other := []route.Route{{Pattern: "chat", Targets: []route.Target{{Provider: "open"}}}}
	r, err := route.New(other, known, route.OpenProviders("open"), route.WithPrefixFallback())
	require.NoError(t, err)
	for _, model := range []string{"openai/gpt-5", "OpenAI/gpt-5", "gpt-5", "azure-openai/x", "azure/x"} {
		plan, served := r.PlanFor(nil, route.Query{Model: model})
		assert.Empty(t, plan, model)
		assert.False(t, served, model)
	}
	assert.Equal(t, []core.TargetRef{{Provider: "open", Model: "x"}}, planForClient(r, "open/x"))
	assert.Equal(t, []core.TargetRef{{Provider: "open", Model: "o-1"}}, planForClient(r, "o-1"))
	assert.Equal(t, "gpt-5", r.StripPrefix("openai/gpt-5"), "rules ignore the prefix of every configured provider")
	assert.True(t, r.Reaches("open"))
	assert.False(t, r.Reaches("openai"))

	require.NoError(t, r.Replace(routed))
	assert.Equal(t, []core.TargetRef{{Provider: "openai", Model: "gpt-5"}}, planForClient(r, "OpenAI/gpt-5"))
	assert.Equal(t, []core.TargetRef{{Provider: "openai", Model: "gpt-5"}}, planForClient(r, "gpt-5"), "nor is the other one a fallback")
	assert.Empty(t, planForClient(r, "azure/x"))
	assert.True(t, r.Reaches("openai"))

	require.NoError(t, r.Replace([]route.Route{{Pattern: "chat", Targets: []route.Target{{Provider: "azure"}}}}))
	assert.Equal(t, []core.TargetRef{{Provider: "azure-openai", Model: "x"}}, planForClient(r, "azure/x"), "a route may name a provider by its alias")
	assert.Empty(t, planForClient(r, "openai/gpt-5"), "the last route that named it is gone")

	require.Error(t, r.Replace([]route.Route{{Pattern: "chat", Strategy: "odd", Targets: []route.Target{{Provider: "openai"}}}}))
	assert.False(t, r.Reaches("openai"), "a skipped route names nothing")
}

func TestWithoutRoutesEveryProviderIsReachableByPrefix(t *testing.T) {
	known := map[string][]string{"openai": {"gpt-"}, "open": {"o-"}}
	r, err := route.New(nil, known, route.OpenProviders("open"))
	require.NoError(t, err)
	assert.Equal(t, []core.TargetRef{{Provider: "openai", Model: "gpt-5"}}, planForClient(r, "openai/gpt-5"))
	assert.Equal(t, []core.TargetRef{{Provider: "openai", Model: "gpt-5"}}, planForClient(r, "gpt-5"))
	assert.True(t, r.Reaches("openai"))

	require.Error(t, r.Replace([]route.Route{{Pattern: "chat", Strategy: "odd", Targets: []route.Target{{Provider: "openai"}}}}))
	assert.Empty(t, planForClient(r, "openai/gpt-5"), "a configured route restricts providers even if it was skipped")
	assert.True(t, r.Reaches("open"))
}

func TestANameThatAPolicyChoseReachesEveryProvider(t *testing.T) {
	known := map[string][]string{"openai": {"gpt-"}, "azure-openai": {"gpt-"}}
	r, err := route.New([]route.Route{{Pattern: "chat", Targets: []route.Target{{Provider: "azure"}}}}, known, route.WithPrefixFallback())
	require.NoError(t, err)
	for range 2 { // the second time from the cache
		plan, served := r.PlanFor(nil, route.Query{Model: "openai/gpt-5", Chosen: true})
		assert.True(t, served)
		assert.Equal(t, []core.TargetRef{{Provider: "openai", Model: "gpt-5"}}, plan)
		assert.Empty(t, planForClient(r, "openai/gpt-5"), "the same name from a client")

		plan, _ = r.PlanFor(nil, route.Query{Model: "gpt-5", Chosen: true})
		assert.Len(t, plan, 2)
		assert.Equal(t, []core.TargetRef{{Provider: "azure-openai", Model: "gpt-5"}}, planForClient(r, "gpt-5"))
	}
	assert.Len(t, r.Plan("openai/gpt-5"), 1, "a rule's query before it chooses")
}
