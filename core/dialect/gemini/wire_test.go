package gemini

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

var all = core.Traits{
	Model:        "gemini-2.5-flash",
	Label:        "Gemini",
	Effort:       true,
	Parallel:     true,
	ResultImages: true,
	Count:        true,
	Penalties:    true,
	Seed:         true,
	Logprobs:     true,
}

func encodeRequest(t testing.TB, r *llm.Request, traits core.Traits) string {
	out, e := GenerateWire{}.EncodeRequest([]byte("before"), r, traits)
	require.Nil(t, e)
	require.Equal(t, "before", string(out[:6]))
	require.True(t, json.Valid(out[6:]), "%s", out)
	_, se := scanRequest(string(out[6:]))
	require.Nil(t, se, "the shape's own scan takes it")
	return string(out[6:])
}

func says(s string) llm.Message {
	return llm.Message{Role: llm.User, Parts: []llm.Part{llm.NewText(s)}}
}

func calls(c ...llm.Call) llm.Message {
	m := llm.Message{Role: llm.Assistant}
	for i := range c {
		m.Parts = append(m.Parts, llm.Part{Kind: llm.CallPart, Call: &c[i]})
	}
	return m
}

func results(r ...llm.Result) llm.Message {
	m := llm.Message{Role: llm.ToolRole}
	for i := range r {
		m.Parts = append(m.Parts, llm.Part{Kind: llm.ResultPart, Result: &r[i]})
	}
	return m
}

func TestARequestOfEverythingIsEncoded(t *testing.T) {
	r := &llm.Request{
		Messages: []llm.Message{
			{Role: llm.System, Parts: []llm.Part{llm.NewText("Be kind.")}},
			{Role: llm.User, Name: "joe", Parts: []llm.Part{
				llm.NewText("Look \"here\""),
				{Kind: llm.ImagePart, Image: &llm.Image{MediaType: "image/png", Data: "AAAA"}},
				{Kind: llm.ImagePart, Image: &llm.Image{URL: "https://example.com/a.JPG?x=1"}},
			}},
			says("and here"),
			calls(llm.Call{ID: "c1", Name: "weather", Input: "{\n\"city\":\"Paris\"}", Signature: "U2ln"}, llm.Call{ID: "c2", Name: "now"}),
			results(llm.Result{CallID: "c1", Parts: []llm.Part{llm.NewText("rain")}}),
			results(
				llm.Result{
					CallID: "c2",
					Failed: true,
					Parts:  []llm.Part{llm.NewText("no clock"), {Kind: llm.ImagePart, Image: &llm.Image{MediaType: "image/png", Data: "BBBB"}}},
				},
			),
			{Role: llm.System, Parts: []llm.Part{llm.NewText("Be brief.")}},
			{Role: llm.Assistant, Parts: []llm.Part{llm.NewText(""), {Kind: llm.RefusalPart, Text: "no"}}},
			says(""),
		},
		Tools: []llm.Tool{
			{Name: "weather", Description: "The weather.", Schema: json.RawMessage(`{"type":"object"}`)}, {Name: "now"},
		},
		Choice:    llm.Choice{Mode: llm.ChooseNamed, Names: []string{"weather"}},
		MaxTokens: 100, Temperature: "0.70", TopP: "0.9", TopK: "40", FrequencyPenalty: "1", PresencePenalty: "-1", Seed: "7", Count: 2,
		Stop: []string{"END"}, Logprobs: true, TopLogprobs: "3", Effort: llm.EffortMedium,
		Format: &llm.Format{Name: "x", Schema: json.RawMessage(`{"type":"array"}`)},
	}
	out, e := GenerateWire{}.EncodeRequest(nil, r, all)
	require.Nil(t, e)
	assert.JSONEq(t, `{"contents":[
{"role":"user","parts":[{"text":"Look \"here\""},{"inlineData":{"mimeType":"image/png","data":"AAAA"}},{"fileData":{"mimeType":"image/jpeg","fileUri":"https://example.com/a.JPG?x=1"}},{"text":"and here"}]},
{"role":"model","parts":[{"functionCall":{"id":"c1","name":"weather","args":{"city":"Paris"}},"thoughtSignature":"U2ln"},{"functionCall":{"id":"c2","name":"now","args":{}}}]},
{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"weather","response":{"output":"rain"}}},{"functionResponse":{"id":"c2","name":"now","response":{"error":"no clock"},"parts":[{"inlineData":{"mimeType":"image/png","data":"BBBB"}}]}}]},
{"role":"model","parts":[{"text":"no"}]}],
"systemInstruction":{"parts":[{"text":"Be kind."},{"text":"Be brief."}]},
"tools":[{"functionDeclarations":[{"name":"weather","description":"The weather.","parametersJsonSchema":{"type":"object"}},{"name":"now"}]}],
"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["weather"]}},
"generationConfig":{"maxOutputTokens":100,"temperature":0.70,"topP":0.9,"topK":40,"frequencyPenalty":1,"presencePenalty":-1,"seed":7,"candidateCount":2,"stopSequences":["END"],
"responseLogprobs":true,"logprobs":3,"responseMimeType":"application/json","responseJsonSchema":{"type":"array"},"thinkingConfig":{"thinkingBudget":8192}}}`, string(out))
	assert.Contains(t, string(out), "0.70", "numbers keep their spelling")
	assert.Equal(t, []string{"messages.name"}, r.Dropped, "a participant has no name in this shape")
}

