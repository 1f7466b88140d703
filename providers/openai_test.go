package providers

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

func TestABaseURLIsJoinedWithItsVersionOnce(t *testing.T) {
	for base, want := range map[string]string{
		"":                                 "https://api.openai.com/v1/chat/completions",
		"https://api.openai.com":           "https://api.openai.com/v1/chat/completions",
		"https://api.openai.com/":          "https://api.openai.com/v1/chat/completions",
		"https://api.openai.com/v1":        "https://api.openai.com/v1/chat/completions",
		"https://api.openai.com/v1/":       "https://api.openai.com/v1/chat/completions",
		"http://127.0.0.1:9000/openai":     "http://127.0.0.1:9000/openai/v1/chat/completions",
		"http://127.0.0.1:9000/openai/v1":  "http://127.0.0.1:9000/openai/v1/chat/completions",
		"https://h/my-v1":                  "https://h/my-v1/v1/chat/completions",
		"https://h/v1beta":                 "https://h/v1beta/v1/chat/completions",
		"https://h/a%2Fb":                  "https://h/a%2Fb/v1/chat/completions",
		"https://h/v1?api-version=preview": "https://h/v1/chat/completions?api-version=preview",
	} {
		p, err := New(Settings{Name: "openai", BaseURL: base})
		require.NoError(t, err, base)
		assert.Equal(t, want, request(t, p, exchange(openAIChat, "gpt-4.1", false)).URL.String(), base)
	}
}

func TestABaseURLThatCannotWorkIsRefusedWithoutRepeatingIt(t *testing.T) {
	for _, base := range []string{"api.openai.com", "ftp://h", "https://", "://x", "/v1", "https://user:s3cret@h", "https://h/#s3cret", "https://h:s3cret/"} {
		_, err := New(Settings{Name: "openai", BaseURL: base})
		require.Error(t, err, base)
		assert.Contains(t, err.Error(), "base_url")
		assert.NotContains(t, err.Error(), "s3cret")
	}
}

func TestReasoningModelsTakeTheNewNameOfTheLimit(t *testing.T) {
	p, err := New(Settings{Name: "openai"})
	require.NoError(t, err)
	for model, want := range map[string]bool{
		"o1": true, "o1-mini": true, "o1-preview": true, "o3": true, "o3-mini-2025-01-31": true, "o4-mini": true, "o10": true,
		"gpt-5": true, "gpt-5-mini": true, "gpt-5.1": true, "gpt-5.1-codex": true, "gpt-6": true, "gpt-10-x": true, "ft:gpt-5:org::id": true, "ft:o4-mini:org::id": true,
		"gpt-4o": false, "gpt-4.1": false, "gpt-4": false, "gpt-3.5-turbo": false, "gpt-35-turbo": false, "gpt-4o-mini": false, "chatgpt-4o-latest": false,
		"ft:gpt-4o:org::id": false, "gpt-oss-120b": false, "gpt-": false, "o": false, "omni-moderation": false, "olmo-7b": false, "O1": true, "GPT-5-Mini": true, "": false, "llama-5": false,
	} {
		traits := p.FindTraits(model)
		assert.Equal(t, map[bool]string{true: "max_completion_tokens", false: "max_tokens"}[want], traits.LimitField, model)
		assert.True(t, traits.StreamUsage)
	}
}

func TestOnlyHeadersThatGrantNothingAreForwarded(t *testing.T) {
	p, err := New(Settings{Name: "openai", APIKey: "sk-own", Header: []upstream.Field{{Name: "OpenAI-Organization", Value: "org"}}})
	require.NoError(t, err)
	x := exchange(openAIChat, "gpt-4.1", false)
	x.Target.Wire = openAIChat
	x.Request.Header = http.Header{
		"Authorization": {
			"Bearer gw_client",
		},
		"Cookie":              {"a=b"},
		"X-Api-Key":           {"k"},
		"Openai-Organization": {"theirs"},
		"Openai-Project":      {"theirs"},
		"Openai-Beta": {
			"x=1",
		},
		"Idempotency-Key":     {"i"},
		"X-Client-Request-Id": {"one", "two"},
		"X-Forwarded-For":     {"10.0.0.1"},
		"Content-Type":        {"text/plain"},
		"Accept-Encoding":     {"gzip"},
	}
	r := upstream.Request{Header: []upstream.Field{{Name: "Old", Value: "call"}}, URL: &url.URL{}}
	for range 2 { // the request is reused
		require.NoError(t, p.NewRequest(x, &r))
		assert.Equal(t, []upstream.Field{
			{Name: "Content-Type", Value: "application/json"},
			{Name: "Authorization", Value: "Bearer sk-own"},
			{Name: "OpenAI-Organization", Value: "org"},
			{Name: "Openai-Beta", Value: "x=1"},
			{Name: "Idempotency-Key", Value: "i"},
		}, r.Header)
	}
	p, err = New(Settings{Name: "openai"})
	require.NoError(t, err)
	assert.Len(t, request(t, p, exchange(openAIChat, "gpt-4.1", false)).Header, 1, "without a key, no key is sent")
}

func TestWhatTheRouterReadsOfAProvider(t *testing.T) {
	owner := map[string]string{}
	for _, typ := range ListTypes() {
		s := settings(typ)
		s.Name, s.Type, s.Models = "mine", typ, []string{"a"}
		p := newProvider(t, s)
		assert.Equal(t, "mine", p.Name())
		assert.Equal(t, []string{"a"}, p.Models())
		for _, prefix := range p.Prefixes() {
			assert.Empty(t, owner[prefix], "two providers are known for %s", prefix)
			owner[prefix] = typ
		}
	}
	for _, typ := range []string{"azure-openai", "groq", "ollama"} {
		assert.Empty(t, newProvider(t, settings(typ)).Prefixes(), "it serves other vendors' models")
	}
}

func TestCapabilitiesAreSwitchedByTheNamesOfTheSpecification(t *testing.T) {
	p, err := New(Settings{Name: "openai", Capabilities: map[string]bool{"vision": false, "supports_json_mode": false, "streaming": true}})
	require.NoError(t, err)
	assert.Equal(t, route.Capabilities{Streaming: true, ToolCalls: true, StructuredOutputs: true, Sockets: true}, p.FindCapabilities(""))
	for _, typ := range ListTypes() {
		s := settings(typ)
		s.Capabilities = map[string]bool{"flying": true}
		_, err = New(s)
		require.ErrorContains(t, err, "tool_calls")
	}
	_, err = New(Settings{Name: "x", Type: "unknown"})
	require.ErrorContains(t, err, "groq, mistral, mock, moonshot, ollama, ollama-openai, openai")
}
