package proxy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Claude Code asks for thinking and sets a limit in each request.
func TestTheMockThinksNothingAndEndsAtTheLimitOfAMessagesClient(t *testing.T) {
	g := open(t, setup{})
	const ask = `{"model":"mock-echo","max_tokens":3,"thinking":{"type":"enabled","budget_tokens":1024},"messages":[{"role":"user","content":"one two three four five six"}]}`
	a := g.callPath("/v1/messages", ask)
	require.Equal(t, 200, a.status, a.body)
	assert.Equal(t, "max_tokens", findAt(a.body, "stop_reason").text())
	assert.InDelta(t, 3, findAt(a.body, "usage.output_tokens").number(), 0)
	assert.NotContains(t, a.body, "six")
}

// A local shell runs at the client, a search of tools at the provider unless its execution says otherwise.
func TestToolsAreRefusedWhereTheyRunAtTheProviderAlone(t *testing.T) {
	up := newFake(t, numberAnswers("hello"))
	g := open(t, setup{provider: newProvider(t, "openai", up.url)})
	ask := func(tool string) answer {
		return g.callPath(answersPath, `{"model":"gpt-test","stream":true,"input":"hi","tools":[`+tool+`]}`)
	}
	for _, tool := range []string{`{"type":"local_shell"}`, `{"type":"tool_search","execution":"client","parameters":{"type":"object"}}`} {
		a := ask(tool)
		require.Equal(t, 200, a.status, a.body)
		assert.Contains(t, up.last(t).body, tool)
	}
	for _, tool := range []string{`{"type":"tool_search","execution":"server"}`, `{"type":"tool_search"}`} {
		a := ask(tool)
		assert.Equal(t, 400, a.status, a.body)
		assert.Contains(t, a.body, "unsupported_parameter")
	}
	assert.Len(t, up.requests(), 2)
}
