package anthropic

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

func scanRequest(body string) (*core.Exchange, *core.Error) {
	x := &core.Exchange{}
	x.Request.Raw = []byte(body)
	return x, Messages{}.Scan(x)
}

// withField is a request that is whole but for one more field.
func withField(field string) string {
	return `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"}],` + field + `}`
}

func withMessages(list string) string {
	return `{"model":"m","max_tokens":9,"messages":[` + list + `]}`
}

func withBlock(block string) string {
	return withMessages(`{"role":"user","content":[` + block + `]}`)
}

func TestWhatNoProviderCouldReadIsRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		body, code, param string
	}{
		"no JSON":                          {`{"model"`, core.CodeInvalidJSON, ""},
		"no object":                        {`[]`, core.CodeInvalidValue, ""},
		"a key twice":                      {`{"model":"m","model":"n"}`, core.CodeDuplicateKey, ""},
		"a key twice, deep in an input":    {withMessages(`{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{"a":1,"a":2}}]}`), core.CodeDuplicateKey, ""},
		"no model":                         {`{"max_tokens":1,"messages":[{"role":"user","content":"x"}]}`, core.CodeMissingField, "model"},
		"an empty model":                   {`{"model":"","messages":[{"role":"user","content":"x"}]}`, core.CodeInvalidValue, "model"},
		"a model that is not a string":     {`{"model":1,"messages":[]}`, core.CodeInvalidValue, "model"},
		"a model without end":              {`{"model":"` + strings.Repeat("m", 513) + `","messages":[]}`, core.CodeInvalidValue, "model"},
		"no messages":                      {`{"model":"m"}`, core.CodeMissingField, "messages"},
		"empty messages":                   {`{"model":"m","messages":[]}`, core.CodeInvalidValue, "messages"},
		"messages that are not a list":     {`{"model":"m","messages":{}}`, core.CodeInvalidValue, "messages"},
		"a message that is not an object":  {withMessages(`"x"`), core.CodeInvalidValue, "messages[0]"},
		"a message without a role":         {withMessages(`{"content":"x"}`), core.CodeMissingField, "messages[0].role"},
		"an unknown role":                  {withMessages(`{"role":"tool","content":"x"}`), core.CodeInvalidValue, "messages[0].role"},
		"a role that is not a string":      {withMessages(`{"role":1,"content":"x"}`), core.CodeInvalidValue, "messages[0].role"},
		"a message without content":        {withMessages(`{"role":"user"}`), core.CodeMissingField, "messages[0].content"},
		"content that is null":             {withMessages(`{"role":"user","content":null}`), core.CodeInvalidValue, "messages[0].content"},
		"a block that is not an object":    {withBlock(`"x"`), core.CodeInvalidValue, "content"},
		"a block without a type":           {withBlock(`{"text":"x"}`), core.CodeMissingField, "content.type"},
		"text that is not a string":        {withBlock(`{"type":"text","text":1}`), core.CodeInvalidValue, "content"},
		"an input that is not an object":   {withBlock(`{"type":"tool_use","id":"a","name":"f","input":"x"}`), core.CodeInvalidValue, "content.input"},
		"a container upload":               {withBlock(`{"type":"container_upload","file_id":"f"}`), core.CodeUnsupported, "messages"},
		"a system that is not text":        {withField(`"system":{}`), core.CodeInvalidValue, "system"},
		"max_tokens below 0":               {`{"model":"m","max_tokens":-1,"messages":[{"role":"user","content":"x"}]}`, core.CodeInvalidValue, "max_tokens"},
		"max_tokens that is a fraction":    {`{"model":"m","max_tokens":1.5,"messages":[{"role":"user","content":"x"}]}`, core.CodeInvalidValue, "max_tokens"},
		"a temperature above 1":            {withField(`"temperature":1.01`), core.CodeInvalidValue, "temperature"},
		"a temperature below 0":            {withField(`"temperature":-0.1`), core.CodeInvalidValue, "temperature"},
		"a temperature that is a string":   {withField(`"temperature":"1"`), core.CodeInvalidValue, "temperature"},
		"top_p above 1":                    {withField(`"top_p":2`), core.CodeInvalidValue, "top_p"},
		"top_k below 0":                    {withField(`"top_k":-1`), core.CodeInvalidValue, "top_k"},
		"a stream that is not a boolean":   {withField(`"stream":"yes"`), core.CodeInvalidValue, "stream"},
		"stop sequences that are a string": {withField(`"stop_sequences":"x"`), core.CodeInvalidValue, "stop_sequences"},
		"a stop sequence that is a number": {withField(`"stop_sequences":[1]`), core.CodeInvalidValue, "stop_sequences"},
		"metadata that is a string":        {withField(`"metadata":"x"`), core.CodeInvalidValue, "metadata"},
		"tools that are not a list":        {withField(`"tools":{}`), core.CodeInvalidValue, "tools"},
		"a tool that is not an object":     {withField(`"tools":[1]`), core.CodeInvalidValue, "tools"},
		"a tool without a name":            {withField(`"tools":[{"input_schema":{}}]`), core.CodeMissingField, "tools.name"},
		"a tool choice that is a string":   {withField(`"tool_choice":"auto"`), core.CodeInvalidValue, "tool_choice"},
		"thinking that is a boolean":       {withField(`"thinking":true`), core.CodeInvalidValue, "thinking"},
		"an output format of text":         {withField(`"output_config":{"format":"json"}`), core.CodeInvalidValue, "output_config.format"},
		"an effort that is a number":       {withField(`"output_config":{"effort":1}`), core.CodeInvalidValue, "output_config.effort"},
		"a search at the provider":         {withField(`"tools":[{"type":"web_search_20250305","name":"web_search"}]`), core.CodeUnsupported, "tools"},
		"a fetch at the provider":          {withField(`"tools":[{"type":"web_fetch_20260318","name":"web_fetch"}]`), core.CodeUnsupported, "tools"},
		"code run at the provider":         {withField(`"tools":[{"name":"code_execution","type":"code_execution_20260521"}]`), core.CodeUnsupported, "tools"},
		"tools searched at the provider":   {withField(`"tools":[{"type":"tool_search_tool_bm25","name":"t"}]`), core.CodeUnsupported, "tools"},
		"a toolset of an MCP server":       {withField(`"tools":[{"type":"mcp_toolset","mcp_server_name":"s"}]`), core.CodeUnsupported, "tools"},
		"a tool of a type yet to come":     {withField(`"tools":[{"type":"bash_at_provider_20270101","name":"t"}]`), core.CodeUnsupported, "tools"},
		"MCP servers":                      {withField(`"mcp_servers":[{"type":"url","url":"https://x","name":"s"}]`), core.CodeUnsupported, "mcp_servers"},
		"MCP servers of another form":      {withField(`"mcp_servers":{}`), core.CodeUnsupported, "mcp_servers"},
		"a container":                      {withField(`"container":"container_1"`), core.CodeUnsupported, "container"},
		"a container with skills":          {withField(`"container":{"skills":[]}`), core.CodeUnsupported, "container"},
	} {
		t.Run(name, func(t *testing.T) {
			x, e := scanRequest(tc.body)
			require.NotNil(t, e)
			assert.Equal(t, tc.code, e.Code)
			assert.Equal(t, tc.param, e.Param)
			assert.Equal(t, 400, e.HTTPStatus())
			assert.NotEmpty(t, e.Public)
			_ = x
		})
	}
}

