package bedrock

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

func encodeRequest(t testing.TB, r *llm.Request, traits core.Traits) string {
	t.Helper()
	b, e := ConverseWire{}.EncodeRequest(nil, r, traits)
	if e != nil {
		require.NoError(t, e)
	}
	require.True(t, json.Valid(b), "%s", b)
	return string(b)
}

func asks(r llm.Request) *llm.Request {
	if r.Messages == nil {
		r.Messages = []llm.Message{user(llm.NewText("hi"))}
	}
	return &r
}

const hi = `"messages":[{"role":"user","content":[{"text":"hi"}]}]`

func TestARequestIsWrittenAsConverseHasIt(t *testing.T) {
	yes, no := true, false
	weather := llm.Tool{Name: "weather", Description: "The weather.", Schema: json.RawMessage(`{ "type":"object" }`), Strict: &yes}
	now := llm.Tool{Name: "now"}
	toolSpecs := `{"toolSpec":{"name":"weather","description":"The weather.","inputSchema":{"json":{"type":"object"}}}},{"toolSpec":{"name":"now","inputSchema":{"json":{"type":"object"}}}}`
	person := &llm.Format{Name: "person", Schema: json.RawMessage(`{"type":"object"}`)}
	answer := `{"toolSpec":{"name":"headgate_json_answer","description":"Gives the answer to the user as JSON. Call it to answer.","inputSchema":{"json":{"type":"object"}}}}`
	strict := claude()
	strict.Strict = true
	one := claude()
	one.OneSampling = true
	other := claude()
	other.Model, other.Effort = "amazon.nova-pro-v1:0", false
	capped := claude()
	capped.DefaultCap, capped.Cap = 4096, 1000
	choose := func(m llm.ChoiceMode, names ...string) llm.Choice { return llm.Choice{Mode: m, Names: names} }
	for _, c := range []struct {
		name    string
		r       llm.Request
		t       core.Traits
		want    string
		dropped []string
	}{
		{"a question", llm.Request{Model: "in the URL", Stream: true}, claude(), `{` + hi + `}`, nil},
		{
			"system messages are gathered and turns merged",
			llm.Request{Messages: []llm.Message{
				{Role: llm.System, Parts: []llm.Part{llm.NewText("a"), llm.NewText(" ")}},
				{Role: llm.User, Name: "bob", Parts: []llm.Part{llm.NewText("b")}},
				user(llm.NewText("c")),
				model(llm.NewText(""), llm.Part{Kind: llm.RefusalPart, Text: "no"}),
				{Role: llm.System, Parts: []llm.Part{llm.NewText("d")}},
				user(llm.NewText("e")),
			}},
			claude(),
			`{"system":[{"text":"a"},{"text":"d"}],"messages":[{"role":"user","content":[{"text":"b"},{"text":"c"}]},{"role":"assistant","content":[{"text":"no"}]},{"role":"user","content":[{"text":"e"}]}]}`,
			[]string{"messages.name"},
		},
		{
			"sampling and limits",
			llm.Request{MaxTokens: 100, Temperature: "0.20", TopP: "0.5", TopK: "40", Stop: []string{"END", "\""}},
			claude(),
			`{` + hi + `,"inferenceConfig":{"maxTokens":100,"temperature":0.20,"topP":0.5,"stopSequences":["END","\""]},"additionalModelRequestFields":{"top_k":40},"additionalModelResponseFieldPaths":["/stop_sequence"]}`, nil,
		},
		{"one of two samplings", llm.Request{Temperature: "0", TopP: "0.5"}, one, `{` + hi + `,"inferenceConfig":{"temperature":0}}`, []string{"top_p"}},
		{"another vendor's model", llm.Request{TopK: "40", Stop: []string{"x"}, Effort: llm.EffortHigh}, other, `{` + hi + `,"inferenceConfig":{"stopSequences":["x"]}}`, []string{"reasoning_effort", "top_k"}},
		{"the cap", llm.Request{}, capped, `{` + hi + `,"inferenceConfig":{"maxTokens":1000}}`, nil},
		{
			"what has no place is counted",
			llm.Request{FrequencyPenalty: "1", PresencePenalty: "1", Seed: "1", Logprobs: true, TopLogprobs: "2", Verbosity: "low", CacheKey: "k", User: "u", Parallel: &no},
			claude(),
			`{` + hi + `}`,
			[]string{"frequency_penalty", "presence_penalty", "seed", "logprobs", "top_logprobs", "verbosity", "prompt_cache_key", "user", "parallel_tool_calls"},
		},
		{"parallel calls are usual", llm.Request{Parallel: &yes}, claude(), `{` + hi + `}`, nil},
		{
			"an effort adds its budget",
			llm.Request{MaxTokens: 100, Effort: llm.EffortMedium, Temperature: "1.0", TopP: "0.95", TopK: "4"},
			claude(),
			`{` + hi + `,"inferenceConfig":{"maxTokens":4196,"temperature":1.0,"topP":0.95},"additionalModelRequestFields":{"thinking":{"type":"enabled","budget_tokens":4096}}}`,
			[]string{"top_k"},
		},
		{"no effort, no thinking", llm.Request{Effort: llm.EffortMinimal, Temperature: "0"}, claude(), `{` + hi + `,"inferenceConfig":{"temperature":0}}`, nil},
		{"tools, not strict", llm.Request{Tools: []llm.Tool{weather, now}}, claude(), `{` + hi + `,"toolConfig":{"tools":[` + toolSpecs + `]}}`, []string{"tools.function.strict"}},
		{
			"strict tools",
			llm.Request{Tools: []llm.Tool{weather}, Choice: choose(llm.ChooseAuto)},
			strict,
			`{` + hi + `,"toolConfig":{"tools":[{"toolSpec":{"name":"weather","description":"The weather.","inputSchema":{"json":{"type":"object"}},"strict":true}}],"toolChoice":{"auto":{}}}}`, nil,
		},
		{"some tool", llm.Request{Tools: []llm.Tool{weather, now}, Choice: choose(llm.ChooseRequired)}, claude(), `{` + hi + `,"toolConfig":{"tools":[` + toolSpecs + `],"toolChoice":{"any":{}}}}`, []string{"tools.function.strict"}},
		{"one tool", llm.Request{Tools: []llm.Tool{weather, now}, Choice: choose(llm.ChooseNamed, "now")}, claude(), `{` + hi + `,"toolConfig":{"tools":[` + toolSpecs + `],"toolChoice":{"tool":{"name":"now"}}}}`, []string{"tools.function.strict"}},
		{
			"one of some tools",
			llm.Request{Tools: []llm.Tool{weather, {Name: "x"}, now}, Choice: choose(llm.ChooseNamed, "now", "weather")},
			claude(),
			`{` + hi + `,"toolConfig":{"tools":[` + toolSpecs + `],"toolChoice":{"any":{}}}}`,
			[]string{"tools.function.strict"},
		},
		{"no tool", llm.Request{Tools: []llm.Tool{weather}, Choice: choose(llm.ChooseNone)}, claude(), `{` + hi + `}`, nil},
		{"a loose schema", llm.Request{Format: person}, strict, `{` + hi + `,"toolConfig":{"tools":[` + answer + `],"toolChoice":{"tool":{"name":"headgate_json_answer"}}}}`, nil},
		{"a schema that the model is held to", llm.Request{Format: &llm.Format{Name: "person", Schema: person.Schema, Strict: &yes}}, strict, `{` + hi + `,"outputConfig":{"textFormat":{"type":"json_schema","structure":{"jsonSchema":{"schema":"{\"type\":\"object\"}","name":"person"}}}}}`, nil},
		{"a schema by a tool", llm.Request{Format: person}, claude(), `{` + hi + `,"toolConfig":{"tools":[` + answer + `],"toolChoice":{"tool":{"name":"headgate_json_answer"}}}}`, nil},
		{"any JSON", llm.Request{Format: &llm.Format{}}, strict, `{` + hi + `,"toolConfig":{"tools":[` + answer + `],"toolChoice":{"tool":{"name":"headgate_json_answer"}}}}`, nil},
		{"JSON beside tools", llm.Request{Format: person, Tools: []llm.Tool{weather, now}}, claude(), `{` + hi + `,"toolConfig":{"tools":[` + toolSpecs + `,` + answer + `],"toolChoice":{"any":{}}}}`, []string{"tools.function.strict"}},
		{"a call that was asked for", llm.Request{Format: person, Tools: []llm.Tool{weather, now}, Choice: choose(llm.ChooseRequired)}, claude(), `{` + hi + `,"toolConfig":{"tools":[` + toolSpecs + `],"toolChoice":{"any":{}}}}`, []string{"tools.function.strict"}},
		{
			"JSON after thinking",
			llm.Request{Format: person, Effort: llm.EffortLow},
			claude(),
			`{` + hi + `,"toolConfig":{"tools":[` + answer + `],"toolChoice":{"auto":{}}},"additionalModelRequestFields":{"thinking":{"type":"enabled","budget_tokens":1024}}}`, nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := asks(c.r)
			assert.JSONEq(t, c.want, encodeRequest(t, r, c.t))
			assert.Equal(t, c.dropped, r.Dropped)
		})
	}
}

