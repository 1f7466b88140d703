package providers

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/configs"
	"github.com/headgate-dev/headgate/core"
)

func TestTheDataFileSpeaksOfKnownProviders(t *testing.T) {
	all, err := loadCatalogue()
	require.NoError(t, err)
	for typ, c := range all {
		assert.Contains(t, ListTypes(), typ)
		assert.NotEmpty(t, c.entries, typ)
	}
	assert.Len(t, all, len(ListTypes())-1, "the mock has no models of a vendor")
}

func TestTheFiguresOfTheDataFileMakeSense(t *testing.T) {
	all, err := loadCatalogue()
	require.NoError(t, err)
	for typ, c := range all {
		seen := map[string]bool{}
		for _, e := range c.entries {
			assert.True(t, e.Context == 0 || e.Context >= 1024, "%s %v: %d tokens", typ, e.Match, e.Context)
			assert.True(t, e.Image == 0 || e.Image >= 1<<20, "%s %v: pictures of %d", typ, e.Match, e.Image)
			assert.Contains(t, []string{"", "none", "disabled", "between_tools"}, e.Off)
			assert.Contains(t, []string{"", "max_tokens", "max_completion_tokens"}, e.Limit)
			if e.Price == nil {
				continue
			}
			assert.NotEmpty(t, strings.Join(e.Price.ListFigures(), ""), "%s %v", typ, e.Match)
			for _, m := range e.Match {
				assert.False(t, seen[m], "%s: two prices for %s", typ, m)
				seen[m] = true
			}
		}
	}
}

func TestAFaultyDataFileIsRefused(t *testing.T) {
	const ok = `{match: ["a"], source: "https://x", date: 2026-01-31, context: 5`
	for text, want := range map[string]string{
		"openai: {models: [" + ok + ", takes: [wings]}]}":                                   `unknown trait "wings"`,
		"openai: {models: [" + ok + ", contxt: 6}]}":                                        "contxt",
		"openai: {models: [" + ok + ", price: {input: cheap}}]}":                            `invalid price "cheap"`,
		"openai: {models: [" + ok + ", price: {input: -1}}]}":                               `invalid price "-1"`,
		"openai: {like: nobody, models: [" + ok + "}]}":                                     `unknown provider "nobody"`,
		`openai: {models: [{match: ["a"], source: "x", date: 2026-01-31, context: 5}]}`:     "`source` or `date`",
		`openai: {models: [{match: ["a"], source: "https://x", date: lately, context: 5}]}`: "`source` or `date`",
		`openai: {models: [{match: ["a"], source: "https://x", date: 2026-01-31}]}`:         "no facts stated",
		`openai: {models: [{source: "https://x", date: 2026-01-31, context: 5}]}`:           "`match` is empty",
		"[": "models.yaml",
	} {
		_, err := readCatalogue([]byte(text))
		require.ErrorContains(t, err, want)
	}
}

func TestEntriesAreLaidOverEachOther(t *testing.T) {
	all, err := readCatalogue([]byte(`
base:
  models:
    - {match: ["*"], source: "https://x", date: 2026-01-31, takes: [seed, count], context: 5, price: {input: 1, output: 2.50}}
    - {match: ["c"], source: "https://x", date: 2026-01-31, price: {input: 9}}
other:
  like: base
  models:
    - {match: ["a*", "b*"], source: "https://x", date: 2026-01-31, lacks: [count], limit_field: max_tokens, price: {input: 3}}
`))
	require.NoError(t, err)
	assert.Equal(
		t,
		&Facts{Traits: core.Traits{Seed: true, Count: true}, Context: 5, Price: Price{Input: "1", Output: "2.50"}, PriceFrom: "*@2026-01-31"},
		all["base"].lookup("d"),
	)
	assert.Equal(t, &Facts{Traits: core.Traits{Seed: true, Count: true}, Context: 5}, all["other"].lookup("c"), "at other prices")
	assert.Equal(
		t,
		&Facts{Traits: core.Traits{Seed: true, LimitField: "max_tokens"}, Context: 5, Price: Price{Input: "3"}, PriceFrom: "a*@2026-01-31"},
		all["other"].lookup("ab"),
	)
	assert.True(t, all["base"].lookup("ab").Count)
}

func TestPricesAreKnownWhereTheyArePublic(t *testing.T) {
	for model, want := range map[string]Price{
		"openai/gpt-4o-mini":         {Input: "0.15", Output: "0.6", Cached: "0.075"},
		"openai/gpt-5":               {Input: "1.25", Output: "10", Cached: "0.125"},
		"openai/gpt-5.4":             {}, // depends on the length of the prompt
		"azure/gpt-5":                {}, // has Azure's own price
		"anthropic/claude-opus-4-6":  {Input: "5", Output: "25", Cached: "0.5"},
		"anthropic/claude-opus-5-5":  {Input: "4", Output: "20"},
		"deepseek/deepseek-v4-flash": {Input: "0.14", Output: "0.28", Cached: "0.0028"},
		"groq/openai/gpt-oss-20b":    {Input: "0.075", Output: "0.3", Cached: "0.0375"},
		"ollama/llama3":              {},
		"openai/whisper-1":           {Second: "0.0001"},
		"openai/tts-1-hd":            {Characters: "30"},
		"openai/gpt-image-1":         {Input: "5", Output: "40", Cached: "1.25", Media: "10"},
		"cohere/rerank-v3.5":         {Search: "0.002"},
	} {
		typ, name, _ := strings.Cut(model, "/")
		f, err := FindFacts(typ, name)
		require.NoError(t, err)
		assert.Equal(t, want, f.Price, model)
	}
}