func TestWhatTheTargetDoesNotTakeIsDroppedAndCounted(t *testing.T) {
	no, yes := false, true
	r := &llm.Request{
		Messages: []llm.Message{
			says("x"),
			{Role: llm.Assistant, Parts: []llm.Part{
				{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: "anthropic", Text: "t", Signature: "s"}},
				{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: vendor, Text: "unsigned"}},
			}},
			{Role: llm.User, Parts: []llm.Part{{Kind: llm.ImagePart, Image: &llm.Image{URL: "https://e.com/x", Detail: "high"}}}},
			{Role: llm.System, Parts: []llm.Part{{Kind: llm.ImagePart, Image: &llm.Image{URL: "https://e.com/x"}}}},
		},
		Tools: []llm.Tool{
			{Name: "f", Strict: &yes},
		},
		Parallel:         &no,
		Temperature:      "1",
		TopP:             "0.5",
		FrequencyPenalty: "1",
		PresencePenalty:  "1",
		Seed:             "1",
		Logprobs:         true,
		Effort:           llm.EffortHigh,
		Verbosity:        "low",
		CacheKey:         "k",
		User:             "u",
		Format:           &llm.Format{Description: "d"},
	}
	out := encodeRequest(t, r, core.Traits{Model: "m", OneSampling: true})
	assert.JSONEq(
		t,
		`{"contents":[{"role":"user","parts":[{"text":"x"},{"fileData":{"fileUri":"https://e.com/x"}}]}],"tools":[{"functionDeclarations":[{"name":"f"}]}],
"generationConfig":{"temperature":1,"responseMimeType":"application/json"}}`,
		out,
	)
	assert.Equal(t, []string{
		"image in a system message",
		"reasoning",
		"image_url.detail",
		"tools.function.strict",
		"top_p",
		"frequency_penalty",
		"presence_penalty",
		"seed",
		"logprobs",
		"response_format.json_schema.description",
		"reasoning_effort",
		"parallel_tool_calls",
		"verbosity",
		"prompt_cache_key",
		"user",
	}, r.Dropped)
}

func TestSeveralAnswersAreRefusedWhereTheTargetGivesOne(t *testing.T) {
	_, e := GenerateWire{}.EncodeRequest(nil, &llm.Request{Count: 2}, core.Traits{Label: "Gemini"})
	require.NotNil(t, e)
	assert.Equal(t, "n", e.Param)
	assert.Equal(t, core.CodeUnsupported, e.Code)
	assert.Contains(t, e.Public, "Gemini")
}

func TestExtendedThinkingIsRefused(t *testing.T) {
	_, e := GenerateWire{}.EncodeRequest(nil, &llm.Request{Thinking: json.RawMessage(`{"type":"enabled"}`)}, all)
	require.NotNil(t, e)
	assert.Equal(t, "thinking", e.Param)
}

func TestAResultIsSentUnderTheNameOfItsTool(t *testing.T) {
	r := &llm.Request{Messages: []llm.Message{results(llm.Result{CallID: "x", Parts: []llm.Part{llm.NewText("1")}})}}
	_, e := GenerateWire{}.EncodeRequest(nil, r, all)
	require.NotNil(t, e)
	assert.Equal(t, "messages[0]", e.Param)
	for text, want := range map[string]string{
		`{"a":1}`: `{"a":1}`, `[1]`: `{"output":"[1]"}`, ``: `{"output":""}`, `{"a":1,"a":2}`: `{"output":"{\"a\":1,\"a\":2}"}`,
	} {
		r = &llm.Request{Messages: []llm.Message{results(llm.Result{Name: "f", Parts: []llm.Part{llm.NewText(text)}})}}
		assert.JSONEq(t, `{"contents":[{"role":"user","parts":[{"functionResponse":{"name":"f","response":`+want+`}}]}]}`, encodeRequest(t, r, all))
	}
}

func TestAConversationOfInstructionsAloneHasATurn(t *testing.T) {
	r := &llm.Request{Messages: []llm.Message{{Role: llm.System, Parts: []llm.Part{llm.NewText("a"), llm.NewText("b")}}}}
	assert.JSONEq(t, `{"contents":[{"role":"user","parts":[{"text":"a"},{"text":"b"}]}]}`, encodeRequest(t, r, all))
}

