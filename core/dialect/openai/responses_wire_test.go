package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

// takesAll takes every field.
var takesAll = core.Traits{
	Model:        "gpt-5",
	Label:        "OpenAI",
	Effort:       true,
	Parallel:     true,
	CustomTools:  true,
	Strict:       true,
	ResultImages: true,
	Logprobs:     true,
	Verbosity:    true,
	CacheKey:     true,
}

func TestAChatRequestIsSentToTheResponsesAPI(t *testing.T) {
	r := &llm.Request{
		Messages: []llm.Message{
			{Role: llm.System, Parts: []llm.Part{llm.NewText("be \"brief\"")}},
			{
				Role:  llm.User,
				Parts: []llm.Part{llm.NewText("look"), {Kind: llm.ImagePart, Image: &llm.Image{MediaType: "image/png", Data: "iVBO", Detail: "low"}}},
			},
			{Role: llm.Assistant, Parts: []llm.Part{
				llm.NewText("well"),
				{Kind: llm.CallPart, Call: &llm.Call{ID: "c1", Name: "f", Input: `{"a": 1}`}},
				{Kind: llm.CallPart, Call: &llm.Call{ID: "c2", Kind: llm.CustomTool, Name: "sql", Input: "SELECT 1"}},
			}},
			{Role: llm.ToolRole, Parts: []llm.Part{{Kind: llm.ResultPart, Result: &llm.Result{CallID: "c1", Parts: []llm.Part{llm.NewText("one")}}}}},
			{
				Role: llm.ToolRole,
				Parts: []llm.Part{
					{
						Kind: llm.ResultPart,
						Result: &llm.Result{
							CallID: "c2",
							Kind:   llm.CustomTool,
							Parts:  []llm.Part{llm.NewText("two"), {Kind: llm.ImagePart, Image: &llm.Image{URL: "https://example.com/x.png"}}},
						},
					},
				},
			},
		},
		Tools: []llm.Tool{
			{Name: "f", Description: "d", Schema: json.RawMessage(`{"type" : "object"}`)},
			{Name: "g", Strict: yes()},
			{Kind: llm.CustomTool, Name: "sql", Grammar: &llm.Grammar{Syntax: "lark", Definition: "start: \"x\""}},
		},
		Choice: llm.Choice{
			Mode:  llm.ChooseNamed,
			Names: []string{"sql"},
		},
		Parallel:    yes(),
		MaxTokens:   100,
		Temperature: "0.50",
		TopP:        "0.9",
		Effort:      llm.EffortLow,
		Verbosity:   "low",
		CacheKey:    "k",
		User:        "u",
		Format:      &llm.Format{Name: "n", Schema: json.RawMessage(`{}`), Strict: yes()},
		Stream:      true,
		Logprobs:    true,
		TopLogprobs: "2",
	}
	body, e := ResponsesWire{}.EncodeRequest(nil, r, takesAll)
	require.Nil(t, e)
	assert.JSONEq(t, `{"model":"gpt-5","store":false,"input":[
 {"type":"message","role":"system","content":[{"type":"input_text","text":"be \"brief\""}]},
 {"type":"message","role":"user","content":[{"type":"input_text","text":"look"},{"type":"input_image","image_url":"data:image/png;base64,iVBO","detail":"low"}]},
 {"type":"message","role":"assistant","content":[{"type":"output_text","text":"well"}]},
 {"type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\": 1}"},
 {"type":"custom_tool_call","call_id":"c2","name":"sql","input":"SELECT 1"},
 {"type":"function_call_output","call_id":"c1","output":"one"},
 {"type":"custom_tool_call_output","call_id":"c2","output":[{"type":"input_text","text":"two"},{"type":"input_image","image_url":"https://example.com/x.png"}]}
],"tools":[{"type":"function","name":"f","description":"d","parameters":{"type":"object"},"strict":false},
 {"type":"function","name":"g","parameters":{"type":"object","properties":{}},"strict":true},
 {"type":"custom","name":"sql","format":{"type":"grammar","syntax":"lark","definition":"start: \"x\""}}],
"tool_choice":{"type":"custom","name":"sql"},"max_output_tokens":100,"temperature":0.50,"top_p":0.9,"reasoning":{"effort":"low"},
"text":{"format":{"type":"json_schema","name":"n","schema":{},"strict":true},"verbosity":"low"},"parallel_tool_calls":true,"prompt_cache_key":"k",
"include":["message.output_text.logprobs"],"top_logprobs":2,"user":"u","stream":true}`, string(body))
	assert.Contains(t, string(body), `"parameters":{"type" : "object"}`, "schemas keep their spelling")
	assert.Contains(t, string(body), `"temperature":0.50`)
	assert.Empty(t, r.Dropped)
	_, refused := scanResponses(string(body))
	assert.Nil(t, refused, "it is a request of the shape")
}

