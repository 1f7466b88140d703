package openai

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

func scanResponses(body string) (*core.Exchange, *core.Error) {
	x := &core.Exchange{}
	x.Request.Raw = []byte(body)
	return x, Responses{}.Scan(x)
}

// withMember is a small request with one more member.
func withMember(member string) string { return `{"model":"m","input":"hi",` + member + `}` }

// withItem is a request whose input is one item.
func withItem(item string) string { return `{"model":"m","input":[` + item + `]}` }

func TestAResponsesRequestThatIsRefused(t *testing.T) {
	for name, tc := range map[string]struct{ body, code, param string }{
		"no object":                    {`[]`, core.CodeInvalidValue, ""},
		"no JSON":                      {`{`, core.CodeInvalidJSON, ""},
		"a key twice":                  {withMember(`"input":"x"`), core.CodeDuplicateKey, ""},
		"no model":                     {`{"input":"x"}`, core.CodeMissingField, "model"},
		"no input":                     {`{"model":"m"}`, core.CodeMissingField, "input"},
		"input of another type":        {`{"model":"m","input":5}`, core.CodeInvalidValue, "input"},
		"no items":                     {`{"model":"m","input":[]}`, core.CodeInvalidValue, "input"},
		"an item that is a text":       {`{"model":"m","input":["x"]}`, core.CodeInvalidValue, "input[0]"},
		"an unknown role":              {withItem(`{"role":"tool","content":"x"}`), core.CodeInvalidValue, "input[0].role"},
		"a message without role":       {withItem(`{"type":"message","content":"x"}`), core.CodeMissingField, "input[0].role"},
		"a message without content":    {withItem(`{"role":"user"}`), core.CodeMissingField, "input[0].content"},
		"an item that is nothing":      {withItem(`{"content":"x"}`), core.CodeMissingField, "input[0].type"},
		"content that is an object":    {withItem(`{"role":"user","content":{"a":"x"}}`), core.CodeInvalidValue, "input[0].content"},
		"arguments that are no text":   {withItem(`{"type":"function_call","call_id":"c","name":"f","arguments":{}}`), core.CodeInvalidValue, "input[0].arguments"},
		"input that is parts":          {withItem(`{"type":"custom_tool_call","call_id":"c","name":"f","input":[]}`), core.CodeInvalidValue, "input[0].input"},
		"an output that is an object":  {withItem(`{"output":{},"type":"function_call_output","call_id":"c"}`), core.CodeInvalidValue, "input[0].output"},
		"a name that is a number":      {withItem(`{"type":"function_call","name":1}`), core.CodeInvalidValue, "input[0].name"},
		"a temperature out of range":   {withMember(`"temperature":3`), core.CodeInvalidValue, "temperature"},
		"a top_p out of range":         {withMember(`"top_p":1.5`), core.CodeInvalidValue, "top_p"},
		"a limit of nothing":           {withMember(`"max_output_tokens":0`), core.CodeInvalidValue, "max_output_tokens"},
		"a stream that is a text":      {withMember(`"stream":"yes"`), core.CodeInvalidValue, "stream"},
		"an unknown format":            {withMember(`"text":{"format":{"type":"xml"}}`), core.CodeInvalidValue, "text.format.type"},
		"instructions of another type": {withMember(`"instructions":[]`), core.CodeInvalidValue, "instructions"},
		"store":                        {withMember(`"store":true`), core.CodeUnsupported, "store"},
		"background":                   {withMember(`"background":true`), core.CodeUnsupported, "background"},
		"an earlier answer":            {withMember(`"previous_response_id":"resp_1"`), core.CodeUnsupported, "previous_response_id"},
		"a conversation":               {withMember(`"conversation":{"id":"conv_1"}`), core.CodeUnsupported, "conversation"},
		"a kept prompt":                {withMember(`"prompt":{"id":"pmpt_1"}`), core.CodeUnsupported, "prompt"},
		"a service tier":               {withMember(`"service_tier":"flex"`), core.CodeUnsupported, "service_tier"},
		"a sound":                      {withItem(`{"role":"user","content":[{"type":"input_audio"}]}`), core.CodeUnsupported, "input[0].content"},
		"tools that are not an array":  {withMember(`"tools":{}`), core.CodeInvalidValue, "tools"},
		"a tool without type":          {withMember(`"tools":[{"name":"f"}]`), core.CodeMissingField, "tools[0].type"},
		"a function without name":      {withMember(`"tools":[{"type":"function"}]`), core.CodeMissingField, "tools[0].name"},
		"a chat tool":                  {withMember(`"tools":[{"type":"function","function":{"name":"f"}}]`), core.CodeMissingField, "tools[0].name"},
		"a namespace in a namespace":   {withMember(`"tools":[{"type":"namespace","name":"n","tools":[{"type":"namespace","name":"m","tools":[]}]}]`), core.CodeInvalidValue, "tools[0].tools[0].tools"},
		"a tool in a namespace":        {withMember(`"tools":[{"type":"namespace","name":"n","tools":[{"type":"mcp"}]}]`), core.CodeUnsupported, "tools[0].tools[0].type"},
		"a tool that an item brings":   {withItem(`{"type":"additional_tools","role":"developer","tools":[{"type":"web_search"}]}`), core.CodeUnsupported, "input[0].tools[0].type"},
		"a shell in a container":       {withMember(`"tools":[{"environment":{"type":"container_auto"},"type":"shell"}]`), core.CodeUnsupported, "tools[0].type"},
	} {
		t.Run(name, func(t *testing.T) {
			_, e := scanResponses(tc.body)
			require.NotNil(t, e)
			assert.Equal(t, tc.code, e.Code)
			assert.Equal(t, tc.param, e.Param)
			assert.Equal(t, 400, e.HTTPStatus())
			assert.NotEmpty(t, e.Public)
		})
	}
}

