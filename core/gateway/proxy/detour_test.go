package proxy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatAChatRequestSaysAboutItselfArrivesAtTheResponsesAPI(t *testing.T) {
	up := newFake(t, answersBriefly)
	g := open(t, setup{provider: newProvider(t, "openai", up.url)})
	a := g.post("dev", `{"model":"openai/gpt-5.4","reasoning_effort":"high","safety_identifier":"u-\u00e9","metadata":{"team":"a","n":"1"},
		"service_tier":"flex","prompt_cache_retention":"24h","metadata_":1,"messages":[{"role":"user","content":"x"}],
		"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]}`)
	require.Equal(t, 200, a.status, a.body)
	sent := up.last(t)
	assert.Equal(t, "/v1/responses", sent.path)
	for _, want := range []string{`"safety_identifier":"u-\u00e9"`, `"metadata":{"team":"a","n":"1"}`, `"service_tier":"flex"`, `"prompt_cache_retention":"24h"`} {
		assert.Contains(t, sent.body, want)
	}
	assert.NotContains(t, sent.body, "metadata_")
}

func TestAFunctionMayHaveTheNameOfTheToolSearch(t *testing.T) {
	const function = `{"type":"function","name":"tool_search","description":"of the client","parameters":{"type":"object"}}`
	const search = `{"type":"tool_search","execution":"client","description":"finds tools"}`
	for _, tools := range []string{function + "," + search, search + "," + function} {
		up := newFake(t, answersBriefly)
		g := open(t, setup{provider: newProvider(t, "anthropic", up.url)})
		a := g.callPath(answersPath, `{"model":"gpt-test","input":"x","tools":[`+tools+`]}`)
		require.Equal(t, 200, a.status, a.body)
		sent := up.last(t).body
		assert.Contains(t, sent, `"of the client"`)
		assert.Contains(t, sent, `"finds tools`)
		assert.Contains(t, sent, `"name":"tool_search"`)
		assert.Contains(t, sent, `"name":"tool_search_`, "the other has a name of its own")
	}
}