func TestThoughtSignaturesGoBackToTheModelThatMadeThem(t *testing.T) {
	r := &llm.Request{Messages: []llm.Message{
		says("x"),
		{Role: llm.Assistant, Parts: []llm.Part{
			{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: vendor, Text: "hm", Signature: "AA"}},
			llm.NewText("y"),
			{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: vendor, Signature: "BB"}},
		}},
		calls(llm.Call{ID: "1", Name: "f"}, llm.Call{ID: "2", Name: "f"}),
		results(llm.Result{CallID: "1"}),
		calls(llm.Call{ID: "3", Name: "f", Signature: "CC"}, llm.Call{ID: "4", Name: "f"}),
	}}
	const want = `{"contents":[{"role":"user","parts":[{"text":"x"}]},
{"role":"model","parts":[{"text":"hm","thought":true,"thoughtSignature":"AA"},{"text":"y"},{"text":"","thoughtSignature":"BB"},{"functionCall":{"id":"1","name":"f","args":{}}SENTINEL},{"functionCall":{"id":"2","name":"f","args":{}}}]},
{"role":"user","parts":[{"functionResponse":{"id":"1","name":"f","response":{"output":""}}}]},
{"role":"model","parts":[{"functionCall":{"id":"3","name":"f","args":{}},"thoughtSignature":"CC"},{"functionCall":{"id":"4","name":"f","args":{}}}]}]}`
	for model, sentinel := range map[string]string{
		"gemini-2.5-pro": "", "gemini-3-pro-preview": `,"thoughtSignature":"` + noSignature + `"`, "models/gemini-10-flash": `,"thoughtSignature":"` + noSignature + `"`, "gemma-4": "", "gemini-flash-latest": `,"thoughtSignature":"` + noSignature + `"`,
	} {
		assert.JSONEq(t, replace(want, sentinel), encodeRequest(t, r, core.Traits{Model: model}), model)
	}
}

func replace(s, sentinel string) string {
	const mark = "SENTINEL"
	for i := range len(s) - len(mark) {
		if s[i:i+len(mark)] == mark {
			return s[:i] + sentinel + s[i+len(mark):]
		}
	}
	return s
}

func TestAnEffortIsALevelOrABudget(t *testing.T) {
	for _, tc := range []struct {
		model  string
		effort llm.Effort
		want   string
	}{
		{"gemini-2.5-flash", llm.EffortNone, `{"thinkingBudget":0}`},
		{"gemini-2.5-pro", llm.EffortNone, `{"thinkingBudget":128}`},
		{"gemini-2.5-flash", llm.EffortMinimal, `{"thinkingBudget":1024}`},
		{"gemini-2.5-flash", llm.EffortLow, `{"thinkingBudget":1024}`},
		{"gemini-2.5-flash", llm.EffortMedium, `{"thinkingBudget":8192}`},
		{"gemini-2.5-flash", llm.EffortHigh, `{"thinkingBudget":24576}`},
		{"gemini-2.5-flash", llm.EffortXHigh, `{"thinkingBudget":24576}`},
		{"gemini-3.7-flash", llm.EffortNone, `{"thinkingLevel":"low"}`},
		{"gemini-3.7-flash", llm.EffortMinimal, `{"thinkingLevel":"low"}`},
		{"gemini-3.7-flash", llm.EffortMedium, `{"thinkingLevel":"medium"}`},
		{"gemini-3-pro-preview", llm.EffortMedium, `{"thinkingLevel":"high"}`},
		{"gemini-3.1-pro", llm.EffortMedium, `{"thinkingLevel":"medium"}`},
		{"gemini-flash-latest", llm.EffortXHigh, `{"thinkingLevel":"high"}`},
	} {
		out := encodeRequest(t, &llm.Request{Messages: []llm.Message{says("x")}, Effort: tc.effort}, core.Traits{Model: tc.model, Effort: true})
		assert.Contains(t, out, `"thinkingConfig":`+tc.want, "%s %s", tc.model, tc.effort)
	}
}

func TestTheLimitIsTheLowestThatAnyoneSets(t *testing.T) {
	for _, tc := range []struct {
		client, standard, limit int64
		want                    string
	}{
		{0, 0, 0, `{"contents":[{"role":"user","parts":[{"text":"x"}]}]}`},
		{0, 9, 0, `9`},
		{50, 9, 0, `50`},
		{50, 9, 40, `40`},
		{0, 9, 40, `9`},
		{0, 0, 40, `40`},
	} {
		out := encodeRequest(
			t,
			&llm.Request{Messages: []llm.Message{says("x")}, MaxTokens: tc.client},
			core.Traits{DefaultCap: tc.standard, Cap: tc.limit},
		)
		if tc.want[0] != '{' {
			tc.want = `{"contents":[{"role":"user","parts":[{"text":"x"}]}],"generationConfig":{"maxOutputTokens":` + tc.want + `}}`
		}
		assert.Equal(t, tc.want, out)
	}
}

// A request that goes through the neutral model and back says the same.
func TestDecodingThenEncodingKeepsTheMeaning(t *testing.T) {
	r := requireDecoded(t, requestOfEverything)
	again := requireDecoded(t, encodeRequest(t, r, all))
	r.Dropped, again.Dropped = nil, nil
	assert.Equal(t, r, again)
}
