package proxy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOtherEmbeddingModelsAreReachedByAnOverride(t *testing.T) {
	const vectors = `{"object":"list","model":"m","data":[{"object":"embedding","index":0,"embedding":"AACAPwAAAEA="}],"usage":{"prompt_tokens":1,"total_tokens":1}}`
	up := newFake(t, says(buildWhole(200, "application/json", vectors)))
	g := open(t, setup{provider: newProvider(t, "openai", up.url), override: "nomic-embed"})
	for model, want := range map[string]string{
		"text-embedding-own": "nomic-embed", "openai/text-embedding-3-small": "text-embedding-3-small", "openai/nomic-embed": "", "gpt-test": "",
	} {
		a := g.callPath("/v1/embeddings", `{"model":"`+model+`","input":["a","b"],"encoding_format":"base64","x":1.50}`)
		if want == "" {
			assert.Equal(t, 400, a.status, model)
			continue
		}
		require.Equal(t, 200, a.status, a.body)
		assert.Equal(t, vectors, a.body)
		got := up.last(t)
		assert.Equal(t, "/v1/embeddings", got.path)
		assert.Equal(t, `{"model":"`+want+`","input":["a","b"],"encoding_format":"base64","x":1.50}`, got.body)
	}
}

// Each vendor's own names of models, at the path where the vendor serves OpenAI's shape.
func TestTheCatalogueKnowsTheEmbeddingModelsOfEachVendor(t *testing.T) {
	const vectors = `{"object":"list","model":"m","data":[{"object":"embedding","index":0,"embedding":[1]}],"usage":{"prompt_tokens":3,"total_tokens":3}}`
	for _, c := range []struct{ provider, model, path string }{
		{"openai", "text-embedding-3-small", "/v1/embeddings"},
		{"azure-openai", "text-embedding-3-small", "/v1/embeddings"},
		{"gemini", "gemini-embedding-001", "/v1beta/openai/embeddings"},
		{"mistral", "mistral-embed", "/v1/embeddings"},
		{"cohere", "embed-v4.0", "/compatibility/v1/embeddings"},
		{"zhipu", "embedding-3", "/api/paas/v4/embeddings"},
		{"qwen", "text-embedding-v4", "/compatible-mode/v1/embeddings"},
		{"ollama", "nomic-embed-text", "/v1/embeddings"},
		{"ollama-openai", "bge-m3", "/v1/embeddings"},
		{"openrouter", "baai/bge-m3", "/api/v1/embeddings"},
		{"together", "BAAI/bge-base-en-v1.5", "/v1/embeddings"},
		{"fireworks", "nomic-ai/nomic-embed-text-v1.5", "/inference/v1/embeddings"},
		{"vllm", "intfloat/e5-mistral-7b-instruct", "/v1/embeddings"},
	} {
		up := newFake(t, says(buildWhole(200, "application/json", vectors)))
		g := open(t, setup{provider: newProvider(t, c.provider, up.url), chain: redacting(t, "")})
		a := g.callPath("/v1/embeddings", `{"model":"`+c.provider+"/"+c.model+`","input":["mail ann@example.com"]}`)
		require.Equal(t, 200, a.status, "%s: %s", c.provider, a.body)
		got := up.last(t)
		assert.Equal(t, c.path, got.path, c.provider)
		assert.Contains(t, got.body, `"model":"`+c.model+`"`, c.provider)
		assert.NotContains(t, got.body, "ann@example.com", c.provider)
		assert.Equal(t, 400, g.callPath("/v1/embeddings", `{"model":"`+c.provider+`/chat-model","input":"x"}`).status, c.provider)
	}
}

func TestGooglesClientsEmbedAtGemini(t *testing.T) {
	const vectors = `{"embeddings":[{"values":[0.5]}],"usageMetadata":{"promptTokenCount":3,"totalTokenCount":3}}`
	up := newFake(t, says(buildWhole(200, "application/json", vectors)))
	g := open(t, setup{provider: newProvider(t, "gemini", up.url), chain: redacting(t, "")})
	a := g.callPath("/v1beta/models/gemini/gemini-embedding-001:batchEmbedContents",
		`{"requests":[{"model":"models/gemini/gemini-embedding-001","content":{"parts":[{"text":"mail ann@example.com"}]},"taskType":"CLUSTERING"}]}`)
	require.Equal(t, 200, a.status, a.body)
	assert.Equal(t, vectors, a.body)
	got := up.last(t)
	assert.Equal(t, "/v1beta/models/gemini-embedding-001:batchEmbedContents", got.path)
	assert.Regexp(t, `^\{"requests":\[\{"model":"models/gemini-embedding-001","content":\{"parts":\[\{"text":"mail \{\{PII_EMAIL_[0-9a-f]+\}\}"\}\]\},"taskType":"CLUSTERING"\}\]\}$`, got.body)
	g = open(t, setup{provider: newProvider(t, "openai", up.url)})
	a = g.callPath("/v1beta/models/openai/text-embedding-3-small:embedContent", `{"content":{"parts":[{"text":"x"}]}}`)
	assert.Equal(t, 400, a.status, a.body)
	assert.Contains(t, a.body, "OpenAI does not serve requests of this API (gemini.embed)")
}

func TestTheOtherRolesOfChatAreAccepted(t *testing.T) {
	const body = `{"model":"gpt-test","messages":[{"role":"developer","content":"dev"},{"role":"user","content":"x"},{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}},` +
		`{"role":"function","name":"f","content":"old"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"new"}]}`
	for provider, want := range map[string][]string{
		"openai":    {`{"role":"developer","content":"dev"}`, `{"role":"function","name":"f","content":"old"}`},
		"anthropic": {`"system":[{"type":"text","text":"dev"}]`, `"content":"old"`, `"tool_use_id":"c1","content":"new"`},
	} {
		up := newFake(t, answersBriefly)
		a := open(t, setup{provider: newProvider(t, provider, up.url)}).callPath("/v1/chat/completions", body)
		require.Equal(t, 200, a.status, a.body)
		for _, w := range want {
			assert.Contains(t, up.last(t).body, w)
		}
	}
}

func TestSeveralAnswersAreRefusedWhereThereIsOne(t *testing.T) {
	for _, p := range []string{"anthropic", "gemini", "bedrock", "groq", "ollama"} {
		r := ruling{provider: p, path: "/v1/chat/completions", body: asksChat(`"n":2`), refused: `"param":"n"`}
		t.Run(p, r.try)
	}
	r := ruling{provider: "openai", path: "/v1/chat/completions", body: asksChat(`"n":2,"max_completion_tokens":9`), asSent: true}
	t.Run("openai", r.try)
}

func TestPromptsOfTokensAreRefused(t *testing.T) {
	g := open(t, setup{})
	for _, prompt := range []string{`[1,2,3]`, `[[1,2],[3]]`} {
		a := g.callPath("/v1/completions", `{"model":"mock-echo","prompt":`+prompt+`}`)
		assert.Equal(t, 400, a.status)
		assert.Equal(t, "prompt", strings.SplitN(errorOf(t, a)["param"].(string), "[", 2)[0])
	}
}
