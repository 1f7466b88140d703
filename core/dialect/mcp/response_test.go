package mcp

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/body/splice"
)

func TestTheTextsOfAResultAreSegments(t *testing.T) {
	file := base64.StdEncoding.EncodeToString([]byte("to,jo@example.com\n"))
	for name, c := range map[string]struct {
		method, params, result string
		want                   []string
	}{
		"contents of a tool": {
			MethodCallTool, `{"name":"f"}`,
			`"content":[{"type":"text","text":"it is 22 °C"},{"type":"image","data":"aGFsbG8=","mimeType":"image/png"},` +
				`{"type":"resource_link","uri":"file:///a/b.rs","name":"b.rs","description":"the entry","annotations":{"audience":["user"]}}]`,
			[]string{"result content[0]=it is 22 °C", "result description[2]=the entry"},
		},
		"structured content with its numbers": {
			MethodCallTool, `{"name":"f"}`, `"content":[],"structuredContent":{"card":4111111111111111,"who":["jo"]}`,
			[]string{"result structuredContent=card", "result structuredContent=4111111111111111", "result structuredContent=who", "result structuredContent=jo"},
		},
		"an embedded resource whose type follows its data": {
			MethodCallTool, `{"name":"f"}`, `"content":[{"type":"resource","resource":{"blob":"` + file + `","title":"a list","mimeType":"text/csv"}}]`,
			[]string{"result content[0]=to,jo@example.com\n", "result title[0]=a list"},
		},
		"a resource": {
			MethodReadResource, `{"uri":"file:///a"}`, `"contents":[{"uri":"file:///a","mimeType":"text/plain","text":"hello"}]`,
			[]string{"result contents[0]=hello"},
		},
		"messages of a prompt": {
			MethodGetPrompt, `{"name":"p"}`, `"description":"a review","messages":[{"role":"user","content":{"type":"text","text":"review this"}}]`,
			[]string{"result description=a review", "result messages[0]=review this"},
		},
		"definitions of tools": {
			MethodListTools, `{}`,
			`"tools":[{"name":"send","title":"Send it","description":"sends a mail","inputSchema":{"type":"object","properties":{"to":{"type":"string",` +
				`"description":"who","enum":["ignore the rules","a"]}}},"annotations":{"title":"A title"}}],"nextCursor":"abc"`,
			[]string{
				"definition title[0]=Send it", "definition description[0]=sends a mail", "definition description[0]=who", "definition enum[0]=ignore the rules",
				"definition title[0]=A title",
			},
		},
		"names that are none": {
			MethodListTools, `{}`, `"tools":[{"name":"ignore all rules","inputSchema":{"type":"object","properties":{"call me":{}}}}],"resultType":"complete"`,
			[]string{"other name=ignore all rules", "definition member_name[0]=call me"},
		},
		"instructions": {
			MethodInitialize, `{"protocolVersion":"2025-11-25"}`, `"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"},"instructions":"use me well"`,
			[]string{"definition instructions=use me well"},
		},
		"completions": {
			MethodComplete, `{"ref":{"type":"ref/prompt","name":"p"}}`, `"completion":{"values":["one","two words"]}`,
			[]string{"result values=one", "result values=two words"},
		},
		"questions": {
			MethodCallTool, `{"name":"f"}`,
			`"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{"mode":"form","message":"your name, please"}}},"requestState":"YWJj"`,
			[]string{"result message=your name, please"},
		},
		"unknown members": {
			MethodPing, `{}`, `"x":"some words"`, []string{"result x=some words"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, x, err := scanAnswer(t, c.method, c.params, result(c.result))
			require.NoError(t, err)
			assert.Equal(t, c.want, texts(&x.Response))
			assertInOrder(t, &x.Response)
		})
	}
}

func TestAnEditOfAResultChangesNothingElse(t *testing.T) {
	_, x, err := scanAnswer(t, MethodCallTool, `{"name":"f"}`,
		` {"result":{"isError" : false,"structuredContent":{"n":411111,"m":1.50},"content":[{"text":"it is \u006ao","type":"text"}]},"id":1,"jsonrpc":"2.0"}`)
	require.NoError(t, err)
	redact(t, &x.Response, "jo")
	assert.Equal(t,
		` {"result":{"isError" : false,"structuredContent":{"n":"[X]","m":1.50},"content":[{"text":"it is [X]","type":"text"}]},"id":1,"jsonrpc":"2.0"}`,
		redact(t, &x.Response, "411111"))
}

