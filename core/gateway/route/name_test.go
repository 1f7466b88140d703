package route_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/route"
)

func TestNamesThatMeanAnotherModelToAProviderAreRefused(t *testing.T) {
	for _, name := range []string{
		" gpt-4o", "gpt-4o ", "gpt 4o", "gpt-4o\t", "gpt-4o\n", "gpt-4o\x00", "gpt-4o\x7f", "gpt-4o\u00a0", "gpt\u200b-4o", "\ufeffgpt-4o",
		"../gpt-4o", "openai/..", "a..b", "openai//gpt-4o", "//gpt-4o", "ｇｐｔ-4o", "gpt-４o", "ﬁne-tune", "gpt-4o\xff",
	} {
		e := route.CheckModelName(name, "model")
		if assert.NotNil(t, e, "%q", name) {
			assert.Equal(t, 400, e.HTTPStatus())
			assert.Equal(t, core.CodeInvalidValue, e.Code)
			assert.Equal(t, "model", e.Param)
		}
	}
}

func TestNamesInUseAreAccepted(t *testing.T) {
	for _, name := range []string{
		"", "gpt-4o", "openai/gpt-4.1-mini", "llama3.2:8b-instruct-q4_K_M", "meta-llama/Llama-3.3-70B-Instruct", "@cf/meta/llama-3-8b",
		"arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.anthropic.claude-sonnet-4-20250514-v1:0",
		"projects/p/locations/l/publishers/google/models/gemini-2.5-pro", "claude-3-7-sonnet@20250219", "模型-1", "modèle",
	} {
		assert.Nil(t, route.CheckModelName(name, "model"), "%q", name)
	}
}

func TestRoutesIgnoreTheCaseOfAModel(t *testing.T) {
	r, err := route.New([]route.Route{
		{Pattern: "gpt-4o", Targets: []route.Target{{Provider: "a"}}},
		{Pattern: "Big-*", Targets: []route.Target{{Provider: "b"}}},
	}, map[string][]string{"a": nil, "b": nil, "openai": {"o3"}})
	require.NoError(t, err)
	plan := r.Plan("GPT-4o")
	require.Len(t, plan, 1)
	assert.Equal(t, core.TargetRef{Provider: "a", Model: "gpt-4o"}, plan[0], "an exact route names the model")
	plan = r.Plan("BIG-One")
	require.Len(t, plan, 1)
	assert.Equal(t, core.TargetRef{Provider: "b", Model: "BIG-One"}, plan[0], "a pattern does not")
	assert.Equal(t, "openai", r.Plan("O3-mini")[0].Provider)
	assert.Equal(t, "gpt-4o", r.StripPrefix("OpenAI/gpt-4o"))
	assert.Equal(t, core.TargetRef{Provider: "openai", Model: "x"}, r.Plan("OpenAI/x")[0])
}
