package route_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/body/hosted"
	"github.com/headgate-dev/headgate/core/gateway/route"
)

// hostedRoute returns a route to a provider with a rule for hosted tools.
func hostedRoute(pattern, provider, override string, rule hosted.Rule) route.Route {
	return route.Route{Pattern: pattern, HostedTools: rule, Targets: []route.Target{{Provider: provider, ModelOverride: override}}}
}

func TestTheRuleForHostedToolsHoldsForEachNameThatLeadsToTheModel(t *testing.T) {
	known := map[string][]string{"openai": {"gpt-"}, "azure-openai": nil}
	pinned := hostedRoute("pinned", "openai", "", hosted.Pass)
	pinned.Pinned = "gpt-test"
	for _, rule := range []hosted.Rule{hosted.Refuse, hosted.Strip} {
		r, err := route.New([]route.Route{
			hostedRoute("gpt-test", "openai", "", rule),
			hostedRoute("azure/own", "azure", "", rule),
			hostedRoute("alias", "openai", "gpt-test", hosted.Pass),
			hostedRoute("wide-*", "openai", "openai/gpt-test", hosted.Pass),
			hostedRoute("short", "azure", "own", hosted.Pass),
			hostedRoute("other", "openai", "", hosted.Unset),
			pinned,
		}, known)
		require.NoError(t, err)
		for _, model := range []string{
			"gpt-test", "GPT-Test", "openai/gpt-test", "OpenAI/gpt-test", "openai/GPT-TEST", "openai/openai/gpt-test",
			"alias", "Alias", "pinned", "wide-1", "azure/gpt-test", "azure/own", "azure-openai/own", "short",
		} {
			assert.Equal(t, rule, r.FindHostedTools(model, hosted.Pass), model)
			assert.Equal(t, max(rule, hosted.Strip), r.FindHostedTools(model, hosted.Strip), model)
		}
		for _, model := range []string{"other", "openai/other", "openai/gpt-5", "gpt-test-2"} {
			assert.Equal(t, hosted.Pass, r.FindHostedTools(model, hosted.Pass), model)
			assert.Equal(t, hosted.Refuse, r.FindHostedTools(model, hosted.Refuse), "the route of %s has no rule", model)
		}
	}
}

func TestARouteThatLetsHostedToolsPassDoesSoForItsOwnNameOnly(t *testing.T) {
	r, err := route.New([]route.Route{hostedRoute("gpt-test", "openai", "", hosted.Pass), hostedRoute("alias", "openai", "gpt-test", hosted.Unset)},
		map[string][]string{"openai": {"gpt-"}})
	require.NoError(t, err)
	assert.Equal(t, hosted.Pass, r.FindHostedTools("gpt-test", hosted.Refuse))
	for _, model := range []string{"openai/gpt-test", "alias"} {
		assert.Equal(t, hosted.Refuse, r.FindHostedTools(model, hosted.Refuse), "%s may lead to another provider than the operator allowed", model)
	}
}

func TestAnExceptionToAWiderRouteLetsHostedToolsPass(t *testing.T) {
	r, err := route.New([]route.Route{
		hostedRoute("*", "openai", "", hosted.Refuse),
		hostedRoute("gpt-*", "openai", "", hosted.Pass),
		hostedRoute("azure/*", "azure", "", hosted.Pass),
		hostedRoute("alias", "openai", "other", hosted.Pass),
		hostedRoute("odd-*", "openai", "", hosted.Unset),
	}, map[string][]string{"openai": {"gpt-"}, "azure-openai": nil})
	require.NoError(t, err)
	for _, model := range []string{"gpt-5", "azure/gpt-5", "azure/other", "alias"} {
		assert.Equal(t, hosted.Pass, r.FindHostedTools(model, hosted.Pass), model)
	}
	assert.Equal(t, hosted.Pass, r.FindHostedTools("odd-1", hosted.Pass), "its own route leaves it to the gateway")
	for _, model := range []string{"other", "openai/gpt-5", "openai/odd-1"} {
		assert.Equal(t, hosted.Refuse, r.FindHostedTools(model, hosted.Pass), model)
	}
}

func TestAStoredRouteKeepsTheRuleOfTheFilesRouteForItsModels(t *testing.T) {
	stored := func(pattern, override string) route.Route {
		one := hostedRoute(pattern, "openai", override, hosted.Unset)
		one.Stored = true
		return one
	}
	r, err := route.New([]route.Route{
		stored("gpt-*", ""), stored("gpt-5", ""), stored("gpt-4", ""), stored("alias", "gpt-5"), stored("other", ""),
		hostedRoute("gpt-*", "openai", "", hosted.Refuse),
		hostedRoute("gpt-4", "openai", "", hosted.Pass),
	}, map[string][]string{"openai": {"gpt-"}})
	require.NoError(t, err)
	for _, model := range []string{"gpt-5", "GPT-5", "gpt-6", "openai/gpt-5", "alias"} {
		assert.Equal(t, hosted.Refuse, r.FindHostedTools(model, hosted.Pass), model)
	}
	assert.Equal(t, hosted.Pass, r.FindHostedTools("gpt-4", hosted.Pass), "the file's own exception")
	assert.Equal(t, hosted.Strip, r.FindHostedTools("gpt-4", hosted.Strip), "the exception does not loosen the gateway's rule for a stored route")
	assert.Equal(t, hosted.Pass, r.FindHostedTools("other", hosted.Pass))
}
