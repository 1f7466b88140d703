package openai

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

// scanRequest reads a request.
func scanRequest(body string) (*core.Exchange, *core.Error) {
	x := &core.Exchange{Dialect: ChatName}
	x.Request.Raw = []byte(body)
	return x, Chat{}.Scan(x)
}

// withField is a request that has one field more.
func withField(member string) string {
	return `{"model":"m","messages":[{"role":"user","content":"hi"}],` + member + `}`
}

// withMessage is a request that has one message.
func withMessage(m string) string { return `{"model":"m","messages":[` + m + `]}` }

func TestEachFieldTakesItsTypeAndRangeAndNothingElse(t *testing.T) {
	for field, tc := range map[string]struct{ good, bad []string }{
		"stream":                {[]string{`true`, `false`, `null`}, []string{`1`, `"true"`, `{}`, `[]`}},
		"temperature":           {[]string{`0`, `2`, `1.0e0`, `0.7`, `null`, `-0`}, []string{`-0.1`, `2.01`, `"1"`, `1e400`, `true`}},
		"top_p":                 {[]string{`0`, `1`, `null`}, []string{`-1`, `1.1`, `[]`}},
		"frequency_penalty":     {[]string{`-2`, `2.0`, `null`}, []string{`-2.1`, `3`, `"x"`}},
		"presence_penalty":      {[]string{`-2`, `2.0`, `null`}, []string{`-2.1`, `3`, `{}`}},
		"max_tokens":            {[]string{`1`, `1.0e2`, `null`, `4096`}, []string{`0`, `-1`, `1.5`, `"5"`, `12345678901234567890`, `{}`}},
		"max_completion_tokens": {[]string{`1`, `1.0e2`, `null`}, []string{`0`, `-1`, `1.5`, `"5"`, `true`}},
		"n":                     {[]string{`1`, `4`, `null`}, []string{`0`, `-1`, `1.5`, `"1"`}},
		"seed":                  {[]string{`0`, `-5`, `12345678901234567890`, `1e3`, `null`}, []string{`1.5`, `"1"`, `1e-3`, `[]`}},
		"user":                  {[]string{`"u"`, `""`, `null`}, []string{`1`, `{}`, `"` + strings.Repeat("u", 513) + `"`}},
		"reasoning_effort":      {[]string{`"low"`, `null`}, []string{`1`, `{}`}},
		"parallel_tool_calls":   {[]string{`true`, `null`}, []string{`"no"`, `0`}},
		"tool_choice":           {[]string{`"auto"`, `{"type":"function","function":{"name":"f"}}`, `null`}, []string{`1`, `[]`, `true`}},
		"tools":                 {[]string{`[]`, `null`, `[{"type":"function","function":{"name":"f"}}]`, `[{"type":"custom","custom":{"name":"f"}}]`}, []string{`{}`, `"x"`, `[1]`, `[{"function":{}}]`, `[{"type":1}]`, `[{"type":"function","function":[]}]`, `[{"type":"function","function":{"name":1}}]`}},
		"stop":                  {[]string{`"x"`, `["x","y"]`, `[]`, `null`}, []string{`1`, `[1]`, `{}`}},
		"response_format":       {[]string{`{"type":"json_object"}`, `null`}, []string{`"json"`, `[]`, `1`}},
		"an_unknown_one":        {[]string{`1`, `{"a":[null]}`, `12345678901234567890`, `"\ud83d\ude00"`}, nil},
	} {
		for _, v := range tc.good {
			t.Run(field+" takes "+v, func(t *testing.T) {
				_, e := scanRequest(withField(`"` + field + `": ` + v))
				assert.Nil(t, e)
			})
		}
		for _, v := range tc.bad {
			t.Run(field+" refuses "+v[:min(len(v), 30)], func(t *testing.T) {
				_, e := scanRequest(withField(`"` + field + `":` + v))
				require.NotNil(t, e)
				assert.Equal(t, 400, e.HTTPStatus())
				assert.Contains(t, []string{core.CodeInvalidValue, core.CodeUnsupported, core.CodeMissingField}, e.Code)
				assert.Contains(t, e.Param, field)
			})
		}
	}
}

