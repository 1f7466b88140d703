package openai

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

// translate scans and decodes a request.
func translate(t testing.TB, body string) *llm.Request {
	x, e := scanRequest(body)
	require.Nil(t, e, "%v", e)
	r, e := Chat{}.Decode(x)
	require.Nil(t, e, "%v", e)
	return r
}

// translateError gives the refusal of a request that can be scanned.
func translateError(t testing.TB, body string) *core.Error {
	x, e := scanRequest(body)
	require.Nil(t, e, "%v", e)
	_, e = Chat{}.Decode(x)
	require.NotNil(t, e, "%s is taken", body)
	return e
}

func ptr[T any](v T) *T { return &v }

func TestEachFieldOfAChatRequestHasAPlaceInTheModel(t *testing.T) {
	for member, want := range map[string]llm.Request{
		`"temperature":1.0e0`: {Temperature: "1.0e0"},
		`"top_p":0.50`:        {TopP: "0.50"},
		`"frequency_penalty":-2,"presence_penalty":0.1`:         {FrequencyPenalty: "-2", PresencePenalty: "0.1"},
		`"seed":12345678901234567890`:                           {Seed: "12345678901234567890"},
		`"n":3`:                                                 {Count: 3},
		`"max_tokens":5`:                                        {MaxTokens: 5},
		`"max_completion_tokens":6,"max_tokens":6`:              {MaxTokens: 6},
		`"stop":"a\nb"`:                                         {Stop: []string{"a\nb"}},
		`"stop":["a","b"]`:                                      {Stop: []string{"a", "b"}},
		`"logprobs":true,"top_logprobs":5`:                      {Logprobs: true, TopLogprobs: "5"},
		`"reasoning_effort":"xhigh"`:                            {Effort: llm.EffortXHigh},
		`"verbosity":"low"`:                                     {Verbosity: "low"},
		`"prompt_cache_key":"k"`:                                {CacheKey: "k"},
		`"user":"\u0075"`:                                       {User: "u"},
		`"parallel_tool_calls":false`:                           {Parallel: ptr(false)},
		`"stream":true,"stream_options":{"include_usage":true}`: {Stream: true, StreamUsage: true},
		`"stream":true`:                                         {Stream: true},
		`"response_format":{"type":"text"}`:                     {},
		`"response_format":{"type":"json_object"}`:              {Format: &llm.Format{}},
		`"response_format":{"type":"json_schema","json_schema":{"name":"n","description":"d","strict":true,"schema":{ "a":1.0 }}}`: {
			Format: &llm.Format{Name: "n", Description: "d", Strict: ptr(true), Schema: json.RawMessage(`{ "a":1.0 }`)},
		},
		`"tools":[{"type":"function","function":{"name":"f","description":"d","strict":false,"parameters":{"type":"object"}}},{"type":"function","function":{"name":"g"}}],"tool_choice":"auto"`: {
			Tools:  []llm.Tool{{Name: "f", Description: "d", Strict: ptr(false), Schema: json.RawMessage(`{"type":"object"}`)}, {Name: "g"}},
			Choice: llm.Choice{Mode: llm.ChooseAuto},
		},
		`"tools":[{"type":"custom","custom":{"name":"c","description":"d","format":{"type":"grammar","grammar":{"syntax":"lark","definition":"start: x"}}}},{"custom":{"name":"e","format":{"type":"text"}},"type":"custom"}],"tool_choice":"none"`: {
			Tools:  []llm.Tool{{Kind: llm.CustomTool, Name: "c", Description: "d", Grammar: &llm.Grammar{Syntax: "lark", Definition: "start: x"}}, {Kind: llm.CustomTool, Name: "e"}},
			Choice: llm.Choice{Mode: llm.ChooseNone},
		},
		`"tool_choice":"required"`:                                  {Choice: llm.Choice{Mode: llm.ChooseRequired}},
		`"tool_choice":{"type":"function","function":{"name":"f"}}`: {Choice: llm.Choice{Mode: llm.ChooseNamed, Names: []string{"f"}}},
		`"tool_choice":{"type":"custom","custom":{"name":"c"}}`:     {Choice: llm.Choice{Mode: llm.ChooseNamed, Names: []string{"c"}}},
		`"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"f"}},{"type":"custom","custom":{"name":"c"}}]}}`: {
			Choice: llm.Choice{Mode: llm.ChooseNamed, Names: []string{"f", "c"}},
		},
		`"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"g"}}]}},"tools":[{"type":"function","function":{"name":"f"}},{"type":"function","function":{"name":"g"}}]`: {
			Choice: llm.Choice{Mode: llm.ChooseAuto}, Tools: []llm.Tool{{Name: "g"}},
		},
		`"store":false,"metadata":{"a":"b"},"logit_bias":{},"service_tier":"auto","brand_new":1,"modalities":["text"],"stream":true,"stream_options":{"include_obfuscation":false}`: {
			Stream: true, Dropped: []string{"store", "metadata", "logit_bias", "service_tier", "brand_new", "stream_options.include_obfuscation"},
			Extras: []llm.Extra{{Name: "metadata", Value: []byte(`{"a":"b"}`)}, {Name: "service_tier", Value: []byte(`"auto"`)}},
		},
		`"store":null,"metadata":null,"seed":null,"stop":null,"tools":null,"tool_choice":null,"response_format":null,"user":null,"parallel_tool_calls":null,"functions":null,"modalities":null`: {},
		`"tools":[{"type":"function","function":{"name":"f","x":1},"cache_control":{}}]`:                                                                                                        {Tools: []llm.Tool{{Name: "f"}}, Dropped: []string{"tools.function.x", "tools.cache_control"}},
	} {
		t.Run(member[:min(len(member), 60)], func(t *testing.T) {
			want.Model, want.Messages = "m", []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.NewText("hi")}}}
			assert.Equal(t, &want, translate(t, withField(member)))
		})
	}
}