func TestADetourWithStopSeedOrPenaltiesIsRefused(t *testing.T) {
	for param, r := range map[string]*llm.Request{
		"stop": {Stop: []string{"x"}}, "seed": {Seed: "1"}, "frequency_penalty": {FrequencyPenalty: "1"}, "presence_penalty": {PresencePenalty: "0"}, "n": {Count: 2},
	} {
		_, e := ResponsesWire{}.EncodeRequest(nil, r, takesAll)
		require.NotNil(t, e, param)
		assert.Equal(t, core.CodeUnsupported, e.Code)
		assert.Equal(t, param, e.Param)
		assert.Contains(t, e.Public, "OpenAI")
	}
}

func TestWhatTheModelDoesNotTakeIsDroppedAndCounted(t *testing.T) {
	r := &llm.Request{
		Effort:      llm.EffortLow,
		Verbosity:   "low",
		Parallel:    yes(),
		CacheKey:    "k",
		Logprobs:    true,
		TopK:        "4",
		Temperature: "1",
		TopP:        "1",
		Messages: []llm.Message{
			{Role: llm.User, Name: "eve", Parts: []llm.Part{llm.NewText("x")}},
			{
				Role:  llm.Assistant,
				Parts: []llm.Part{{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: "anthropic", Text: "x", Signature: "s"}}},
			},
		},
	}
	body, e := ResponsesWire{}.EncodeRequest(nil, r, core.Traits{Model: "m", OneSampling: true, DefaultCap: 10})
	require.Nil(t, e)
	assert.JSONEq(
		t,
		`{"model":"m","store":false,"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}],"max_output_tokens":10,"temperature":1}`,
		string(body),
	)
	assert.ElementsMatch(
		t,
		[]string{
			"top_k",
			"messages.name",
			"reasoning",
			"top_p",
			"reasoning_effort",
			"verbosity",
			"parallel_tool_calls",
			"prompt_cache_key",
			"logprobs",
		},
		r.Dropped,
	)
}

func TestCallsWithoutIdsAreAnsweredInOrder(t *testing.T) {
	call := func(name string) llm.Part {
		return llm.Part{Kind: llm.CallPart, Call: &llm.Call{Name: name, Input: "{}"}}
	}
	result := func(text string) llm.Part {
		return llm.Part{Kind: llm.ResultPart, Result: &llm.Result{Parts: []llm.Part{llm.NewText(text)}}}
	}
	body, e := ResponsesWire{}.EncodeRequest(nil, &llm.Request{Messages: []llm.Message{
		{Role: llm.Assistant, Parts: []llm.Part{call("a"), call("b")}}, {Role: llm.ToolRole, Parts: []llm.Part{result("1"), result("2")}},
	}}, takesAll)
	require.Nil(t, e)
	assert.Contains(
		t,
		string(body),
		`{"type":"function_call_output","call_id":"call_1","output":"1"},{"type":"function_call_output","call_id":"call_2","output":"2"}`,
	)
}

func TestARequestGoesThroughBothWaysUnchanged(t *testing.T) {
	for _, body := range []string{
		everyItem, withMember(`"temperature":0.50,"top_p":0.1,"max_output_tokens":7,"parallel_tool_calls":false,"reasoning":{"effort":"high"},"user":"u","stream":true,"prompt_cache_key":"k"`),
		withMember(`"text":{"format":{"type":"json_schema","name":"n","schema":{"type":"object"},"strict":true},"verbosity":"high"}`), withMember(`"text":{"format":{"type":"json_object"}}`),
		withMember(`"tools":[{"type":"namespace","name":"n","description":"","tools":[{"type":"function","name":"f","parameters":{},"strict":false}]},{"type":"custom","name":"c","format":{"type":"grammar","syntax":"lark","definition":"x"}}],"tool_choice":{"type":"function","name":"f","namespace":"n"}`),
		withMember(`"include":["message.output_text.logprobs"],"top_logprobs":3`),
	} {
		want := mustDecode(t, body)
		sent, e := ResponsesWire{}.EncodeRequest(nil, want, takesAll)
		require.Nil(t, e)
		got := mustDecode(t, string(sent))
		for _, r := range []*llm.Request{want, got} {
			r.Dropped = nil
			for i := range r.Tools {
				if t := &r.Tools[i]; t.Kind == llm.FunctionTool && t.Strict == nil {
					t.Strict = new(bool)
				}
				if t := &r.Tools[i]; t.Kind == llm.FunctionTool && t.Schema == nil {
					t.Schema = json.RawMessage(`{"type":"object","properties":{}}`)
				}
			}
			for _, m := range r.Messages {
				for _, p := range m.Parts {
					if p.Result != nil && p.Result.Kind == llm.SearchTool {
						p.Result.Parts = nil // its tools are among the others now
					}
				}
			}
		}
		assert.Equal(t, want, got, "%s", sent)
	}
}