func TestFilesThatNoGuardCanJudgeAreNotedInTheHead(t *testing.T) {
	for body, param := range map[string]string{
		withItem(`{"role":"user","content":[{"type":"input_file","file_id":"f"}]}`):                                          "input[0].content",
		withItem(`{"role":"user","content":[{"file_id":"f","type":"brand_new"}]}`):                                           "input[0].content",
		withItem(`{"role":"user","content":[{"file_url":"https://x.example/a.pdf","type":"input_file"}]}`):                   "input[0].content",
		withItem(`{"role":"user","content":[{"type":"input_file","file_data":["aGVsbG8="]}]}`):                               "input[0].content",
		withItem(`{"role":"user","content":[{"type":"input_file","file_data":"aGVsbG8="}]}`):                                 "input[0].content",
		withItem(`{"type":"function_call_output","call_id":"c","output":[{"file_data":"x","type":"input_file"}]}`):           "input[0].output",
		withItem(`{"role":"user","content":[{"type":"input_image","file_data":"data:application/pdf;base64,JVBERi0="}]}`):    "input[0].content",
		withItem(`{"role":"user","content":[{"type":"input_image","file_id":"f"}]}`):                                         "",
		withItem(`{"role":"user","content":[{"file_id":"f","type":"input_image"}]}`):                                         "",
		withItem(`{"role":"user","content":[{"type":"input_file","file_id":null,"file_data":"data:text/csv;base64,YSxi"}]}`): "",
	} {
		x, e := scanResponses(body)
		require.Nil(t, e, body)
		if param == "" {
			assert.Nil(t, x.Head.File, body)
			continue
		}
		require.NotNil(t, x.Head.File, body)
		assert.Equal(t, param, x.Head.File.Param)
		assert.Equal(t, core.CodeUnsupported, x.Head.File.Code)
	}
}

func TestToolsThatTheProviderRunsAreRefused(t *testing.T) {
	for _, typ := range []string{
		"web_search", "web_search_2025_08_26", "web_search_preview", "web_search_preview_2025_03_11", "file_search", "code_interpreter", "computer",
		"computer_use", "computer_use_preview", "mcp", "image_generation", "programmatic_tool_calling",
	} {
		_, e := scanResponses(withMember(`"tools":[{"type":"` + typ + `"}]`))
		require.NotNil(t, e, typ)
		assert.Equal(t, core.CodeUnsupported, e.Code)
		assert.Contains(t, e.Public, typ)
	}
	for _, member := range []string{"", `,"execution":"server"`} {
		_, e := scanResponses(withMember(`"tools":[{"type":"tool_search"` + member + `}]`))
		require.NotNil(t, e, "the provider searches unless the client says that it does")
		assert.Equal(t, "tools[0].type", e.Param)
	}
}