func TestNumbersAndSchemasKeepTheirSpelling(t *testing.T) {
	got := encodeRequest(
		t,
		asks(llm.Request{Temperature: "0.20", Tools: []llm.Tool{{Name: "f", Schema: json.RawMessage(`{ "maximum":1.0e3 }`)}}}),
		claude(),
	)
	assert.Contains(t, got, `"temperature":0.20`)
	assert.Contains(t, got, `{"json":{"type":"object", "maximum":1.0e3 }}`)
}

func TestCallsResultsAndImagesAreTranslated(t *testing.T) {
	png := llm.Part{Kind: llm.ImagePart, Image: &llm.Image{MediaType: "image/png", Data: "iVBORw0K", Detail: "high"}}
	r := &llm.Request{
		Messages: []llm.Message{
			user(llm.NewText("look"), png),
			model(
				thought(llm.Reasoning{Vendor: "anthropic", Text: "not ours", Signature: "s"}),
				thought(llm.Reasoning{Vendor: vendor, Text: "unsigned"}),
				thought(llm.Reasoning{Vendor: vendor, Text: "ours", Signature: "sig"}),
				thought(llm.Reasoning{Vendor: vendor, Encrypted: "ZW5j"}),
				call(llm.Call{ID: "1", Name: "f", Input: ` {"a": 1.0}`, Signature: "gemini's"}), call(llm.Call{ID: "2", Name: "g"}),
			),
			tool(result(llm.Result{CallID: "1", Name: "f", Parts: []llm.Part{llm.NewText("x"), png}})),
			tool(result(llm.Result{CallID: "2", Failed: true, Parts: []llm.Part{llm.NewText("")}})),
			user(llm.NewText("and?")),
		},
		Effort: llm.EffortLow,
	}
	assert.JSONEq(t, `{
		"messages": [
			{"role": "user", "content": [{"text": "look"}, {"image": {"format": "png", "source": {"bytes": "iVBORw0K"}}}]},
			{"role": "assistant", "content": [
				{"reasoningContent": {"reasoningText": {"text": "ours", "signature": "sig"}}},
				{"reasoningContent": {"redactedContent": "ZW5j"}},
				{"toolUse": {"toolUseId": "1", "name": "f", "input": {"a": 1.0}}},
				{"toolUse": {"toolUseId": "2", "name": "g", "input": {}}}
			]},
			{"role": "user", "content": [
				{"toolResult": {"toolUseId": "1", "content": [{"text": "x"}, {"image": {"format": "png", "source": {"bytes": "iVBORw0K"}}}]}},
				{"toolResult": {"toolUseId": "2", "content": [], "status": "error"}},
				{"text": "and?"}
			]}
		],
		"toolConfig": {"tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": {"type": "object"}}}}, {"toolSpec": {"name": "g", "inputSchema": {"json": {"type": "object"}}}}]},
		"additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 1024}}
	}`, encodeRequest(t, r, claude()), "tools that only the conversation knows are declared")
	assert.Equal(t, []string{"image_url.detail", "reasoning", "thought_signature"}, r.Dropped)
}