func TestWhatNoProviderCouldReadOneWayOnlyIsRefused(t *testing.T) {
	for name, tc := range map[string]struct{ body, code, param string }{
		"nothing":                          {``, core.CodeInvalidJSON, ""},
		"white space":                      {"  \n", core.CodeInvalidJSON, ""},
		"an array":                         {`[]`, core.CodeInvalidValue, ""},
		"a text":                           {`"x"`, core.CodeInvalidValue, ""},
		"two bodies":                       {withMessage(`{"role":"user","content":"x"}`) + `{}`, core.CodeInvalidJSON, ""},
		"a comma too many":                 {`{"model":"m",}`, core.CodeInvalidJSON, ""},
		"a NaN":                            {withField(`"x":NaN`), core.CodeInvalidJSON, ""},
		"invalid UTF-8":                    {withField("\"x\":\"\xff\""), core.CodeInvalidJSON, ""},
		"a lone surrogate":                 {withField(`"x":"\ud83d"`), core.CodeInvalidJSON, ""},
		"a byte order mark":                {"\ufeff" + withField(`"x":1`), core.CodeInvalidJSON, ""},
		"a control character":              {withField("\"x\":\"\x01\""), core.CodeInvalidJSON, ""},
		"too deep":                         {withField(`"x":` + strings.Repeat("[", 600) + strings.Repeat("]", 600)), core.CodeInvalidJSON, ""},
		"a key twice at the top":           {withField(`"model":"n"`), core.CodeDuplicateKey, ""},
		"a key twice, once in escapes":     {withField(`"mod\u0065l":"n"`), core.CodeDuplicateKey, ""},
		"a key twice in a message":         {withMessage(`{"role":"user","content":"x","role":"user"}`), core.CodeDuplicateKey, ""},
		"a key twice in a part":            {withMessage(`{"role":"user","content":[{"type":"text","text":"a","text":"b"}]}`), core.CodeDuplicateKey, ""},
		"a key twice in a tool":            {withField(`"tools":[{"type":"function","function":{"name":"f","name":"g"}}]`), core.CodeDuplicateKey, ""},
		"a key twice in an unknown member": {withField(`"x":[{"y":{"a":1,"a":1}}]`), core.CodeDuplicateKey, ""},
		"a key twice in stream options":    {withField(`"stream":true,"stream_options":{"include_usage":true,"include_usage":true}`), core.CodeDuplicateKey, ""},
		"no model":                         {`{"messages":[{"role":"user","content":"x"}]}`, core.CodeMissingField, "model"},
		"a model that is null":             {`{"model":null,"messages":[{"role":"user","content":"x"}]}`, core.CodeInvalidValue, "model"},
		"a model without a name":           {`{"model":"","messages":[{"role":"user","content":"x"}]}`, core.CodeInvalidValue, "model"},
		"a very long model":                {`{"model":"` + strings.Repeat("m", 600) + `","messages":[{"role":"user","content":"x"}]}`, core.CodeInvalidValue, "model"},
		"no messages":                      {`{"model":"m"}`, core.CodeMissingField, "messages"},
		"messages that are empty":          {withMessage(``), core.CodeInvalidValue, "messages"},
		"messages that are null":           {`{"model":"m","messages":null}`, core.CodeInvalidValue, "messages"},
		"a message that is a text":         {withMessage(`"x"`), core.CodeInvalidValue, "messages[0]"},
		"a message without a role":         {withMessage(`{"content":"x"}`), core.CodeMissingField, "messages[0].role"},
		"an unknown role":                  {withMessage(`{"role":"king","content":"x"}`), core.CodeInvalidValue, "messages[0].role"},
		"a role that is a number":          {withMessage(`{"role":1,"content":"x"}`), core.CodeInvalidValue, "messages[0].role"},
		"a message without content":        {withMessage(`{"role":"user"}`), core.CodeMissingField, "messages[0].content"},
		"content that is null":             {withMessage(`{"role":"user","content":null}`), core.CodeMissingField, "messages[0].content"},
		"content that is a number":         {withMessage(`{"role":"user","content":1}`), core.CodeInvalidValue, "messages[0].content"},
		"a part that is a text":            {withMessage(`{"role":"user","content":["x"]}`), core.CodeInvalidValue, "messages[0].content"},
		"a part with text that is none":    {withMessage(`{"role":"user","content":[{"type":"text","text":1}]}`), core.CodeInvalidValue, "messages[0].content"},
		"the second message":               {withMessage(`{"role":"user","content":"x"},{"role":"user"}`), core.CodeMissingField, "messages[1].content"},
		"two limits that differ":           {withField(`"max_tokens":5,"max_completion_tokens":6`), core.CodeInvalidValue, "max_tokens"},
		"stream options without a stream":  {withField(`"stream_options":{"include_usage":true}`), core.CodeInvalidValue, "stream_options"},
		"stream options that are none":     {withField(`"stream":true,"stream_options":1`), core.CodeInvalidValue, "stream_options"},
		"usage that is not a boolean":      {withField(`"stream":true,"stream_options":{"include_usage":1}`), core.CodeInvalidValue, "stream_options.include_usage"},
		"a tool of another type":           {withField(`"tools":[{"type":"web_search"}]`), core.CodeUnsupported, "tools"},
		"a tool whose type is null":        {withField(`"tools":[{"type":null}]`), core.CodeUnsupported, "tools"},
		"arguments that are an object":     {withMessage(`{"role":"assistant","tool_calls":[{"function":{"arguments":{}}}]}`), core.CodeInvalidValue, "messages[0].tool_calls"},
		"a tool call that is a text":       {withMessage(`{"role":"assistant","tool_calls":["x"]}`), core.CodeInvalidValue, "messages[0].tool_calls"},
		"a tool call id that is a number":  {withMessage(`{"role":"tool","content":"x","tool_call_id":1}`), core.CodeInvalidValue, "messages[0].tool_call_id"},
		"the first of two faults is named": {withField(`"temperature":9,"top_p":9`), core.CodeInvalidValue, "temperature"},
		"broken JSON before a wrong type":  {withField(`"temperature":9,"x":`), core.CodeInvalidJSON, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, e := scanRequest(tc.body)
			require.NotNil(t, e)
			assert.Equal(t, 400, e.HTTPStatus())
			assert.Equal(t, "invalid_request_error", e.Type())
			assert.Equal(t, tc.code, e.Code)
			assert.Equal(t, tc.param, e.Param)
			assert.NotEmpty(t, e.Public)
		})
	}
}