func TestNamesOfModelsAreRememberedUpToABound(t *testing.T) {
	c := newCatalogue(nil)
	for i := range 2 * knownModels {
		c.lookup(fmt.Sprint("model-", i))
	}
	assert.Len(t, *c.known.Load(), knownModels)
	first := c.lookup("in use")
	assert.Same(t, first, c.lookup("in use"), "invented names do not keep it out")
	assert.Len(t, *c.known.Load(), 1)
	assert.NotNil(t, c.lookup(strings.Repeat("x", maxModelName+1)))
	assert.Len(t, *c.known.Load(), 1, "a name that is too long is not remembered")
}

// traits lists the flags that a model has, in the order of the words.
func traits(t testing.TB, typ, model string) string {
	f, err := FindFacts(typ, model)
	require.NoError(t, err)
	var on []string
	for _, word := range []string{
		"stream_usage", "effort", "adaptive", "parallel", "custom_tools", "strict", "result_images", "one_sampling", "own_sampling", "free_choice",
		"count", "penalties", "seed", "logprobs", "verbosity", "cache_key", "detour",
	} {
		if *flags[word](&f) {
			on = append(on, word)
		}
	}
	return strings.Join(on, " ")
}

func TestTraitsAreThoseOfTheModel(t *testing.T) {
	const openAIAll = "stream_usage effort parallel custom_tools strict count penalties seed logprobs verbosity cache_key"
	const azureAll = "stream_usage effort strict count penalties seed logprobs verbosity cache_key"
	for _, c := range []struct{ typ, model, want string }{
		{"openai", "gpt-4.1", openAIAll},
		{"openai", "o3", openAIAll},
		{"openai", "gpt-5.1", openAIAll + " detour"},
		{"openai", "gpt-6-astra", openAIAll + " detour"},
		{"openai", "gpt-5-chat-latest", openAIAll},
		{"azure-openai", "gpt-4.1", azureAll},
		{"azure-openai", "my-own-name", azureAll},
		{"azure-openai", "o3-mini", azureAll},
		{"azure", "gpt-5-mini", azureAll + " detour"},
		{"azure-openai", "gpt-5-chat", azureAll},
		{"anthropic", "claude-3-5-sonnet-20241022", "parallel result_images one_sampling"},
		{"anthropic", "claude-3-7-sonnet-20250219", "effort parallel result_images one_sampling"},
		{"anthropic", "claude-opus-4-6", "effort parallel result_images one_sampling"},
		{"anthropic", "claude-opus-4-7", "effort adaptive parallel result_images one_sampling own_sampling"},
		{"anthropic", "claude-sonnet-5", "effort adaptive parallel result_images one_sampling own_sampling"},
		{"anthropic", "claude-haiku-5-5", "effort adaptive parallel result_images one_sampling own_sampling"},
		{"anthropic", "claude-fable-5", "effort adaptive parallel result_images one_sampling own_sampling"},
		{"anthropic", "claude-opus-5-5", "effort adaptive parallel result_images one_sampling own_sampling free_choice"},
		{"anthropic", "claude-sonnet-5-5", "effort adaptive parallel result_images one_sampling own_sampling free_choice"},
		{"anthropic", "claude-fable-5-1", "effort adaptive parallel result_images one_sampling own_sampling free_choice"},
		{"gemini", "gemini-2.5-pro", "strict seed"},
		{"bedrock", "eu.anthropic.claude-sonnet-4-5-20250929-v1:0", "result_images one_sampling"},
		{"bedrock", "global.anthropic.claude-opus-5-5-v1:0", "result_images own_sampling free_choice"},
		{"bedrock", "amazon.nova-lite-v1:0", "result_images"},
		{"xai", "grok-4", "stream_usage strict count seed"},
		{"xai", "grok-3", "stream_usage strict count penalties seed"},
		{"mistral", "mistral-large-latest", "strict count penalties"},
		{"deepseek", "deepseek-chat", "stream_usage penalties logprobs"},
		{"moonshot", "kimi-k2.5", "stream_usage strict cache_key"},
		{"moonshot", "moonshot-v1-8k", "stream_usage strict count penalties cache_key"},
		{"zhipu", "glm-4.7", ""},
		{"cohere", "command-a-03-2025", "penalties seed"},
		{"groq", "llama-3.3-70b-versatile", "stream_usage seed"},
		{"groq", "openai/gpt-oss-120b", "stream_usage strict seed"},
		{"qwen", "qwen-plus", "stream_usage seed"},
		{"ollama", "llama3", "strict penalties seed"},
	} {
		assert.Equal(t, c.want, traits(t, c.typ, c.model), "%s %s", c.typ, c.model)
	}
}