func TestWhatTheShapeAllowsIsAccepted(t *testing.T) {
	for name, body := range map[string]string{
		"no limit, which a default may fill":  `{"model":"m","messages":[{"role":"user","content":"x"}]}`,
		"a limit of null":                     `{"model":"m","max_tokens":null,"messages":[{"role":"user","content":"x"}]}`,
		"a limit of 0, which fills the cache": `{"model":"m","max_tokens":0,"messages":[{"role":"user","content":"x"}]}`,
		"fields that are null":                withField(`"system":null,"temperature":null,"tools":null,"tool_choice":null,"thinking":null,"metadata":null,"stop_sequences":null,"container":null,"mcp_servers":null,"output_config":{"format":null,"effort":null},"stream":null`),
		"no MCP servers":                      withField(`"mcp_servers":[ ]`),
		"tools that the caller runs":          withField(`"tools":[{"type":"bash_20250124","name":"bash"},{"type":"text_editor_20250728","name":"e"},{"type":"memory_20250818","name":"memory"},{"type":"computer_20251124","name":"c","display_width_px":1},{"type":"custom","name":"f","input_schema":{}},{"type":null,"name":"g","input_schema":{}}]`),
		"an empty last answer":                withMessages(`{"role":"user","content":"x"},{"role":"assistant","content":[]}`),
		"a block of an unknown type":          withBlock(`{"type":"hologram","caption":"x","content":{"a":"b"},"source":"c"}`),
		"a number spelled as no other":        `{"model":"m","max_tokens":1.0e2,"messages":[{"role":"user","content":"x"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, e := scanRequest(body)
			assert.Nil(t, e)
		})
	}
}

func TestTheHeadOfARequestIsRead(t *testing.T) {
	x, e := scanRequest(
		`{"model":"claude-\u006d","max_tokens":64,"stream":true,"metadata":{"user_id":"user-7"},"output_config":{"effort":"high","format":{"type":"json_schema","schema":{}}},
"tools":[{"name":"a","input_schema":{}},{"name":"b","input_schema":{}}],
"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"image","source":{"type":"url","url":"https://x/y.png"}}]}]}]}`,
	)
	require.Nil(t, e)
	assert.Equal(t, core.Head{
		Model: "claude-m", Stream: true, MaxTokens: 64, Messages: 3, Tools: []string{"a", "b"}, Images: true,
		Format: llm.FormatSchema, Effort: "high", User: "user-7",
	}, x.Head)
}

func TestTheHeadOutlivesTheBodyThatItWasReadFrom(t *testing.T) {
	x, e := scanRequest(withField(`"metadata":{"user_id":"u1"},"output_config":{"effort":"high"},"tools":[{"name":"f","input_schema":{}}]`))
	require.Nil(t, e)
	clear(x.Request.Raw)
	assert.Equal(t, []string{"f"}, x.Head.Tools)
	assert.Equal(t, "u1", x.Head.User)
	assert.Equal(t, "high", x.Head.Effort)
}

func TestOnlyAPlainIDIsTheEndUser(t *testing.T) {
	for name, tc := range map[string]struct {
		value, want string
		texts       int
	}{
		"an id":                 {`"user_0af-3"`, "user_0af-3", 2},
		"an object":             {`{"device_id":"d","session":"joe@example.com"}`, "", 3},
		"an object as text":     {`"{\"device_id\":\"d\"}"`, "", 2},
		"with space before it":  {`"  {\"device_id\":\"d\"}"`, "", 2},
		"a list as text":        {`"[1]"`, "", 2},
		"a string as JSON text": {`"\"x\""`, "", 2},
		"nothing":               {`""`, "", 1},
		"null":                  {`null`, "", 1},
		"a number":              {`7`, "", 1},
		"several lines":         {`"a\nb"`, "", 2},
		"no end of it":          {`"` + strings.Repeat("u", 513) + `"`, "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			x, e := scanRequest(withField(`"metadata":{"user_id":` + tc.value + `}`))
			require.Nil(t, e)
			assert.Equal(t, tc.want, x.Head.User)
			assert.Len(t, x.Request.Segments, tc.texts, "the guards look at it")
		})
	}
}