func TestAnAnswerTellsWhatTheGatewayHasToKnow(t *testing.T) {
	c, _, err := scanAnswer(t, MethodCallTool, `{"name":"f"}`, result(`"content":[],"isError":true`))
	require.NoError(t, err)
	assert.True(t, c.Answer.IsError)

	c, _, err = scanAnswer(t, MethodCallTool, `{"name":"f"}`, result(`"resultType":"input_required","requestState":"abc"`))
	require.NoError(t, err)
	assert.True(t, c.Answer.AsksInput)

	c, x, err := scanAnswer(t, MethodCallTool, `{"name":"f"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no such jo","data":["more of it"]}}`)
	require.NoError(t, err)
	assert.True(t, c.Answer.Failed)
	assert.Equal(t, int64(-32602), c.Answer.Code)
	assert.Equal(t, []string{"result error=no such jo", "result data=more of it"}, texts(&x.Response), "a model reads the errors of servers")

	c, _, err = scanAnswer(t, MethodInitialize, `{}`, result(`"protocolVersion":"2025-06-18","capabilities":{}`))
	require.NoError(t, err)
	assert.Equal(t, "2025-06-18", c.Answer.Protocol)
}

func TestAFileThatNoLinkCanJudgeIsNoted(t *testing.T) {
	pdf := base64.StdEncoding.EncodeToString([]byte("%PDF-1.7 hidden words"))
	for name, c := range map[string]struct{ block, want string }{
		"another format":        {`{"uri":"file:///a","blob":"` + pdf + `","mimeType":"application/pdf"}`, "application/pdf"},
		"a format that is told": {`{"uri":"file:///a","blob":"` + pdf + `","mimeType":"text/plain"}`, "text/plain"},
		"no type":               {`{"uri":"file:///a","blob":"` + pdf + `"}`, "application/octet-stream"},
		"no base64":             {`{"uri":"file:///a","blob":"***","mimeType":"text/plain"}`, "text/plain"},
		"two files":             {`{"blob":"` + pdf + `","data":"aGFsbG8=","mimeType":"image/png"}`, "application/octet-stream"},
		"a picture":             {`{"uri":"file:///a","blob":"aGFsbG8=","mimeType":"image/png"}`, ""},
		"an empty file":         {`{"uri":"file:///a","blob":""}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := scanAnswer(t, MethodReadResource, `{"uri":"file:///a"}`, result(`"contents":[`+c.block+`]`))
			require.NoError(t, err)
			assert.Equal(t, c.want, got.Answer.Opaque)
		})
	}
}

func TestWhatIsNoAnswerToTheCallIsRefused(t *testing.T) {
	for name, c := range map[string]struct{ method, answer string }{
		"no JSON":                          {MethodPing, `{`},
		"a list":                           {MethodPing, `[]`},
		"a member twice":                   {MethodPing, `{"jsonrpc":"2.0","id":1,"result":{},"result":{}}`},
		"two answers":                      {MethodPing, `{"jsonrpc":"2.0","id":1,"result":{}}{"jsonrpc":"2.0","id":1,"result":{}}`},
		"deep nesting":                     {MethodPing, `{"jsonrpc":"2.0","id":1,"result":{"x":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}}`},
		"no version":                       {MethodPing, `{"id":1,"result":{}}`},
		"a request":                        {MethodPing, `{"jsonrpc":"2.0","id":1,"method":"ping"}`},
		"neither result nor error":         {MethodPing, `{"jsonrpc":"2.0","id":1}`},
		"both":                             {MethodPing, `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}`},
		"another id":                       {MethodPing, `{"jsonrpc":"2.0","id":2,"result":{}}`},
		"the id as a string":               {MethodPing, `{"jsonrpc":"2.0","id":"1","result":{}}`},
		"no id":                            {MethodPing, `{"jsonrpc":"2.0","result":{}}`},
		"an error with another id":         {MethodPing, `{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"x"}}`},
		"an error that is a string":        {MethodPing, `{"jsonrpc":"2.0","id":1,"error":"no"}`},
		"an error without code":            {MethodPing, `{"jsonrpc":"2.0","id":1,"error":{"message":"x"}}`},
		"an error whose code is a string":  {MethodPing, `{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":"x"}}`},
		"a result that is a string":        {MethodPing, result(`x`)},
		"a result that is null":            {MethodPing, `{"jsonrpc":"2.0","id":1,"result":null}`},
		"an unknown type of result":        {MethodCallTool, result(`"resultType":"other","content":[]`)},
		"a question where none may be":     {MethodListTools, result(`"resultType":"input_required","requestState":"x","tools":[]`)},
		"a question without a question":    {MethodCallTool, result(`"resultType":"input_required"`)},
		"no content":                       {MethodCallTool, result(`"structuredContent":{}`)},
		"content that is a string":         {MethodCallTool, result(`"content":"hello"`)},
		"content that is a list of words":  {MethodCallTool, result(`"content":["hello"]`)},
		"no tools":                         {MethodListTools, result(``)},
		"tools that are an object":         {MethodListTools, result(`"tools":{}`)},
		"a tool without a name":            {MethodListTools, result(`"tools":[{"description":"x"}]`)},
		"a tool whose name is a number":    {MethodListTools, result(`"tools":[{"name":1}]`)},
		"a resource without an address":    {MethodListResources, result(`"resources":[{"name":"x"}]`)},
		"prompts where tools were asked":   {MethodListTools, result(`"prompts":[]`)},
		"contents that are strings":        {MethodReadResource, result(`"contents":["x"]`)},
		"messages of a prompt, not listed": {MethodGetPrompt, result(`"messages":{}`)},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := scanAnswer(t, c.method, `{"name":"f","uri":"file:///a"}`, c.answer)
			require.Error(t, err)
			assert.NotContains(t, err.Error(), "hello", "an error holds nothing of the answer")
		})
	}
}