// unspecified are types that the specification does not know: hosts whose models take what their vendors' do.
var unspecified = []string{"fireworks", "ollama-openai", "openrouter", "together", "vertex", "vllm"}

// No entry gives other providers what the specification reserves for some.
func TestWhatTheSpecificationReservesStaysReserved(t *testing.T) {
	all, err := loadCatalogue()
	require.NoError(t, err)
	for word, only := range map[string][]string{
		"effort":        append([]string{"openai", "azure-openai", "anthropic"}, unspecified...),
		"parallel":      append([]string{"openai", "anthropic"}, unspecified...),
		"custom_tools":  {"openai"},
		"result_images": {"anthropic", "bedrock", "vertex"},
		"detour":        {"openai", "azure-openai"},
	} {
		for typ, c := range all {
			for _, e := range c.entries {
				for _, m := range e.Match {
					f := c.lookup(strings.NewReplacer("*", "x", "?", "x").Replace(m))
					assert.False(t, *flags[word](f) && !slices.Contains(only, typ), "%s takes %s for %s", typ, word, m)
				}
			}
		}
	}
	for _, typ := range []string{"anthropic", "bedrock"} {
		assert.False(t, all[typ].lookup("anything").Strict, "strict schemas are downgraded there")
	}
}

func TestTheDataFileKnowsWhichModelsEmbed(t *testing.T) {
	for name, want := range map[string]bool{
		"gemini/gemini-embedding-001": true, "gemini/gemini-2.5-flash": false,
		"mistral/mistral-embed": true, "mistral/codestral-embed-2505": true, "mistral/mistral-large-latest": false,
		"cohere/embed-v4.0": true, "cohere/embed-english-v3.0": true, "cohere/command-a-03-2025": false,
		"zhipu/embedding-3": true, "ollama/nomic-embed-text": true, "ollama/bge-m3": true, "ollama/llama3.2": false,
		"ollama-openai/mxbai-embed-large": true, "openrouter/baai/bge-m3": true, "openrouter/openai/gpt-5": false,
		"together/BAAI/bge-base-en-v1.5": true, "fireworks/nomic-ai/nomic-embed-text-v1.5": true, "vllm/intfloat/e5-mistral-7b-instruct": true,
	} {
		typ, model, _ := strings.Cut(name, "/")
		assert.Equal(t, want, newProvider(t, settings(typ)).(*hosted).Embeds(model), name)
	}
}

func TestALimitHasTheNameThatTheModelTakes(t *testing.T) {
	for typ, want := range map[string]string{
		"openai": "max_tokens", "azure-openai": "max_tokens", "xai": "max_tokens", "mistral": "max_tokens", "deepseek": "max_tokens",
		"moonshot": "max_tokens", "zhipu": "max_tokens", "groq": "max_tokens", "qwen": "max_tokens", "mock": "max_tokens",
	} {
		assert.Equal(t, want, newProvider(t, settings(typ)).FindTraits("some-model").LimitField, typ)
	}
	for _, typ := range []string{"openai", "azure-openai"} {
		assert.Equal(t, "max_completion_tokens", newProvider(t, settings(typ)).FindTraits("gpt-5-mini").LimitField, typ)
	}
	assert.Equal(t, "max_tokens", newProvider(t, settings("groq")).FindTraits("openai/gpt-oss-120b").LimitField)
}

func BenchmarkTraits(b *testing.B) {
	p := newProvider(b, settings("openai"))
	b.ReportAllocs()
	for range b.N {
		_ = p.FindTraits("gpt-5-mini")
	}
}

func BenchmarkReadCatalogue(b *testing.B) {
	for range b.N {
		if _, err := readCatalogue(configs.Models); err != nil {
			b.Fatal(err)
		}
	}
}

func TestThinkingIsTurnedOffAsTheModelHasIt(t *testing.T) {
	for model, want := range map[string]string{
		"claude-sonnet-4-5": "", "claude-opus-4-8": "", "claude-opus-5": "disabled", "claude-opus-5-20260701": "disabled", "claude-sonnet-5": "disabled", "claude-haiku-5-5": "disabled",
		"claude-sonnet-5-5": "between_tools", "claude-opus-5-5": "", "claude-fable-5-1": "", "claude-mythos-5": "",
	} {
		f, err := FindFacts("anthropic", model)
		require.NoError(t, err)
		assert.Equal(t, want, f.ThinkingOff, model)
	}
}

func TestThePicturesOfAProviderHaveALimit(t *testing.T) {
	for typ, want := range map[string]int{"anthropic": 10 << 20, "bedrock": 5 << 20, "xai": 27962028, "openai": 0} {
		f, err := FindFacts(typ, "any")
		require.NoError(t, err)
		assert.Equal(t, want, f.ImageLimit, typ)
	}
}
