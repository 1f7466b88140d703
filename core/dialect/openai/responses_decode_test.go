package openai

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

func decodeResponses(t testing.TB, body string) (*llm.Request, *core.Error) {
	t.Helper()
	x, e := scanResponses(body)
	require.Nil(t, e)
	x.Target = core.TargetRef{Provider: "anthropic", Model: "routed"}
	return Responses{}.Decode(x)
}

func mustDecode(t testing.TB, body string) *llm.Request {
	t.Helper()
	r, e := decodeResponses(t, body)
	require.Nil(t, e)
	return r
}

func yes() *bool { b := true; return &b }

func TestEveryFieldOfAResponsesRequestIsDecoded(t *testing.T) {
	r := mustDecode(
		t,
		`{"model":"gpt-5","input":"hi","instructions":"be brief","max_output_tokens":100,"temperature":0.50,"top_p":1e-1,"parallel_tool_calls":true,
 "prompt_cache_key":"k","user":"u","reasoning":{"effort":"high"},"stream":true,"store":false,"background":false,"service_tier":"auto",
 "text":{"format":{"type":"json_schema","name":"n","description":"d","schema":{"type" : "object"},"strict":true},"verbosity":"low"},
 "include":["message.output_text.logprobs"],"top_logprobs":3,"truncation":"disabled","metadata":{},"tool_choice":"required",
 "tools":[{"type":"function","name":"f","description":"fd","parameters":{"type":"object"},"strict":true},
  {"type":"custom","name":"c","description":"cd","format":{"type":"grammar","syntax":"regex","definition":"a+"}},{"type":"custom","name":"free","format":{"type":"text"}},
  {"type":"namespace","name":"crm","description":"the CRM","tools":[{"type":"function","name":"get","description":"gets"},{"type":"custom","name":"ask"}]},
  {"type":"tool_search","execution":"client","description":"sd","parameters":{"type":"object"}}]}`,
	)
	assert.Equal(t, &llm.Request{
		Model:       "routed",
		MaxTokens:   100,
		Temperature: "0.50",
		TopP:        "1e-1",
		Parallel:    yes(),
		CacheKey:    "k",
		User:        "u",
		Effort:      llm.EffortHigh,
		Verbosity:   "low",
		Stream:      true,
		StreamUsage: true,
		Logprobs:    true,
		TopLogprobs: "3",
		Choice:      llm.Choice{Mode: llm.ChooseRequired},
		Format:      &llm.Format{Name: "n", Description: "d", Schema: json.RawMessage(`{"type" : "object"}`), Strict: yes()},
		Messages: []llm.Message{
			{Role: llm.System, Parts: []llm.Part{llm.NewText("be brief")}},
			{Role: llm.User, Parts: []llm.Part{llm.NewText("hi")}},
		},
		Tools: []llm.Tool{
			{Name: "f", Description: "fd", Schema: json.RawMessage(`{"type":"object"}`), Strict: yes()},
			{Kind: llm.CustomTool, Name: "c", Description: "cd", Grammar: &llm.Grammar{Syntax: "regex", Definition: "a+"}},
			{Kind: llm.CustomTool, Name: "free"},
			{Namespace: "crm", Name: "get", Description: "the CRM\n\ngets"},
			{Kind: llm.CustomTool, Namespace: "crm", Name: "ask", Description: "the CRM"},
			{Kind: llm.SearchTool, Name: "tool_search", Description: "sd", Schema: json.RawMessage(`{"type":"object"}`)},
		},
	}, r)
}