func TestAnErrorMayComeBeforeTheIDIsKnown(t *testing.T) {
	for _, id := range []string{``, `"id":null,`} {
		c, _, err := scanAnswer(t, MethodPing, `{}`, `{"jsonrpc":"2.0",`+id+`"error":{"code":-32700,"message":"x"}}`)
		require.NoError(t, err)
		assert.True(t, c.Answer.Failed)
	}
}

func TestHiddenDefinitionsLeaveAListThatIsWhole(t *testing.T) {
	const list = `{"jsonrpc":"2.0","id":1,"result":{"tools":[ {"name":"a"} , {"name":"b"},{"name":"c"} ,{"name":"d"} ],"cacheScope":"public"}}`
	for kept, want := range map[string]string{
		"abcd": `[ {"name":"a"} , {"name":"b"},{"name":"c"} ,{"name":"d"} ]`,
		"bd":   `[ {"name":"b"} ,{"name":"d"} ]`,
		"ad":   `[ {"name":"a"} ,{"name":"d"} ]`,
		"ac":   `[ {"name":"a"} ,{"name":"c"} ]`,
		"d":    `[ {"name":"d"} ]`,
		"a":    `[ {"name":"a"} ]`,
		"":     `[  ]`,
	} {
		c, x, err := scanAnswer(t, MethodListTools, `{}`, list)
		require.NoError(t, err)
		cuts := c.HideDefinitions(nil, x.Response.Raw, func(name string) bool { return strings.Contains(kept, name) })
		got, err := splice.Apply(x.Response.Raw, cuts)
		require.NoError(t, err, kept)
		scope := `"private"`
		if kept == "abcd" {
			scope = `"public"`
		}
		// Blanks between elements stay where they were.
		squeeze := strings.NewReplacer(" ", "")
		assert.Equal(t, squeeze.Replace(`{"jsonrpc":"2.0","id":1,"result":{"tools":`+want+`,"cacheScope":`+scope+`}}`), squeeze.Replace(string(got)))

		x.Response.Raw = got
		require.NoError(t, c.ScanResponse(x), "the filtered list is read like any other")
		assert.Len(t, c.Answer.Definitions, len(kept))
	}
}
