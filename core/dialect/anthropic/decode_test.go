package anthropic

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

// decode scans and decodes a request.
func decode(t testing.TB, body string) (*llm.Request, *core.Error) {
	x, e := scanRequest(body)
	require.Nil(t, e, "%v", e)
	return Messages{}.Decode(x)
}

func must(t testing.TB, body string) *llm.Request {
	r, e := decode(t, body)
	require.Nil(t, e, "%v", e)
	return r
}

func ptr[T any](v T) *T { return &v }

func user(parts ...llm.Part) llm.Message      { return llm.Message{Role: llm.User, Parts: parts} }
func assistant(parts ...llm.Part) llm.Message { return llm.Message{Role: llm.Assistant, Parts: parts} }

func TestEveryFieldThatOthersHaveIsDecoded(t *testing.T) {
	r := must(t, `{"model":"claude","max_tokens":64,"stream":true,"temperature":0.70,"top_p":0.9,"top_k":40,"stop_sequences":["a","\u0062"],
"metadata":{"user_id":"u1"},"system":"be \"kind\"","tool_choice":{"type":"any","disable_parallel_tool_use":true},
"output_config":{"effort":"max","format":{"type":"json_schema","schema":{"type":"object"}}},
"tools":[{"name":"f","description":"d","input_schema":{"type":"object", "n":1.0},"strict":true},{"type":"custom","name":"g","input_schema":{}}],
"messages":[{"role":"user","content":"x"}]}`)
	assert.Equal(t, &llm.Request{
		Model:       "claude",
		MaxTokens:   64,
		Stream:      true,
		StreamUsage: true,
		Temperature: "0.70",
		TopP:        "0.9",
		TopK:        "40",
		Stop:        []string{"a", "b"},
		User:        "u1",
		Messages:    []llm.Message{{Role: llm.System, Parts: []llm.Part{llm.NewText(`be "kind"`)}}, user(llm.NewText("x"))},
		Choice:      llm.Choice{Mode: llm.ChooseRequired},
		Parallel:    ptr(false),
		Effort:      llm.EffortXHigh,
		Format:      &llm.Format{Schema: json.RawMessage(`{"type":"object"}`), Strict: ptr(true)},
		Tools: []llm.Tool{
			{Name: "f", Description: "d", Schema: json.RawMessage(`{"type":"object", "n":1.0}`), Strict: ptr(true)},
			{Name: "g", Schema: json.RawMessage(`{}`)},
		},
	}, r)
}

func TestMessagesAreDecodedInTheirOrder(t *testing.T) {
	r := must(t, `{"model":"m","max_tokens":1,"system":[{"type":"text","text":"s1"},{"type":"text","text":"s2"}],"messages":[
{"role":"user","content":[{"type":"text","text":"what is this?"},{"type":"image","source":{"type":"url","url":"https://x/y.png"}},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBO"}}]},
{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"sig"},{"type":"redacted_thinking","data":"red"},{"type":"text","text":"let me see"},{"type":"tool_use","id":"t1","name":"f","input":{"a": 1.0}},{"type":"tool_use","id":"t2","name":"g","input":{}}]},
{"content":[{"type":"tool_result","tool_use_id":"t1","content":"r1"},{"type":"tool_result","tool_use_id":"t2","is_error":true,"content":[{"type":"text","text":"r2"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]},{"type":"mid_conv_system","content":[{"type":"text","text":"careful"}]},{"type":"text","text":"go on"}],"role":"user"},
{"role":"system","content":"now French"},
{"role":"user","content":""},
{"role":"assistant","content":"{"}]}`)
	assert.Empty(t, r.Dropped)
	assert.Equal(t, []llm.Message{
		{Role: llm.System, Parts: []llm.Part{llm.NewText("s1"), llm.NewText("s2")}},
		user(
			llm.NewText("what is this?"),
			llm.Part{Kind: llm.ImagePart, Image: &llm.Image{URL: "https://x/y.png"}},
			llm.Part{Kind: llm.ImagePart, Image: &llm.Image{MediaType: "image/png", Data: "iVBO"}},
		),
		assistant(
			llm.Part{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: "anthropic", Text: "hm", Signature: "sig"}},
			llm.Part{Kind: llm.ReasoningPart, Reasoning: &llm.Reasoning{Vendor: "anthropic", Encrypted: "red"}},
			llm.NewText("let me see"),
			llm.Part{Kind: llm.CallPart, Call: &llm.Call{ID: "t1", Name: "f", Input: `{"a": 1.0}`}},
			llm.Part{Kind: llm.CallPart, Call: &llm.Call{ID: "t2", Name: "g", Input: `{}`}},
		),
		{Role: llm.ToolRole, Parts: []llm.Part{
			{Kind: llm.ResultPart, Result: &llm.Result{CallID: "t1", Parts: []llm.Part{llm.NewText("r1")}}},
			{
				Kind: llm.ResultPart,
				Result: &llm.Result{
					CallID: "t2",
					Failed: true,
					Parts:  []llm.Part{llm.NewText("r2"), {Kind: llm.ImagePart, Image: &llm.Image{MediaType: "image/png", Data: "AAAA"}}},
				},
			},
		}},
		{Role: llm.System, Parts: []llm.Part{llm.NewText("careful")}},
		user(llm.NewText("go on")),
		{Role: llm.System, Parts: []llm.Part{llm.NewText("now French")}},
		user(llm.NewText("")),
		assistant(llm.NewText("{")),
	}, r.Messages)
}