func TestEveryItemOfAConversationIsDecoded(t *testing.T) {
	r := mustDecode(t, everyItem)
	call := func(c llm.Call) llm.Part { return llm.Part{Kind: llm.CallPart, Call: &c} }
	result := func(c llm.Result) llm.Part { return llm.Part{Kind: llm.ResultPart, Result: &c} }
	assert.Equal(t, []llm.Message{
		{Role: llm.System, Parts: []llm.Part{llm.NewText("a developer")}},
		{Role: llm.User, Parts: []llm.Part{
			llm.NewText("look"),
			{Kind: llm.ImagePart, Image: &llm.Image{URL: "https://example.com/x.png", Detail: "low"}},
			{Kind: llm.ImagePart, Image: &llm.Image{MediaType: "image/png", Data: "iVBORw0KGgo="}},
		}},
		{Role: llm.Assistant, Parts: []llm.Part{
			llm.NewText("seen"),
			{Kind: llm.RefusalPart, Text: "but no"},
			call(llm.Call{ID: "c1", Namespace: "crm", Name: "get", Input: `{"id": 1}`}),
			call(llm.Call{ID: "c2", Kind: llm.CustomTool, Name: "sql", Input: "SELECT 1"}),
			call(llm.Call{ID: "c3", Kind: llm.SearchTool, Name: "tool_search", Input: `{"goal":"mail"}`}),
		}},
		{Role: llm.ToolRole, Parts: []llm.Part{
			result(
				llm.Result{
					CallID: "c1",
					Name:   "crm__get",
					Parts:  []llm.Part{llm.NewText("found"), {Kind: llm.ImagePart, Image: &llm.Image{URL: "https://example.com/y.png"}}},
				},
			),
			result(llm.Result{CallID: "c2", Name: "sql", Kind: llm.CustomTool, Parts: []llm.Part{llm.NewText("1")}}),
			result(llm.Result{CallID: "c3", Name: "tool_search", Kind: llm.SearchTool, Parts: []llm.Part{llm.NewText(`{"tools":["mail__send"]}`)}}),
		}},
	}, r.Messages)
	assert.Equal(t, []llm.Tool{
		{Namespace: "mail", Name: "send", Description: "Mail\n\nSends", Schema: json.RawMessage(`{}`)},
		{Name: "late", Description: "newer"},
	}, r.Tools, "tools that items bring are offered, once each")
	assert.Equal(t, []string{"input.reasoning"}, r.Dropped)
}

const everyItem = `{"model":"m","input":[
 {"content":"a developer","role":"developer"},
 {"type":"message","role":"user","content":[{"type":"input_text","text":"look"},{"type":"input_image","detail":"low","image_url":"https://example.com/x.png"},{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo="}]},
 {"type":"reasoning","id":"rs","summary":[{"type":"summary_text","text":"thinking"}],"encrypted_content":"gAAA"},
 {"type":"message","id":"msg","role":"assistant","status":"completed","content":[{"type":"output_text","text":"seen","annotations":[]},{"type":"refusal","refusal":"but no"}]},
 {"type":"function_call","id":"fc","call_id":"c1","namespace":"crm","name":"get","arguments":"{\"id\": 1}","status":"completed"},
 {"type":"custom_tool_call","call_id":"c2","name":"sql","input":"SELECT 1"},
 {"type":"tool_search_call","call_id":"c3","execution":"client","arguments":{"goal":"mail"}},
 {"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"found"},{"type":"input_image","image_url":"https://example.com/y.png"}]},
 {"type":"custom_tool_call_output","call_id":"c2","output":"1"},
 {"type":"tool_search_output","call_id":"c3","execution":"client","tools":[{"type":"namespace","name":"mail","description":"Mail","tools":[{"type":"function","name":"send","description":"Sends","parameters":{}}]}]},
 {"type":"additional_tools","role":"developer","tools":[{"type":"function","name":"late","description":"older"}]},
 {"type":"additional_tools","role":"developer","tools":[{"type":"function","name":"late","description":"newer"}]}
]}`

func TestWhatATranslationLeavesOutIsCounted(t *testing.T) {
	for member, want := range map[string][]string{
		`"reasoning":{"effort":"low","summary":"auto"}`:          {"reasoning.summary"},
		`"include":["reasoning.encrypted_content"]`:              {"include.reasoning.encrypted_content"},
		`"stream_options":{"include_obfuscation":false}`:         {"stream_options"},
		`"client_metadata":{"a":"b"}`:                            {"client_metadata"},
		`"metadata":{"a":"b"}`:                                   {"metadata"},
		`"truncation":"auto"`:                                    {"truncation"},
		`"top_logprobs":2`:                                       {"top_logprobs"},
		`"max_tool_calls":3`:                                     {"max_tool_calls"},
		`"prompt_cache_retention":"24h","safety_identifier":"s"`: {"prompt_cache_retention"},
		`"tools":[{"type":"function","name":"f","defer_loading":true},{"type":"function","name":"g","defer_loading":true}]`: {"tools.defer_loading"},
		`"metadata":null,"store":false,"stream_options":{},"top_logprobs":0,"service_tier":"default","background":false`:    nil,
	} {
		assert.Equal(t, want, mustDecode(t, withMember(member)).Dropped, member)
	}
}