func TestAConversationWithCallsKeepsItsTools(t *testing.T) {
	r := &llm.Request{
		Messages: []llm.Message{user(llm.NewText("q")), model(call(llm.Call{ID: "1", Name: "f"})), tool(result(llm.Result{CallID: "1"}))},
		Tools:    []llm.Tool{{Name: "f"}}, Choice: llm.Choice{Mode: llm.ChooseNone}, Effort: llm.EffortHigh,
	}
	got := encodeRequest(t, r, claude())
	assert.Contains(t, got, `"toolConfig":{"tools":[{"toolSpec":{"name":"f"`)
	assert.NotContains(t, got, "toolChoice")
	assert.NotContains(t, got, "thinking", "a turn that began without thinking goes on so")
	assert.Equal(t, []string{"reasoning_effort", "tool_choice"}, r.Dropped)
}

func TestArgumentsThatAreNoObjectBecomeAMember(t *testing.T) {
	for input, want := range map[string]string{
		`[1]`: `{"input":"[1]"}`, `{"a":`: `{"input":"{\"a\":"}`, " ": `{}`, ` {"a":1.0} `: `{"a":1.0}`,
	} {
		got := encodeRequest(t, &llm.Request{Messages: []llm.Message{model(call(llm.Call{ID: "1", Name: "f", Input: input}))}}, claude())
		assert.Contains(t, got, `"input":`+want+`}}`, input)
	}
}