func TestEachMessageOfAChatRequestHasAPlaceInTheModel(t *testing.T) {
	call := func(c llm.Call) llm.Part { return llm.Part{Kind: llm.CallPart, Call: &c} }
	result := func(r llm.Result) []llm.Part { return []llm.Part{{Kind: llm.ResultPart, Result: &r}} }
	for name, tc := range map[string]struct {
		messages string
		want     []llm.Message
		dropped  []string
	}{
		"system and developer": {`{"role":"system","content":"a"},{"content":[{"type":"text","text":"b"}],"role":"developer"}`, []llm.Message{{Role: llm.System, Parts: []llm.Part{llm.NewText("a")}}, {Role: llm.System, Parts: []llm.Part{llm.NewText("b")}}}, nil},
		"a user with a name":   {`{"role":"user","name":"bob","content":"a\u00e9"}`, []llm.Message{{Role: llm.User, Name: "bob", Parts: []llm.Part{llm.NewText("aé")}}}, nil},
		"parts": {
			`{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},{"type":"image_url","image_url":{"url":"https://x/y.png","detail":"low"}},{"type":"image_url","image_url":{"url":"data:image/png;base64,QUJD"}},{"type":"image_url","image_url":"http://x/z"}]}`,
			[]llm.Message{{Role: llm.User, Parts: []llm.Part{
				llm.NewText("a"),
				{Kind: llm.ImagePart, Image: &llm.Image{URL: "https://x/y.png", Detail: "low"}},
				{Kind: llm.ImagePart, Image: &llm.Image{MediaType: "image/png", Data: "QUJD"}},
				{Kind: llm.ImagePart, Image: &llm.Image{URL: "http://x/z"}},
			}}},
			[]string{"messages.content.cache_control"},
		},
		"an assistant with all it has": {
			`{"role":"assistant","reasoning_content":"hm","content":"a","refusal":"no","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\": 1.0}"}},{"id":"2","type":"custom","custom":{"name":"c","input":"x \"y\""}}],"audio":null,"annotations":[]}`,
			[]llm.Message{{Role: llm.Assistant, Parts: []llm.Part{
				{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: ChatVendor, Text: "hm"}},
				llm.NewText("a"),
				{Kind: llm.RefusalPart, Text: "no"},
				call(llm.Call{ID: "1", Name: "f", Input: `{"a": 1.0}`}), call(llm.Call{ID: "2", Name: "c", Kind: llm.CustomTool, Input: `x "y"`}),
			}}},
			[]string{"messages.annotations"},
		},
		"a thought signature goes back with its call": {
			`{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","extra_content":{"google":{"thought_signature":"s+/="}},"function":{"name":"f","arguments":"{}"}}]}`,
			[]llm.Message{{Role: llm.Assistant, Parts: []llm.Part{call(llm.Call{ID: "1", Name: "f", Input: "{}", Signature: "s+/="})}}},
			nil,
		},
		"results know what they answer": {
			`{"role":"assistant","tool_calls":[{"id":"2","type":"custom","custom":{"name":"c","input":""}}]},{"role":"tool","tool_call_id":"2","content":"r"},{"role":"tool","tool_call_id":"1","content":[{"type":"text","text":"s"}]}`,
			[]llm.Message{
				{Role: llm.Assistant, Parts: []llm.Part{call(llm.Call{ID: "2", Name: "c", Kind: llm.CustomTool})}},
				{Role: llm.ToolRole, Parts: result(llm.Result{CallID: "2", Kind: llm.CustomTool, Parts: []llm.Part{llm.NewText("r")}})},
				{Role: llm.ToolRole, Parts: result(llm.Result{CallID: "1", Parts: []llm.Part{llm.NewText("s")}})},
			},
			nil,
		},
		"function calls as they once were": {
			`{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}},{"role":"function","name":"f","content":"r"}`,
			[]llm.Message{
				{Role: llm.Assistant, Parts: []llm.Part{call(llm.Call{Name: "f", Input: "{}"})}},
				{Role: llm.ToolRole, Parts: result(llm.Result{Name: "f", Parts: []llm.Part{llm.NewText("r")}})},
			},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := translate(t, withMessage(tc.messages))
			assert.Equal(t, tc.want, r.Messages)
			assert.Equal(t, tc.dropped, r.Dropped)
		})
	}
}