func TestWhatOnlyAProviderOfTheShapeUnderstandsIsRefusedElsewhere(t *testing.T) {
	for body, param := range map[string]string{
		withMember(`"tools":[{"type":"apply_patch"}]`):                                              "tools[0].type",
		withMember(`"tools":[{"type":"namespace","name":"n","tools":[{"type":"brand_new"}]}]`):      "tools[0].tools[0].type",
		withMember(`"tool_choice":{"type":"apply_patch"}`):                                          "tool_choice",
		withItem(`{"type":"item_reference","id":"x"}`):                                              "input[0].type",
		withItem(`{"id":"x"}`):                                                                      "input[0].type",
		withItem(`{"type":"compaction","encrypted_content":"x"}`):                                   "input[0].type",
		withItem(`{"type":"web_search_call","id":"x"}`):                                             "input[0].type",
		withItem(`{"type":"tool_search_call","execution":"server","arguments":{}}`):                 "input[0].type",
		withItem(`{"role":"user","content":[{"type":"brand_new"}]}`):                                "input[0].content[0].type",
		withItem(`{"role":"user","content":[{"type":"input_image","file_id":"file_1"}]}`):           "input[0].content[0]",
		withItem(`{"type":"additional_tools","role":"developer","tools":[{"type":"apply_patch"}]}`): "input[0].tools[0].type",
	} {
		_, e := decodeResponses(t, body)
		require.NotNil(t, e, body)
		assert.Equal(t, core.CodeUnsupported, e.Code)
		assert.Equal(t, param, e.Param, body)
		assert.Contains(t, e.Public, "anthropic", "it names the provider")
	}
	_, e := decodeResponses(t, withMember(`"tool_choice":"sometimes"`))
	require.NotNil(t, e)
	assert.Equal(t, core.CodeInvalidValue, e.Code)
}

func TestChoicesOfToolsAreDecoded(t *testing.T) {
	const tools = `,"tools":[{"type":"function","name":"f"},{"type":"function","name":"g"},{"type":"namespace","name":"n","tools":[{"type":"function","name":"f"}]},{"type":"tool_search","execution":"client"}]`
	for choice, want := range map[string]llm.Choice{
		`null`:                           {},
		`"auto"`:                         {Mode: llm.ChooseAuto},
		`"none"`:                         {Mode: llm.ChooseNone},
		`"required"`:                     {Mode: llm.ChooseRequired},
		`{"type":"function","name":"f"}`: {Mode: llm.ChooseNamed, Names: []string{"f"}},
		`{"name":"f","type":"function","namespace":"n"}`: {Mode: llm.ChooseNamed, Names: []string{"n__f"}},
		`{"namespace":"n","name":"f","type":"function"}`: {Mode: llm.ChooseNamed, Names: []string{"n__f"}},
		`{"type":"tool_search"}`:                         {Mode: llm.ChooseNamed, Names: []string{"tool_search"}},
	} {
		assert.Equal(t, want, mustDecode(t, withMember(`"tool_choice":`+choice+tools)).Choice, choice)
	}
	r := mustDecode(
		t,
		withMember(
			`"tool_choice":{"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"g"},{"type":"tool_search"}]}`+tools,
		),
	)
	assert.Equal(t, llm.Choice{Mode: llm.ChooseRequired}, r.Choice)
	require.Len(t, r.Tools, 2, "tools that must not be called are not offered")
	assert.Equal(t, "g", r.Tools[0].Name)
}

func TestNamesAreToldApartByCase(t *testing.T) {
	r := mustDecode(t, `{"model":"m","input":"hi","Input":"other","TOOLS":[{"type":"apply_patch"}]}`)
	assert.Equal(t, []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.NewText("hi")}}}, r.Messages)
	assert.Empty(t, r.Tools)
	assert.Equal(t, []string{"Input", "TOOLS"}, r.Dropped)
}

func TestItemsOfOneTurnMakeOneMessage(t *testing.T) {
	r := mustDecode(
		t,
		`{"model":"m","input":[{"role":"user","content":"a"},{"role":"user","content":"b"},{"type":"function_call","call_id":"1","name":"f","arguments":"{}"},
 {"type":"reasoning","summary":[]},{"role":"assistant","content":"c"},{"type":"function_call","call_id":"2","name":"f","arguments":"{}"},
 {"type":"function_call_output","call_id":"2","output":"d"},{"type":"function_call_output","call_id":"1","output":"e"},
 {"role":"assistant","content":"f"},{"role":"assistant","content":"g"}]}`,
	)
	var roles []llm.Role
	var parts []int
	for _, m := range r.Messages {
		roles, parts = append(roles, m.Role), append(parts, len(m.Parts))
	}
	assert.Equal(t, []llm.Role{llm.User, llm.User, llm.Assistant, llm.ToolRole, llm.Assistant, llm.Assistant}, roles)
	assert.Equal(t, []int{1, 1, 3, 2, 1, 1}, parts)
}