// wholeResponse is an answer with all that an answer may hold.
const wholeResponse = `{"id":"resp_1","object":"response","created_at":1741476542,"status":"completed","error":null,"incomplete_details":null,"model":"gpt-5-2025-08-07","output":[
 {"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"first"},{"type":"summary_text","text":"second"}],"encrypted_content":"gAAA"},
 {"type":"message","id":"msg_1","status":"completed","role":"assistant","content":[{"type":"output_text","text":"a \"text\"","annotations":[],"logprobs":[{"token":"a","logprob":-0.1,"bytes":[97],"top_logprobs":[]}]},{"type":"refusal","refusal":"no"}]},
 {"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","namespace":"crm","arguments":"{\"a\": 1}","status":"completed"},
 {"type":"custom_tool_call","id":"ctc_1","call_id":"call_2","name":"sql","input":"SELECT 1","status":"completed"},
 {"type":"tool_search_call","id":"tsc_1","call_id":"call_3","execution":"client","arguments":{"goal":"x"},"status":"completed"}
],"usage":{"input_tokens":36,"input_tokens_details":{"cached_tokens":5,"cache_write_tokens":6},"output_tokens":87,"output_tokens_details":{"reasoning_tokens":7},"total_tokens":123}}`

func TestAWholeResponseIsDecodedAndEncoded(t *testing.T) {
	a, err := ResponsesWire{}.DecodeResponse([]byte(wholeResponse))
	require.NoError(t, err)
	assert.Equal(t, &llm.Response{
		ID: "resp_1", Model: "gpt-5-2025-08-07", Created: 1741476542,
		Choices: []llm.Answer{
			{
				Parts: []llm.Part{
					{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: "openai", ID: "rs_1", Text: "first\n\nsecond", Encrypted: "gAAA"}},
					llm.NewText(`a "text"`),
					{Kind: llm.RefusalPart, Text: "no"},
					{Kind: llm.CallPart, Call: &llm.Call{ID: "call_1", Namespace: "crm", Name: "f", Input: `{"a": 1}`}},
					{Kind: llm.CallPart, Call: &llm.Call{ID: "call_2", Kind: llm.CustomTool, Name: "sql", Input: "SELECT 1"}},
					{Kind: llm.CallPart, Call: &llm.Call{ID: "call_3", Kind: llm.SearchTool, Name: "tool_search", Input: `{"goal":"x"}`}},
				},
				Finish:   llm.FinishTools,
				Logprobs: json.RawMessage(`{"content":[{"token":"a","logprob":-0.1,"bytes":[97],"top_logprobs":[]}],"refusal":null}`),
			},
		},
		Usage: llm.Usage{Reported: true, Input: 36, Output: 87, Cached: 5, Written: 6, Reasoning: 7},
	}, a)

	out := Responses{}.Encode(
		nil,
		&llm.Request{Model: "m", MaxTokens: 9, Temperature: "0.50", Effort: llm.EffortLow, Format: &llm.Format{}},
		a,
	)
	require.True(t, json.Valid(out), "%s", out)
	x := &core.Exchange{}
	x.Response.Raw = out
	require.NoError(t, Responses{}.ScanResponse(x))
	assert.Equal(t, a.Usage, x.Usage)
	assert.Contains(t, string(out), `"temperature":0.50`)
	again, err := ResponsesWire{}.DecodeResponse(out)
	require.NoError(t, err)
	reasoning := again.Choices[0].Parts[0].Reasoning
	assert.Equal(t, "first\n\nsecond", reasoning.Text)
	assert.Empty(t, reasoning.Encrypted, "what is sealed is not given on a translated route")
	a.Choices[0].Parts[0], again.Choices[0].Parts[0] = llm.Part{}, llm.Part{}
	assert.Equal(t, a, again)
}

func TestAnswersEndForAReason(t *testing.T) {
	const message = `{"type":"message","content":[{"type":"output_text","text":"x"}]}`
	for body, want := range map[string]llm.Finish{
		`{"status":"completed","output":[` + message + `]}`:                                                      llm.FinishStop,
		`{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[` + message + `]}`: llm.FinishLength,
		`{"status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[]}`:                   llm.FinishFiltered,
		`{"status":"completed","output":[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}]}`:   llm.FinishTools,
	} {
		a, err := ResponsesWire{}.DecodeResponse([]byte(body))
		require.NoError(t, err)
		assert.Equal(t, want, a.Choices[0].Finish, body)
		out := string(Responses{}.Encode(nil, &llm.Request{}, a))
		again, err := ResponsesWire{}.DecodeResponse([]byte(out))
		require.NoError(t, err)
		assert.Equal(t, want, again.Choices[0].Finish, out)
		assert.True(t, strings.HasPrefix(out, `{"id":"resp_`), "an answer without an id gets one")
	}
	for _, body := range []string{`{"status":"failed","error":{"code":"server_error","message":"m"}}`, `[]`, `{`, `{}x`} {
		_, err := ResponsesWire{}.DecodeResponse([]byte(body))
		assert.Error(t, err, body)
	}
}
