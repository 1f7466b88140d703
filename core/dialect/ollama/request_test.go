package ollama

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

func encodeRequest(t testing.TB, r *llm.Request, traits core.Traits) string {
	t.Helper()
	b, e := ChatWire{}.EncodeRequest(nil, r, traits)
	if e != nil {
		require.NoError(t, e)
	}
	require.True(t, json.Valid(b), "%s", b)
	return string(b)
}

func TestARequestIsWrittenAsOllamaHasIt(t *testing.T) {
	no := false
	weather := llm.Tool{Name: "weather", Description: "The weather.", Schema: json.RawMessage(`{"type":"object"}`)}
	now := llm.Tool{Name: "now"}
	const (
		weatherSpec = `{"type":"function","function":{"name":"weather","description":"The weather.","parameters":{"type":"object"}}}`
		nowSpec     = `{"type":"function","function":{"name":"now","parameters":{"type":"object","properties":{}}}}`
	)
	plain, one, capped := llama(), llama(), llama()
	plain.Effort, plain.Penalties, plain.Seed, plain.Logprobs = false, false, false, false
	one.OneSampling, capped.DefaultCap = true, 4096
	choose := func(m llm.ChoiceMode, names ...string) llm.Choice { return llm.Choice{Mode: m, Names: names} }
	for _, c := range []struct {
		name    string
		r       llm.Request
		t       core.Traits
		want    string // beside model, stream and messages
		dropped []string
	}{
		{"a question", llm.Request{}, llama(), ``, nil},
		{
			"sampling and limits",
			llm.Request{
				MaxTokens: 9, Temperature: "0.20", TopP: "0.5", TopK: "40", Seed: "7", FrequencyPenalty: "0.1", PresencePenalty: "0.2", Stop: []string{"END", "\""},
				Logprobs: true, TopLogprobs: "3",
			},
			llama(),
			`,"options":{"num_predict":9,"temperature":0.20,"top_p":0.5,"top_k":40,"seed":7,"frequency_penalty":0.1,"presence_penalty":0.2,"stop":["END","\""]},"logprobs":true,"top_logprobs":3`, nil,
		},
		{"the cap", llm.Request{}, capped, `,"options":{"num_predict":4096}`, nil},
		{"one of two samplings", llm.Request{Temperature: "0", TopP: "0.5"}, one, `,"options":{"temperature":0}`, []string{"top_p"}},
		{
			"what a model does not take is counted",
			llm.Request{
				Seed: "7", FrequencyPenalty: "0.1", PresencePenalty: "0.2", Logprobs: true, Effort: llm.EffortLow,
				Verbosity: "low", CacheKey: "k", User: "u", Parallel: &no,
			},
			plain, ``,
			[]string{"reasoning_effort", "seed", "frequency_penalty", "presence_penalty", "logprobs", "verbosity", "prompt_cache_key", "user", "parallel_tool_calls"},
		},
		{"an effort", llm.Request{Effort: llm.EffortMedium}, llama(), `,"think":"medium"`, nil},
		{"the least effort", llm.Request{Effort: llm.EffortMinimal}, llama(), `,"think":"low"`, nil},
		{"the greatest effort", llm.Request{Effort: llm.EffortXHigh}, llama(), `,"think":"max"`, nil},
		{"no effort", llm.Request{Effort: llm.EffortNone}, llama(), `,"think":false`, nil},
		{"any JSON", llm.Request{Format: &llm.Format{}}, llama(), `,"format":"json"`, nil},
		{"a schema", llm.Request{Format: &llm.Format{Name: "n", Schema: json.RawMessage(`{"type":"object"}`)}}, llama(), `,"format":{"type":"object"}`, nil},
		{"tools", llm.Request{Tools: []llm.Tool{weather, now}, Choice: choose(llm.ChooseAuto)}, llama(), `,"tools":[` + weatherSpec + `,` + nowSpec + `]`, nil},
		{"some tool", llm.Request{Tools: []llm.Tool{now}, Choice: choose(llm.ChooseRequired)}, llama(), `,"tools":[` + nowSpec + `]`, []string{"tool_choice"}},
		{"one tool", llm.Request{Tools: []llm.Tool{weather, now}, Choice: choose(llm.ChooseNamed, "now")}, llama(), `,"tools":[` + nowSpec + `]`, []string{"tool_choice"}},
		{"no tool", llm.Request{Tools: []llm.Tool{now}, Choice: choose(llm.ChooseNone)}, llama(), ``, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.r
			r.Model, r.Stream, r.Messages = "llama3.2", true, []llm.Message{user(llm.NewText("hi"))}
			assert.JSONEq(t, `{"model":"llama3.2","stream":true,"messages":[{"role":"user","content":"hi"}]`+c.want+`}`, encodeRequest(t, &r, c.t))
			assert.Equal(t, c.dropped, r.Dropped)
		})
	}
}