func TestWhatNoOtherShapeCanSayIsRefused(t *testing.T) {
	for body, param := range map[string]string{
		withMessage(`{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"QQ==","format":"wav"}}]}`): "messages[0].content",
		withMessage(`{"role":"user","content":[{"type":"file","file":{"file_id":"f"}}]}`):                              "messages[0].content",
		withMessage(`{"role":"user","content":[{"type":"video_url","video_url":{"url":"https://x"}}]}`):                "messages[0].content",
		withMessage(`{"role":"assistant","content":null,"audio":{"id":"audio_1"}}`):                                    "messages[0].audio",
		withField(`"functions":[{"name":"f"}]`):                                                                        "functions",
		withField(`"function_call":"auto"`):                                                                            "function_call",
		withField(`"modalities":["text","audio"]`):                                                                     "modalities",
		withField(`"response_format":{"type":"grammar"}`):                                                              "response_format",
	} {
		e := translateError(t, body)
		assert.Equal(t, core.CodeUnsupported, e.Code, body)
		assert.Equal(t, param, e.Param)
		assert.Equal(t, 400, e.HTTPStatus())
	}
	for body, param := range map[string]string{
		withMessage(`{"role":"user","content":[{"type":"image_url","image_url":{"url":"ftp://x"}}]}`):            "messages[0].content.image_url",
		withMessage(`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png,abc"}}]}`): "messages[0].content.image_url",
		withMessage(`{"role":"user","content":[{"type":"image_url"}]}`):                                          "messages[0].content.image_url",
		withField(`"tool_choice":"always"`):                                                                      "tool_choice",
		withField(`"tool_choice":{"type":"function"}`):                                                           "tool_choice.function",
	} {
		assert.Equal(t, param, translateError(t, body).Param, body)
	}
}

func TestManyUnknownFieldsAreCountedWithinBounds(t *testing.T) {
	body := `"x0":0`
	for i := range 2000 {
		body += `,"y` + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676)) + `":1`
	}
	assert.Len(t, translate(t, withField(body)).Dropped, maxDropped)
}