func TestARequestIsRefusedNotCrashedWhereverItIsCut(t *testing.T) {
	body := bodyOfEverything
	for n := range len(body) {
		_, e := scanRequest(body[:n])
		require.NotNil(t, e, "cut at %d", n)
		require.Equal(t, core.CodeInvalidJSON, e.Code, "cut at %d", n)
	}
	_, e := scanRequest(body)
	require.Nil(t, e)
}

func TestAnErrorHoldsNothingOfTheBody(t *testing.T) {
	const secret = "s3cret"
	for _, body := range []string{
		withField(`"temperature":"` + secret + `"`), withMessage(`{"role":"` + secret + `","content":"x"}`), withField(`"x":"` + secret),
		withField(`"` + secret + `":1,"` + secret + `":2`), withField(`"tools":[{"type":"` + secret + `"}]`), secret,
	} {
		_, e := scanRequest(body)
		require.NotNil(t, e)
		assert.NotContains(t, string(Chat{}.AppendError(nil, e)), secret)
		if e.Err != nil {
			assert.NotContains(t, e.Err.Error(), secret)
		}
	}
}

func TestTheHeadHoldsWhatTheGatewayDecidesBy(t *testing.T) {
	x, e := scanRequest(
		`{"messages":[{"role":"developer","content":"a"},{"role":"user","content":"b"},{"role":"function","name":"f","content":"c"}],"model":"gpt\u002d5","stream":true,"max_completion_tokens":1.0e2,"max_tokens":100,"user":"u1","reasoning_effort":"high","tools":[{"type":"function","function":{"name":"one"}},{"custom":{"name":"two"},"type":"custom"}]}`,
	)
	require.Nil(t, e)
	assert.Equal(
		t,
		core.Head{
			Model:          "gpt-5",
			Stream:         true,
			MaxTokens:      100,
			Messages:       3,
			Tools:          []string{"one", "two"},
			HasCustomTools: true,
			Effort:         "high",
			User:           "u1",
		},
		x.Head,
	)
	var roles []core.Role
	for i := range x.Request.Segments {
		roles = append(roles, x.Request.Segments[i].Role)
	}
	assert.Equal(t, []core.Role{core.RoleSystem, core.RoleUser, core.RoleTool, core.RoleSystem}, roles)
	assert.Equal(t, core.KindToolResult, x.Request.Segments[2].Kind)
}