func TestAConversationIsTranslated(t *testing.T) {
	r := &llm.Request{Model: "m", Messages: []llm.Message{
		{Role: llm.System, Parts: []llm.Part{llm.NewText("a"), llm.NewText("b")}},
		{Role: llm.User, Name: "bob", Parts: []llm.Part{
			llm.NewText("look"),
			{Kind: llm.ImagePart, Image: &llm.Image{MediaType: "image/png", Data: "iVBORw0K", Detail: "low"}},
			{Kind: llm.ImagePart, Image: &llm.Image{MediaType: "image/png", Data: "AAAA"}},
		}},
		model(
			newThoughtPart("Hm."),
			llm.NewText("So"),
			calls(llm.Call{ID: "1", Name: "f", Input: `{"a": 1.0}`, Signature: "s"}),
			calls(llm.Call{Name: "g"}),
		),
		{Role: llm.ToolRole, Parts: []llm.Part{
			result(llm.Result{CallID: "1", Parts: []llm.Part{llm.NewText("x")}, Failed: true}),
			result(llm.Result{Name: "g"}),
		}},
		model(
			llm.Part{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: "anthropic", Text: "not ours"}},
			llm.Part{Kind: llm.RefusalPart, Text: "no"},
		),
	}}
	assert.JSONEq(t, `{"model":"m","stream":false,"messages":[
		{"role":"system","content":"a\nb"},
		{"role":"user","content":"look","images":["iVBORw0K","AAAA"]},
		{"role":"assistant","content":"So","thinking":"Hm.","tool_calls":[
			{"id":"1","function":{"name":"f","arguments":{"a":1.0}}},
			{"function":{"name":"g","arguments":{}}}
		]},
		{"role":"tool","content":"x","tool_name":"f","tool_call_id":"1"},
		{"role":"tool","content":"","tool_name":"g"},
		{"role":"assistant","content":"no"}
	]}`, encodeRequest(t, r, llama()))
	assert.Equal(t, []string{"messages.name", "image_url.detail", "thought_signature", "is_error", "reasoning"}, r.Dropped)
}

func TestArgumentsThatAreNoObjectBecomeAMember(t *testing.T) {
	for input, want := range map[string]string{`"x"`: `{"input":"\"x\""}`, `{"a":`: `{"input":"{\"a\":"}`, " ": `{}`} {
		got := encodeRequest(t, &llm.Request{Messages: []llm.Message{model(calls(llm.Call{Name: "f", Input: input}))}}, llama())
		assert.Contains(t, got, `"arguments":`+want+`}}`, input)
	}
}

func TestWhatOllamaCannotBeAskedIsRefused(t *testing.T) {
	image := llm.Part{Kind: llm.ImagePart, Image: &llm.Image{URL: "https://e.com"}}
	for _, c := range []struct {
		name, code, param string
		r                 llm.Request
	}{
		{"several answers", core.CodeUnsupported, "n", llm.Request{Count: 2}},
		{"an image by URL", core.CodeUnsupported, "image_url", llm.Request{Messages: []llm.Message{user(image)}}},
		{"an image of a result", core.CodeUnsupported, "messages", llm.Request{Messages: []llm.Message{{Role: llm.ToolRole, Parts: []llm.Part{result(llm.Result{Parts: []llm.Part{image}})}}}}},
		{"extended thinking", core.CodeUnsupported, "thinking", llm.Request{Thinking: json.RawMessage(`{"type":"enabled"}`)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, e := ChatWire{}.EncodeRequest(nil, &c.r, llama())
			require.NotNil(t, e)
			assert.Equal(t, 400, e.HTTPStatus())
			assert.Equal(t, c.code, e.Code)
			assert.Equal(t, c.param, e.Param)
			assert.Contains(t, e.Public, "Ollama")
		})
	}
}
