package cohere

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

func TestARequestIsWrittenAsCohereHasIt(t *testing.T) {
	yes, no := true, false
	weather := llm.Tool{Name: "weather", Description: "The weather.", Schema: json.RawMessage(`{"type":"object"}`), Strict: &yes}
	now := llm.Tool{Name: "now"}
	const (
		weatherSpec = `{"type":"function","function":{"name":"weather","description":"The weather.","parameters":{"type":"object"}}}`
		nowSpec     = `{"type":"function","function":{"name":"now","parameters":{"type":"object","properties":{}}}}`
	)
	plain, strict, one, capped := command(), command(), command(), command()
	plain.Effort, plain.Penalties, plain.Seed, plain.Logprobs = false, false, false, false
	strict.Strict, one.OneSampling, capped.DefaultCap = true, true, 4096
	choose := func(m llm.ChoiceMode, names ...string) llm.Choice { return llm.Choice{Mode: m, Names: names} }
	for _, c := range []struct {
		name    string
		r       llm.Request
		t       core.Traits
		want    string // beside model, stream and messages
		dropped []string
	}{
		{"a question", llm.Request{}, command(), ``, nil},
		{
			"sampling and limits",
			llm.Request{MaxTokens: 9, Temperature: "0.20", TopP: "0.5", TopK: "40", Seed: "7", FrequencyPenalty: "0.1", PresencePenalty: "0.2", Stop: []string{"END"}, Logprobs: true},
			command(),
			`,"max_tokens":9,"temperature":0.20,"p":0.5,"k":40,"seed":7,"frequency_penalty":0.1,"presence_penalty":0.2,"stop_sequences":["END"],"logprobs":true`, nil,
		},
		{"all of top_p", llm.Request{TopP: "1.0"}, command(), `,"p":0.99`, nil},
		{"one of two samplings", llm.Request{Temperature: "0", TopP: "0.5"}, one, `,"temperature":0`, []string{"top_p"}},
		{
			"what a model does not take is counted",
			llm.Request{
				Seed: "7", FrequencyPenalty: "0.1", PresencePenalty: "0.2", Logprobs: true, TopLogprobs: "2", Effort: llm.EffortLow,
				Verbosity: "low", CacheKey: "k", User: "u", Parallel: &no,
			},
			plain, ``,
			[]string{"seed", "frequency_penalty", "presence_penalty", "logprobs", "reasoning_effort", "top_logprobs", "verbosity", "prompt_cache_key", "user", "parallel_tool_calls"},
		},
		{"an effort", llm.Request{Effort: llm.EffortHigh}, command(), `,"thinking":{"type":"enabled","token_budget":16384}`, nil},
		{"an effort beyond the limit", llm.Request{Effort: llm.EffortHigh}, capped, `,"max_tokens":4096,"thinking":{"type":"enabled"}`, nil},
		{"no effort", llm.Request{Effort: llm.EffortNone}, command(), `,"thinking":{"type":"disabled"}`, nil},
		{"any JSON", llm.Request{Format: &llm.Format{}}, command(), `,"response_format":{"type":"json_object"}`, nil},
		{"a schema", llm.Request{Format: &llm.Format{Name: "n", Schema: json.RawMessage(`{"type":"object"}`)}}, command(), `,"response_format":{"type":"json_object","json_schema":{"type":"object"}}`, nil},
		{"tools", llm.Request{Tools: []llm.Tool{weather, now}, Choice: choose(llm.ChooseAuto)}, strict, `,"tools":[` + weatherSpec + `,` + nowSpec + `]`, []string{"tools.function.strict"}},
		{"strict tools", llm.Request{Tools: []llm.Tool{weather}}, strict, `,"tools":[` + weatherSpec + `],"strict_tools":true`, nil},
		{"some tool", llm.Request{Tools: []llm.Tool{weather, now}, Choice: choose(llm.ChooseRequired)}, command(), `,"tools":[` + weatherSpec + `,` + nowSpec + `],"tool_choice":"REQUIRED"`, []string{"tools.function.strict"}},
		{"one tool", llm.Request{Tools: []llm.Tool{weather, now}, Choice: choose(llm.ChooseNamed, "now")}, command(), `,"tools":[` + nowSpec + `],"tool_choice":"REQUIRED"`, nil},
		{"no tool", llm.Request{Tools: []llm.Tool{now}, Choice: choose(llm.ChooseNone)}, command(), `,"tools":[` + nowSpec + `],"tool_choice":"NONE"`, nil},
		{"a choice of nothing", llm.Request{Choice: choose(llm.ChooseRequired)}, command(), ``, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.r
			r.Model, r.Stream, r.Messages = "command-a", true, []llm.Message{user(llm.NewText("hi"))}
			assert.JSONEq(t, `{"model":"command-a","stream":true,"messages":[{"role":"user","content":"hi"}]`+c.want+`}`, encodeRequest(t, &r, c.t))
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
			{Kind: llm.ImagePart, Image: &llm.Image{URL: "https://example.com/a.png"}},
		}},
		model(
			newThoughtPart(plan, "I will look."),
			newThoughtPart("", "Hm."),
			llm.NewText("So"),
			calls(llm.Call{ID: "1", Name: "f", Input: `{"a": 1}`, Signature: "s"}),
			calls(llm.Call{ID: "2", Name: "g"}),
		),
		{Role: llm.ToolRole, Parts: []llm.Part{
			result(llm.Result{CallID: "1", Parts: []llm.Part{llm.NewText("x")}, Failed: true}),
			result(llm.Result{CallID: "2"}),
			result(llm.Result{CallID: "3", Parts: []llm.Part{llm.NewText("y"), llm.NewText("z")}}),
		}},
		model(llm.Part{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: "anthropic", Text: "not ours"}}),
		model(llm.Part{Kind: llm.RefusalPart, Text: "no"}),
	}}
	assert.JSONEq(t, `{"model":"m","stream":false,"messages":[
		{"role":"system","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},
		{"role":"user","content":[
			{"type":"text","text":"look"},
			{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0K","detail":"low"}},
			{"type":"image_url","image_url":{"url":"https://example.com/a.png"}}
		]},
		{"role":"assistant","tool_plan":"I will look.","content":[{"type":"thinking","thinking":"Hm."},{"type":"text","text":"So"}],"tool_calls":[
			{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}},
			{"id":"2","type":"function","function":{"name":"g","arguments":"{}"}}
		]},
		{"role":"tool","tool_call_id":"1","content":"x"},
		{"role":"tool","tool_call_id":"2","content":""},
		{"role":"tool","tool_call_id":"3","content":[{"type":"text","text":"y"},{"type":"text","text":"z"}]},
		{"role":"assistant","content":"no"}
	]}`, encodeRequest(t, r, command()))
	assert.Equal(t, []string{"messages.name", "thought_signature", "is_error", "reasoning"}, r.Dropped)
}

func TestWhatCohereCannotBeAskedIsRefused(t *testing.T) {
	image := llm.Part{Kind: llm.ImagePart, Image: &llm.Image{URL: "https://e.com"}}
	for param, r := range map[string]*llm.Request{
		"n":        {Count: 2},
		"thinking": {Thinking: json.RawMessage(`{"type":"enabled"}`)},
		"messages": {Messages: []llm.Message{{Role: llm.ToolRole, Parts: []llm.Part{result(llm.Result{Parts: []llm.Part{image}})}}}},
	} {
		_, e := ChatWire{}.EncodeRequest(nil, r, command())
		require.NotNil(t, e)
		assert.Equal(t, 400, e.HTTPStatus())
		assert.Equal(t, core.CodeUnsupported, e.Code)
		assert.Equal(t, param, e.Param)
		assert.Contains(t, e.Public, "Cohere")
	}
}