func TestWhatIsUnknownPassesToAProviderOfTheShape(t *testing.T) {
	for _, body := range []string{
		withMember(`"tools":[{"type":"apply_patch"},{"type":"shell","environment":{"type":"local"}},{"type":"tool_search","execution":"client"},{"type":"local_shell"},{"type":"brand_new","name":"b"}]`),
		withItem(`{"type":"item_reference","id":"msg_1"}`), withItem(`{"id":"msg_1"}`), withItem(`{"type":"compaction","encrypted_content":"gAAA"}`),
		withItem(`{"type":"apply_patch_call","call_id":"c","operation":{"type":"create_file","diff":"x"}}`), withItem(`{"type":"brand_new","content":{"a":"x"}}`),
		withMember(`"store":false,"background":null,"previous_response_id":null,"conversation":null,"prompt":null,"service_tier":"auto"`),
		withMember(`"store":null,"service_tier":"default","text":null,"reasoning":null,"tools":null,"tool_choice":null,"instructions":null`),
		withMember(`"stream_options":{"include_obfuscation":false},"include":["reasoning.encrypted_content"],"client_metadata":{"a":"b"},"context_management":[{"type":"compaction"}]`),
	} {
		_, e := scanResponses(body)
		assert.Nil(t, e, body)
	}
}

// everyResponsesField is a request with every text that is known, and what is not
// to be looked at beside it.
const everyResponsesField = `{"model":"gpt-5","instructions":"system text","input":[
 {"role":"user","content":"plain user"},
 {"type":"message","role":"developer","content":[{"type":"input_text","text":"developer text"}]},
 {"type":"message","role":"user","content":[{"type":"input_text","text":"part one "},{"type":"input_text","text":"part two"},{"type":"input_image","image_url":"https://quiet.example/x.png","detail":"auto"}]},
 {"id":"rs_quiet","type":"reasoning","summary":[{"type":"summary_text","text":"a summary"}],"encrypted_content":"quiet12345678"},
 {"type":"message","id":"msg_quiet","role":"assistant","status":"completed","content":[{"type":"output_text","text":"an answer","annotations":[]},{"type":"refusal","refusal":"a refusal"}]},
 {"type":"function_call","id":"fc_quiet","call_id":"call_quiet","name":"quiet_name","namespace":"quiet_ns","arguments":"{\"city\":\"arg text\",\"n\":12345678}","status":"completed"},
 {"type":"function_call_output","call_id":"call_quiet","output":"tool text"},
 {"type":"function_call_output","call_id":"call_quiet","output":[{"type":"input_text","text":"tool part"},{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo="}]},
 {"type":"custom_tool_call","call_id":"call_quiet","name":"quiet_name","input":"free text"},
 {"type":"custom_tool_call_output","call_id":"call_quiet","output":"custom result"},
 {"type":"tool_search_call","call_id":"call_quiet","execution":"client","arguments":{"goal":"search text"}},
 {"type":"tool_search_output","call_id":"call_quiet","execution":"client","tools":[{"type":"function","name":"found","description":"found text","parameters":{"type":"object","properties":{"a":{"type":"string","description":"property text"}}}}]},
 {"type":"additional_tools","role":"developer","tools":[{"type":"custom","name":"added","description":"added text"}]},
 {"type":"compaction","id":"cmp_quiet","encrypted_content":"quiet"},
 {"type":"shell_call_output","call_id":"call_quiet","output":[{"stdout":"shell text"}]}
],"tools":[{"type":"function","name":"f","description":"function text","parameters":{"type":"object","properties":{"name":{"description":"name text","enum":["quiet"]}}},"strict":true},
 {"type":"custom","name":"c","description":"custom text","format":{"type":"grammar","syntax":"lark","definition":"start: text"}},
 {"type":"namespace","name":"crm","description":"namespace text","tools":[{"type":"function","name":"get","description":"inner text","parameters":{}}]},
 {"type":"tool_search","execution":"client","description":"search tool text","parameters":{}}],
"text":{"format":{"type":"json_schema","name":"quiet","schema":{"description":"schema text"}},"verbosity":"low"},
"reasoning":{"effort":"high","summary":"auto"},"metadata":{"note":"metadata text"},"user":"u1","prompt_cache_key":"quiet","include":["quiet"],"unknown":{"deep":["other text"]},"max_output_tokens":100,"stream":true}`