func TestHowToolsAreChosenIsDecoded(t *testing.T) {
	for choice, want := range map[string]llm.Choice{
		`{"type":"auto"}`:            {Mode: llm.ChooseAuto},
		`{"type":"any"}`:             {Mode: llm.ChooseRequired},
		`{"type":"none"}`:            {Mode: llm.ChooseNone},
		`{"name":"f","type":"tool"}`: {Mode: llm.ChooseNamed, Names: []string{"f"}},
		`null`:                       {},
	} {
		r := must(t, withField(`"tool_choice":`+choice))
		assert.Equal(t, want, r.Choice, choice)
		assert.Nil(t, r.Parallel)
	}
	r := must(t, withField(`"tool_choice":{"type":"auto","disable_parallel_tool_use":false}`))
	assert.Equal(t, ptr(true), r.Parallel)
}

func TestExtendedThinkingIsCarriedForAWireToRefuse(t *testing.T) {
	for thinking, want := range map[string]string{
		`{"type":"enabled","budget_tokens":1024}`:  `{"type":"enabled","budget_tokens":1024}`,
		`{"type":"adaptive","display":"omitted"} `: `{"type":"adaptive","display":"omitted"}`,
		`{"type":"disabled"}`:                      "",
		`null`:                                     "",
	} {
		r := must(t, withField(`"thinking":`+thinking))
		assert.Equal(t, want, string(r.Thinking), thinking)
		e := wire.RefuseThinking(r, core.Traits{Label: "Groq"})
		assert.Equal(t, want != "", e != nil)
	}
}

func TestWhatOthersCannotSayIsDroppedAndCounted(t *testing.T) {
	for name, tc := range map[string]struct {
		body string
		want []string
	}{
		"cache control, once":          {withField(`"cache_control":{"type":"ephemeral"},"system":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]`), []string{"cache_control"}},
		"of a tool":                    {withField(`"tools":[{"name":"f","input_schema":{},"cache_control":{"type":"ephemeral"},"defer_loading":true,"input_examples":[]}]`), []string{"cache_control", "tools.defer_loading", "tools.input_examples"}},
		"unknown fields":               {withField(`"context_management":{},"service_tier":"auto","nothing":null`), []string{"context_management", "service_tier"}},
		"a key in another case":        {withField(`"Temperature":0.1`), []string{"Temperature"}},
		"metadata that is not an id":   {withField(`"metadata":{"user_id":{"a":"b"},"team":"t"}`), []string{"metadata.user_id", "metadata.team"}},
		"of the output":                {withField(`"output_config":{"mood":"good","format":{"type":"json_schema","schema":{},"x":1}}`), []string{"output_config.mood", "output_config.format.x"}},
		"of the choice":                {withField(`"tool_choice":{"type":"auto","x":1}`), []string{"tool_choice.x"}},
		"citations":                    {withBlock(`{"type":"text","text":"a","citations":[]}`), []string{"content.citations"}},
		"of a message":                 {withMessages(`{"role":"user","content":"x","mood":"good"}`), []string{"messages.mood"}},
		"a block of an unknown type":   {withBlock(`{"type":"text","text":"a"},{"type":"hologram","x":1}`), []string{"content.hologram"}},
		"a file":                       {withBlock(`{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0="}},{"type":"text","text":"a"}`), []string{"content.document"}},
		"a file by URL":                {withBlock(`{"type":"document","source":{"type":"url","url":"https://x/y.pdf"},"title":"t"}`), []string{"content.document"}},
		"a file kept at Anthropic":     {withBlock(`{"type":"document","source":{"type":"file","file_id":"f"}}`), []string{"content.document"}},
		"a file in a result":           {withBlock(`{"type":"tool_result","tool_use_id":"t","content":[{"type":"document","source":{"type":"url","url":"u"}}]}`), []string{"content.document"}},
		"citations of a text document": {withBlock(`{"type":"document","source":{"type":"text","media_type":"text/plain","data":"x"},"citations":{"enabled":true}}`), []string{"content.citations"}},
		"a search result":              {withBlock(`{"type":"search_result","source":"a","title":"b","content":[]}`), []string{"content.search_result"}},
		"blocks of server tools":       {withMessages(`{"role":"assistant","content":[{"type":"server_tool_use","id":"s","name":"web_search","input":{}},{"type":"text","text":"a"}]}`), []string{"content.server_tool_use"}},
		"a reference in a result":      {withBlock(`{"type":"tool_result","tool_use_id":"t","content":[{"type":"tool_reference","tool_name":"f"}]}`), []string{"content.tool_reference"}},
		"a result in a result":         {withBlock(`{"type":"tool_result","tool_use_id":"t","content":[{"type":"tool_result","tool_use_id":"u"}]}`), []string{"content.tool_result"}},
		"a call by the user":           {withBlock(`{"type":"tool_use","id":"t","name":"f","input":{}}`), []string{"content.tool_use"}},
		"thinking by the user":         {withBlock(`{"type":"thinking","thinking":"a","signature":"b"}`), []string{"content.thinking"}},
		"a picture by the model":       {withMessages(`{"role":"assistant","content":[{"type":"image","source":{"type":"url","url":"u"}}]}`), []string{"content.image"}},
		"a result by the model":        {withMessages(`{"role":"assistant","content":[{"type":"tool_result","tool_use_id":"u"}]}`), []string{"content.tool_result"}},
		"who called a tool, not kept":  {withMessages(`{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{},"caller":{"type":"direct"}}]}`), nil},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, must(t, tc.body).Dropped)
		})
	}
}

