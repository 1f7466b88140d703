package route_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/route"
)

func TestAProviderThatNoRouteNamesIsNotReachableByPrefix(t *testing.T) {
	known := map[string][]string{"openai": {"gpt-"}, "azure-openai": {"gpt-"}, "open": {"o-"}}
	routed := []route.Route{{Pattern: "chat", Targets: []route.Target{{Provider: "openai"}}}}
	r, err := route.New(nil, known, route.OpenProviders("open"), route.PrefixFallback())
	require.NoError(t, err)
	for _, model := range []string{"openai/gpt-5", "OpenAI/gpt-5", "gpt-5", "azure-openai/x", "azure/x"} {
		assert.Empty(t, r.Plan(model), model)
	}
	assert.Equal(t, []core.TargetRef{{Provider: "open", Model: "x"}}, r.Plan("open/x"))
	assert.Equal(t, []core.TargetRef{{Provider: "open", Model: "o-1"}}, r.Plan("o-1"))
	assert.Equal(t, "gpt-5", r.Bare("openai/gpt-5"), "rules see through the prefix of each provider that is configured")
	assert.True(t, r.Reaches("open"))
	assert.False(t, r.Reaches("openai"))

	require.NoError(t, r.Replace(routed))
	assert.Equal(t, []core.TargetRef{{Provider: "openai", Model: "gpt-5"}}, r.Plan("OpenAI/gpt-5"))
	assert.Equal(t, []core.TargetRef{{Provider: "openai", Model: "gpt-5"}}, r.Plan("gpt-5"), "nor is it a fallback")
	assert.Empty(t, r.Plan("azure/x"))
	assert.True(t, r.Reaches("openai"))

	require.NoError(t, r.Replace([]route.Route{{Pattern: "chat", Targets: []route.Target{{Provider: "azure"}}}}))
	assert.Equal(t, []core.TargetRef{{Provider: "azure-openai", Model: "x"}}, r.Plan("azure/x"), "a route may name a provider by its alias")
	assert.Empty(t, r.Plan("openai/gpt-5"), "the last route that named it is gone")

	require.Error(t, r.Replace([]route.Route{{Pattern: "chat", Strategy: "odd", Targets: []route.Target{{Provider: "openai"}}}}))
	assert.False(t, r.Reaches("openai"), "a route that is left out names nothing")
}