func TestEveryTextOfAResponsesRequestIsFound(t *testing.T) {
	x, e := scanResponses(everyResponsesField)
	require.Nil(t, e)
	type text struct {
		role core.Role
		kind core.SegmentKind
		text string
	}
	var got []text
	for i := range x.Request.Segments {
		s := &x.Request.Segments[i]
		got = append(got, text{s.Role, s.Kind, x.Request.ReadText(i)})
	}
	assert.Equal(t, []text{
		{core.RoleSystem, core.KindText, "system text"},
		{core.RoleUser, core.KindText, "plain user"},
		{core.RoleSystem, core.KindText, "developer text"},
		{core.RoleUser, core.KindText, "part one "},
		{core.RoleUser, core.KindText, "part two"},
		{core.RoleAssistant, core.KindReasoning, "a summary"},
		{core.RoleAssistant, core.KindText, "an answer"},
		{core.RoleAssistant, core.KindRefusal, "a refusal"},
		{core.RoleAssistant, core.KindToolArgs, "city"},
		{core.RoleAssistant, core.KindToolArgs, "arg text"},
		{core.RoleAssistant, core.KindToolArgs, "n"},
		{core.RoleAssistant, core.KindToolArgs, "12345678"},
		{core.RoleTool, core.KindToolResult, "tool text"},
		{core.RoleTool, core.KindToolResult, "tool part"},
		{core.RoleAssistant, core.KindToolArgs, "free text"},
		{core.RoleTool, core.KindToolResult, "custom result"},
		{core.RoleAssistant, core.KindToolArgs, "search text"},
		{core.RoleSystem, core.KindDefinition, "found text"},
		{core.RoleSystem, core.KindDefinition, "property text"},
		{core.RoleSystem, core.KindDefinition, "added text"},
		{core.RoleAssistant, core.KindOther, "shell text"},
		{core.RoleSystem, core.KindDefinition, "function text"},
		{core.RoleSystem, core.KindDefinition, "name text"},
		{core.RoleSystem, core.KindDefinition, "custom text"},
		{core.RoleSystem, core.KindDefinition, "start: text"},
		{core.RoleSystem, core.KindDefinition, "namespace text"},
		{core.RoleSystem, core.KindDefinition, "inner text"},
		{core.RoleSystem, core.KindDefinition, "search tool text"},
		{core.RoleSystem, core.KindDefinition, "schema text"},
		{core.RoleSystem, core.KindOther, "metadata text"},
		{core.RoleSystem, core.KindOther, "u1"},
		{core.RoleSystem, core.KindOther, "other text"},
	}, got)
	for i := range x.Request.Segments {
		if x.Request.ReadText(i) == "part two" {
			assert.True(t, x.Request.Segments[i].Joined, "parts of one message are read as one")
		}
	}
	assert.Equal(t, core.Head{
		Model: "gpt-5", Stream: true, MaxTokens: 100, Messages: 15, Tools: []string{"found", "added", "f", "c", "crm__get", "tool_search"},
		Images: true, Format: llm.FormatSchema, Effort: "high", User: "u1",
	}, x.Head)
}

// TestQuietFieldsOfTheResponsesShape has a row for each name of the table.
func TestQuietFieldsOfTheResponsesShape(t *testing.T) {
	for name := range responsesQuiet {
		x, e := scanResponses(withItem(`{"type":"brand_new","deep":{"` + name + `":"quiet"}}`))
		require.Nil(t, e, name)
		assert.Empty(t, x.Request.Segments, name)
	}
	x, e := scanResponses(withItem(`{"type":"brand_new","deep":{"loud":"text"}}`))
	require.Nil(t, e)
	assert.Len(t, x.Request.Segments, 1)
}

func forwardResponses(t testing.TB, body string, traits core.Traits) string {
	x, e := scanResponses(body)
	require.Nil(t, e)
	cuts, e := Responses{}.AppendForwardCuts(x, traits, nil)
	require.Nil(t, e)
	out, err := splice.Apply(x.Request.Raw, cuts)
	require.NoError(t, err)
	return string(out)
}