func TestWhatMakesNoSenseElsewhereIsRefused(t *testing.T) {
	for name, tc := range map[string]struct{ body, code, param string }{
		"a picture kept at Anthropic":   {withBlock(`{"type":"image","source":{"type":"file","file_id":"f"}}`), core.CodeUnsupported, "messages"},
		"a tool with a schema of its":   {withField(`"tools":[{"type":"bash_20250124","name":"bash"}]`), core.CodeUnsupported, "tools"},
		"a limit of 0":                  {`{"model":"m","max_tokens":0,"messages":[{"role":"user","content":"x"}]}`, core.CodeUnsupported, "max_tokens"},
		"an unknown choice":             {withField(`"tool_choice":{"type":"some"}`), core.CodeInvalidValue, "tool_choice"},
		"the choice of a tool unnamed":  {withField(`"tool_choice":{"type":"tool"}`), core.CodeMissingField, "tool_choice.name"},
		"the choice of a tool, no name": {withField(`"tool_choice":{"type":"tool","name":null}`), core.CodeMissingField, "tool_choice.name"},
	} {
		t.Run(name, func(t *testing.T) {
			_, e := decode(t, tc.body)
			require.NotNil(t, e)
			assert.Equal(t, tc.code, e.Code)
			assert.Equal(t, tc.param, e.Param)
			assert.Equal(t, core.InvalidRequest, e.Kind)
		})
	}
}

func TestTheTextOfADocumentIsText(t *testing.T) {
	png := llm.Part{Kind: llm.ImagePart, Image: &llm.Image{MediaType: "image/png", Data: "AAAA"}}
	for source, want := range map[string][]llm.Part{
		`{"type":"text","media_type":"text/plain","data":"all \u0061bout it"}`: {llm.NewText("all about it")},
		`{"type":"content","content":"all of it"}`:                             {llm.NewText("all of it")},
		`{"type":"content","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}},{"type":"text","text":"b"}]}`: {llm.NewText("a"), png, llm.NewText("b")},
	} {
		r := must(
			t,
			withBlock(`{"type":"document","title":"Report","context":"of May","source":`+source+`},{"type":"text","text":"What does it say?"}`),
		)
		assert.Empty(t, r.Dropped)
		parts := append([]llm.Part{llm.NewText("Report"), llm.NewText("of May")}, want...)
		assert.Equal(t, append(parts, llm.NewText("What does it say?")), r.Messages[0].Parts, source)
		r = must(t, withBlock(`{"type":"tool_result","tool_use_id":"t","content":[{"type":"document","source":`+source+`}]}`))
		assert.Equal(t, want, r.Messages[0].Parts[0].Result.Parts, "in a result")
	}
}