func TestIDsOfCallsAreOnesThatBedrockTakes(t *testing.T) {
	for _, id := range []string{"call_aB-1", ""} {
		assert.Equal(t, id, cleanCallID(id))
	}
	long := strings.Repeat("x", 65)
	for _, id := range []string{"a.b", "a:b", "é", long} {
		got := cleanCallID(id)
		assert.Regexp(t, `^[a-zA-Z0-9_-]{1,64}$`, got)
		assert.NotEqual(t, cleanCallID("a b"), got)
	}
	got := encodeRequest(
		t,
		&llm.Request{Messages: []llm.Message{model(call(llm.Call{ID: long, Name: "f"})), tool(result(llm.Result{CallID: long}))}},
		claude(),
	)
	assert.Equal(t, 2, strings.Count(got, cleanCallID(long)), "a call and its result have the same")
}

func TestWhatBedrockCannotBeAskedIsRefused(t *testing.T) {
	part := func(p llm.Part) llm.Request { return llm.Request{Messages: []llm.Message{user(p)}} }
	image := func(i llm.Image) llm.Request { return part(llm.Part{Kind: llm.ImagePart, Image: &i}) }
	for _, c := range []struct {
		name, code, param string
		r                 llm.Request
	}{
		{"several answers", core.CodeUnsupported, "n", llm.Request{Count: 2}},
		{"an image by URL", core.CodeUnsupported, "image_url", image(llm.Image{URL: "https://example.com/a.png"})},
		{"an image of another kind", core.CodeUnsupported, "image_url", image(llm.Image{MediaType: "image/tiff", Data: "AAAA"})},
		{"an image of a result by URL", core.CodeUnsupported, "image_url", part(result(llm.Result{Parts: []llm.Part{{Kind: llm.ImagePart, Image: &llm.Image{URL: "https://e.com"}}}}))},
		{"a cool thinker", core.CodeUnsupported, "temperature", llm.Request{Effort: llm.EffortLow, Temperature: "0.7"}},
		{"a narrow thinker", core.CodeUnsupported, "top_p", llm.Request{Effort: llm.EffortXHigh, TopP: "0.9"}},
		{"extended thinking", core.CodeUnsupported, "thinking", llm.Request{Thinking: json.RawMessage(`{"type":"enabled"}`)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, e := ConverseWire{}.EncodeRequest(nil, asks(c.r), claude())
			require.NotNil(t, e)
			assert.Equal(t, 400, e.HTTPStatus())
			assert.Equal(t, c.code, e.Code)
			assert.Equal(t, c.param, e.Param)
			assert.Contains(t, e.Public, label)
		})
	}
}