func TestForwardCutsInTheModelTheLimitAndNothingElse(t *testing.T) {
	for name, tc := range map[string]struct {
		body, want string
		traits     core.Traits
	}{
		"nothing to do":            {withMember(`"x" : 1.50`), withMember(`"x" : 1.50`), core.Traits{Model: "m"}},
		"the routed model":         {`{ "model" : "m", "input":"hi" }`, `{ "model" : "g\"5", "input":"hi" }`, core.Traits{Model: `g"5`}},
		"a limit by default":       {withMember(`"x":1`), `{"max_output_tokens":4096,"model":"m","input":"hi","x":1}`, core.Traits{Model: "m", DefaultCap: 4096}},
		"the client's limit stays": {withMember(`"max_output_tokens":50`), withMember(`"max_output_tokens":50`), core.Traits{Model: "m", DefaultCap: 4096, Cap: 60}},
		"a lower limit":            {withMember(`"max_output_tokens":50`), withMember(`"max_output_tokens":40`), core.Traits{Model: "m", Cap: 40}},
		"a limit of null":          {withMember(`"max_output_tokens": null`), withMember(`"max_output_tokens": 40`), core.Traits{Model: "m", DefaultCap: 40}},
		"nothing stored":           {withMember(`"x":1`), `{"store":false,"model":"m","input":"hi","x":1}`, core.Traits{Model: "m", NoStore: true}},
		"nothing stored, as asked": {withMember(`"store":false`), withMember(`"store":false`), core.Traits{Model: "m", NoStore: true}},
		"nothing stored, not said": {withMember(`"store":null`), withMember(`"store":false`), core.Traits{Model: "m", NoStore: true}},
		"store is left as it came": {withMember(`"store":null`), withMember(`"store":null`), core.Traits{Model: "m"}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, forwardResponses(t, tc.body, tc.traits))
		})
	}
}

func TestToolsAndAnEffortMakeADetour(t *testing.T) {
	for want, heads := range map[bool][]core.Head{
		true:  {{Tools: []string{"f"}, Effort: "low"}, {Tools: []string{"f"}, Effort: "minimal"}},
		false: {{}, {Tools: []string{"f"}}, {Tools: []string{"f"}, Effort: "none"}, {Effort: "high"}},
	} {
		for i := range heads {
			assert.Equal(t, want, DetoursToResponses(&heads[i]), "%+v", heads[i])
		}
	}
}

func TestTheTextsOfAWholeResponseAreFound(t *testing.T) {
	x := &core.Exchange{}
	x.Request.Raw = []byte(`{"instructions":"echo"}`)
	x.Response.Raw = []byte(`{"id":"resp_1","object":"response","instructions":"echo","error":null,"output":[
 {"id":"rs","type":"reasoning","summary":[{"type":"summary_text","text":"summary"}],"content":[{"type":"reasoning_text","text":"raw"}],"encrypted_content":"sealed 12345678"},
 {"id":"msg","type":"message","content":[{"type":"output_text","text":"text","annotations":[{"type":"url_citation","url":"https://quiet","title":"title"}],"logprobs":[{"token":"text"}]},{"type":"refusal","refusal":"no"}]},
 {"id":"fc","type":"function_call","call_id":"c","name":"f","arguments":"{\"a\":\"arg\"}"},
 {"id":"ct","type":"custom_tool_call","call_id":"c","name":"f","input":"free"},
 {"id":"ts","type":"tool_search_call","call_id":"c","execution":"client","arguments":{"goal":"goal"}},
 {"id":"sh","type":"shell_call","call_id":"c","action":{"commands":["ls"]}}
],"usage":{"input_tokens":10,"input_tokens_details":{"cached_tokens":4,"cache_write_tokens":3},"output_tokens":6,"output_tokens_details":{"reasoning_tokens":2},"total_tokens":16}}`)
	require.NoError(t, Responses{}.ScanResponse(x))
	var got []string
	for i := range x.Response.Segments {
		got = append(got, x.Response.ReadText(i))
	}
	assert.Equal(t, []string{"summary", "raw", "text", "title", "no", "a", "arg", "free", "goal", "goal", "ls"}, got)
	assert.Equal(t, core.KindReasoning, x.Response.Segments[0].Kind)
	assert.Equal(t, core.KindReasoning, x.Response.Segments[1].Kind)
	require.Len(t, x.Response.Tied, 1)
	assert.Equal(t, `[{"token":"text"}]`, string(x.Response.Raw[x.Response.Tied[0].Span.Start:x.Response.Tied[0].Span.End]))
	assert.Equal(t, int64(10), x.Usage.Input)
	assert.Equal(t, int64(4), x.Usage.Cached)
	assert.Equal(t, int64(3), x.Usage.Written)
	assert.Equal(t, int64(2), x.Usage.Reasoning)
	for _, body := range []string{`[]`, `{`, `{"a":1,"a":1}`, ``} {
		x.Response.Raw = []byte(body)
		assert.Error(t, Responses{}.ScanResponse(x), body)
	}
}
