package providers

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/route"
)

// inTable is the table of the specification: streaming, vision, tool calls, structured outputs. Providers that it does
// not name serve models of many vendors, so no capability is ruled out.
var inTable = map[string][4]bool{
	"openai":       {true, true, true, true},
	"azure-openai": {true, true, true, true},
	"anthropic":    {true, true, true, true},
	"gemini":       {true, true, true, true},
	"bedrock":      {true, true, true, true},
	"xai":          {true, true, true, true},
	"mistral":      {true, false, true, true},
	"deepseek":     {true, false, true, false},
	"moonshot":     {true, false, true, false},
	"zhipu":        {true, false, true, false},
	"cohere":       {true, false, false, false},
	"groq":         {true, false, false, false},
	"qwen":         {true, false, false, false},
	"ollama":       {true, true, true, true},
	"mock":         {true, true, true, true},
	// Beyond the specification.
	"openrouter":    {true, true, true, true},
	"together":      {true, true, true, true},
	"fireworks":     {true, true, true, true},
	"vllm":          {true, true, true, true},
	"ollama-openai": {true, true, true, true},
	"vertex":        {true, true, true, true},
}

func TestCapabilitiesAreThoseOfTheSpecification(t *testing.T) {
	require.Len(t, inTable, len(ListTypes()))
	for typ, want := range inTable {
		c := newProvider(t, settings(typ)).FindCapabilities("")
		assert.Equal(t, want, [4]bool{c.Streaming, c.Vision, c.ToolCalls, c.StructuredOutputs}, typ)
		assert.Zero(t, c.MaxContextTokens, "the window is a model's, not a provider's")
	}
	assert.Equal(t, everyCap, newProvider(t, settings("mock")).FindCapabilities("mock-echo"))
}

// "All fifteen providers answer …/capabilities", configured or not.
func TestEveryProviderTellsItsCapabilities(t *testing.T) {
	s := settings("cohere")
	s.Capabilities = map[string]bool{"tool_calls": true}
	azure := settings("azure-openai")
	azure.Capabilities = map[string]bool{"vision": false}
	configured := map[string]route.Provider{"cohere": newProvider(t, s), "azure-openai": newProvider(t, azure)}
	for _, typ := range ListTypes() {
		c, ok := FindCapabilities(configured, typ)
		require.True(t, ok, typ)
		want := newProvider(t, settings(typ)).FindCapabilities("")
		switch typ {
		case "cohere":
			want.ToolCalls = true
		case "azure-openai":
			want.Vision = false
		}
		assert.Equal(t, want, c, typ)
	}
	c, ok := FindCapabilities(configured, "azure")
	assert.True(t, ok)
	assert.False(t, c.Vision, "another name of the configured one")
	c, _ = FindCapabilities(nil, "mock")
	assert.Equal(t, everyCap, c)
	_, ok = FindCapabilities(configured, "nobody")
	assert.False(t, ok)
}

func TestAnyCapabilityCanBeSwitched(t *testing.T) {
	for _, typ := range ListTypes() {
		s := settings(typ)
		s.Capabilities = map[string]bool{"streaming": false, "vision": true, "tool_calls": true, "structured_outputs": false, "json_mode": true, "sockets": false}
		assert.Equal(t, route.Capabilities{Vision: true, ToolCalls: true, JSONMode: true}, newProvider(t, s).FindCapabilities(""), typ)
	}
}

func TestAModelsOwnWindowIsReported(t *testing.T) {
	for typ, models := range map[string]map[string]int{
		"openai":       {"gpt-4o": 128000, "gpt-4o-2024-08-06": 128000, "gpt-5-mini": 400000, "gpt-4.1-nano": 1047576, "gpt-unknown": 0},
		"azure-openai": {"gpt-4o": 128000, "my-deployment": 0},
		"anthropic":    {"claude-opus-4-1-20250805": 200000, "claude-sonnet-5-5": 1000000},
		"gemini":       {"gemini-2.5-pro": 1048576, "gemini-2.5-flash-image": 0},
		"bedrock":      {"us.anthropic.claude-haiku-4-5-20251001-v1:0": 200000, "amazon.nova-pro-v1:0": 300000},
		"moonshot":     {"moonshot-v1-8k": 8192},
		"ollama":       {"llama3": 0},
	} {
		p := newProvider(t, settings(typ))
		for model, want := range models {
			assert.Equal(t, want, p.FindCapabilities(model).MaxContextTokens, "%s %s", typ, model)
		}
	}
}
