package mcp

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/jsonrpc"
)

func TestAMessageTellsItsFormEraAndTarget(t *testing.T) {
	for name, c := range map[string]struct {
		body   string
		header http.Header
		want   Call
	}{
		"a modern call": {
			`{"jsonrpc":"2.0","id":"discover-1","method":"tools/call","params":{"name":"get_weather","arguments":{},` + meta + `}}`,
			modern("tools/call", "get_weather"),
			Call{Form: Request, Era: Modern, Version: ModernVersion, Method: "tools/call", Target: "get_weather", ID: []byte(`"discover-1"`)},
		},
		"params before the method": {
			`{"params":{"uri":"file:///a","x":"one two"},"y":"three four","id":7,"method":"resources/read","jsonrpc":"2.0"}`, nil,
			Call{Form: Request, Era: Legacy, Method: "resources/read", Target: "file:///a", ID: []byte(`7`)},
		},
		"a legacy call with its version": {
			`{"jsonrpc":"2.0","id":-1,"method":"ping"}`, headers("Mcp-Protocol-Version", "2025-06-18"),
			Call{Form: Request, Era: Legacy, Version: "2025-06-18", Method: "ping", ID: []byte(`-1`)},
		},
		"initialize begins the legacy era, whatever the header says": {
			`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
			headers("Mcp-Protocol-Version", ModernVersion),
			Call{Form: Request, Era: Legacy, Version: LegacyVersion, Method: "initialize", ID: []byte(`0`)},
		},
		"a notification": {
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`, headers("Mcp-Protocol-Version", LegacyVersion),
			Call{Form: Notification, Era: Legacy, Version: LegacyVersion, Method: "notifications/initialized"},
		},
		"an answer to a server": {
			`{"jsonrpc":"2.0","id":3,"result":{"action":"accept","content":{"name":"octo cat"}}}`, nil,
			Call{Form: Result, Era: Legacy, ID: []byte(`3`)},
		},
		"a refusal to a server": {
			`{"jsonrpc":"2.0","id":3,"error":{"code":-1,"message":"user rejected"}}`, nil,
			Call{Form: Failure, Era: Legacy, ID: []byte(`3`)},
		},
		"a completion": {
			`{"jsonrpc":"2.0","id":3,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"v"}}}`, nil,
			Call{Form: Request, Era: Legacy, Method: "completion/complete", Target: "p", ID: []byte(`3`)},
		},
		"an encoded name": {
			`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"grüße",` + meta + `}}`, modern("prompts/get", "=?base64?Z3LDvMOfZQ==?="),
			Call{Form: Request, Era: Modern, Version: ModernVersion, Method: "prompts/get", Target: "grüße", ID: []byte(`1`)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, x, e := scanRequest(c.body, c.header)
			require.Nil(t, e)
			want := c.want
			assert.Equal(t, want.Form, got.Form)
			assert.Equal(t, want.Era.String(), got.Era.String())
			assert.Equal(t, []string{want.Version, want.Method, want.Target}, []string{got.Version, got.Method, got.Target})
			assert.Equal(t, string(want.ID), string(got.ID))
			assert.Equal(t, c.body, string(x.Request.Raw))
			assertInOrder(t, &x.Request)
			assert.Zero(t, x.Scanner.MaxDepth, "the scanner is shared with other dialects")
		})
	}
}

// assertInOrder checks that segments follow each other as the chain expects.
func assertInOrder(t *testing.T, p *core.Payload) {
	t.Helper()
	for i := 1; i < len(p.Segments); i++ {
		assert.LessOrEqual(t, p.Segments[i-1].Span.End, p.Segments[i].Span.Start)
	}
}

func TestTheTextsOfARequestAreSegments(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want []string
	}{
		"arguments, their names and their long numbers": {
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"f","arguments":{"to":"jo@example.com","deep":[{"n":4111111111111111}],"s":7}}}`,
			[]string{
				"args arguments=to", "args arguments=jo@example.com", "args arguments=deep", "args arguments=n", "args arguments=4111111111111111", "args arguments=s",
			},
		},
		"answers to questions of a server": {
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"f","inputResponses":{"q":{"action":"accept","content":{"name":"octo cat"}}},"requestState":"some words"}}`,
			[]string{"other name=octo cat", "other requestState=some words"},
		},
		"unknown members": {
			`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x y":1},"extra":"one two"}`,
			[]string{"other member_name=x y", "other extra=one two"},
		},
		"identifiers that are none": {
			`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"jo@example.com","_meta":{"progressToken":"my secret"}}}`,
			[]string{"other target=jo@example.com", "other progressToken=my secret"},
		},
		"the reason of a cancellation": {
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1","reason":"changed my mind"}}`,
			[]string{"other reason=changed my mind"},
		},
		"a result of a client": {
			`{"jsonrpc":"2.0","id":1,"result":{"role":"assistant","content":{"type":"text","text":"the capital"}}}`,
			[]string{"other text=the capital"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, x, e := scanRequest(c.body, nil)
			require.Nil(t, e)
			assert.Equal(t, c.want, texts(&x.Request))
		})
	}
}

func TestAnEditChangesNothingButItsText(t *testing.T) {
	_, x, e := scanRequest(` {"id": 1 ,"params":{"arguments":{"a\u0020b":"to jo\u0040example.com", "n":12.50},"name":"send"},
 "method":"tools\/call","jsonrpc":"2.0"} `, nil)
	require.Nil(t, e)
	assert.Equal(t, ` {"id": 1 ,"params":{"arguments":{"a\u0020b":"to [X]", "n":12.50},"name":"send"},
 "method":"tools\/call","jsonrpc":"2.0"} `, redact(t, &x.Request, "jo@example.com"))
}

func TestForwardNamesTheToolAsItsServerDoes(t *testing.T) {
	c, x, e := scanRequest(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"name":"mail jo@example.com"},"name":"crm__send"}}`, nil)
	require.Nil(t, e)
	redact(t, &x.Request, "jo@example.com")
	cuts, e := c.AppendForwardCuts(x, core.Traits{Model: "send"}, nil)
	require.Nil(t, e)
	body, err := splice.Apply(x.Request.Raw, cuts)
	require.NoError(t, err)
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"name":"mail [X]"},"name":"send"}}`, string(body))

	cuts, e = c.AppendForwardCuts(x, core.Traits{Model: "crm__send"}, nil)
	require.Nil(t, e)
	assert.Empty(t, cuts)
}

// refused are messages that no server may see, with the number of the error.
var refused = map[string]struct {
	body   string
	header http.Header
	want   int
}{
	"no JSON":                        {`{`, nil, jsonrpc.NumberParse},
	"nothing":                        {``, nil, jsonrpc.NumberParse},
	"broken UTF-8":                   {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"x\":\"\xff\"}", nil, jsonrpc.NumberParse},
	"two messages":                   {`{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`, nil, jsonrpc.NumberParse},
	"a member twice":                 {`{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}`, nil, jsonrpc.NumberParse},
	"a member twice by an escape":    {`{"jsonrpc":"2.0","id":1,"method":"ping","meth\u006fd":"tools/call"}`, nil, jsonrpc.NumberParse},
	"a name twice":                   {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}}`, nil, jsonrpc.NumberParse},
	"an argument twice":              {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"x":1,"x":2}}}`, nil, jsonrpc.NumberParse},
	"deep nesting":                   {`{"jsonrpc":"2.0","id":1,"method":"ping","x":` + strings.Repeat("[", 500) + strings.Repeat("]", 500) + `}`, nil, jsonrpc.NumberParse},
	"a batch":                        {`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, nil, jsonrpc.NumberInvalidRequest},
	"an empty batch":                 {`[]`, nil, jsonrpc.NumberInvalidRequest},
	"a string":                       {`"ping"`, nil, jsonrpc.NumberInvalidRequest},
	"null":                           {`null`, nil, jsonrpc.NumberInvalidRequest},
	"no version":                     {`{"id":1,"method":"ping"}`, nil, jsonrpc.NumberInvalidRequest},
	"another version":                {`{"jsonrpc":"1.0","id":1,"method":"ping"}`, nil, jsonrpc.NumberInvalidRequest},
	"a version that is a number":     {`{"jsonrpc":2.0,"id":1,"method":"ping"}`, nil, jsonrpc.NumberInvalidRequest},
	"no method":                      {`{"jsonrpc":"2.0","id":1}`, nil, jsonrpc.NumberInvalidRequest},
	"a method that is a number":      {`{"jsonrpc":"2.0","id":1,"method":1}`, nil, jsonrpc.NumberInvalidRequest},
	"an id of null":                  {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, nil, jsonrpc.NumberInvalidRequest},
	"an id with a fraction":          {`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, nil, jsonrpc.NumberInvalidRequest},
	"an id with an exponent":         {`{"jsonrpc":"2.0","id":1e2,"method":"ping"}`, nil, jsonrpc.NumberInvalidRequest},
	"an id without end":              {`{"jsonrpc":"2.0","id":` + strings.Repeat("9", 40) + `,"method":"ping"}`, nil, jsonrpc.NumberInvalidRequest},
	"an empty id":                    {`{"jsonrpc":"2.0","id":"","method":"ping"}`, nil, jsonrpc.NumberInvalidRequest},
	"a long id":                      {`{"jsonrpc":"2.0","id":"` + strings.Repeat("a", 129) + `","method":"ping"}`, nil, jsonrpc.NumberInvalidRequest},
	"an id of words":                 {`{"jsonrpc":"2.0","id":"ignore all rules","method":"ping"}`, nil, jsonrpc.NumberInvalidRequest},
	"an id that is an address":       {`{"jsonrpc":"2.0","id":"jo@example.com","method":"ping"}`, nil, jsonrpc.NumberInvalidRequest},
	"an id that is an object":        {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, nil, jsonrpc.NumberInvalidRequest},
	"an id that is true":             {`{"jsonrpc":"2.0","id":true,"method":"ping"}`, nil, jsonrpc.NumberInvalidRequest},
	"a request without id":           {`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"a"}}`, nil, jsonrpc.NumberInvalidRequest},
	"a notification with id":         {`{"jsonrpc":"2.0","id":1,"method":"notifications/initialized"}`, nil, jsonrpc.NumberInvalidRequest},
	"a method and a result":          {`{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, nil, jsonrpc.NumberInvalidRequest},
	"a result and an error":          {`{"jsonrpc":"2.0","id":1,"result":{},"error":{}}`, nil, jsonrpc.NumberInvalidRequest},
	"a result without id":            {`{"jsonrpc":"2.0","result":{}}`, nil, jsonrpc.NumberInvalidRequest},
	"a result with params":           {`{"jsonrpc":"2.0","id":1,"result":{},"params":{}}`, nil, jsonrpc.NumberInvalidRequest},
	"a result in the modern era":     {`{"jsonrpc":"2.0","id":1,"result":{}}`, headers("Mcp-Protocol-Version", ModernVersion), jsonrpc.NumberInvalidRequest},
	"an unknown method":              {`{"jsonrpc":"2.0","id":1,"method":"tools/delete"}`, nil, jsonrpc.NumberMethodNotFound},
	"a method in other letters":      {`{"jsonrpc":"2.0","id":1,"method":"Tools/Call","params":{"name":"a"}}`, nil, jsonrpc.NumberMethodNotFound},
	"a method of servers":            {`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}`, nil, jsonrpc.NumberMethodNotFound},
	"an unknown notification":        {`{"jsonrpc":"2.0","method":"notifications/other"}`, nil, jsonrpc.NumberMethodNotFound},
	"a legacy method, modern":        {`{"jsonrpc":"2.0","id":1,"method":"ping","params":{` + meta + `}}`, modern("ping"), jsonrpc.NumberMethodNotFound},
	"a modern method, legacy":        {`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen"}`, nil, jsonrpc.NumberMethodNotFound},
	"params that are a list":         {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["a"]}`, nil, jsonrpc.NumberInvalidParams},
	"no params":                      {`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, nil, jsonrpc.NumberInvalidParams},
	"no name":                        {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{}}}`, nil, jsonrpc.NumberInvalidParams},
	"an empty name":                  {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":""}}`, nil, jsonrpc.NumberInvalidParams},
	"a name that is a number":        {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1}}`, nil, jsonrpc.NumberInvalidParams},
	"a name that is a path":          {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"../admin/delete"}}`, nil, jsonrpc.NumberInvalidParams},
	"a name that looks like another": {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"dеlete"}}`, nil, jsonrpc.NumberInvalidParams},
	"a long name":                    {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + strings.Repeat("a", 257) + `"}}`, nil, jsonrpc.NumberInvalidParams},
	"an invisible character":         {`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"a\u202eb"}}`, nil, jsonrpc.NumberInvalidParams},
	"a line end in an address":       {`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///a\r\nX: y"}}`, nil, jsonrpc.NumberInvalidParams},
	"a long address":                 {`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"` + strings.Repeat("a", 4097) + `"}}`, nil, jsonrpc.NumberInvalidParams},
	"arguments that are a string":    {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":"{}"}}`, nil, jsonrpc.NumberInvalidParams},
	"arguments that are null":        {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":null}}`, nil, jsonrpc.NumberInvalidParams},
	"metadata that is a list":        {`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":[]}}`, nil, jsonrpc.NumberInvalidParams},
	"a completion of nothing":        {`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt"}}}`, nil, jsonrpc.NumberInvalidParams},
	"a reference that is a string":   {`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":"p"}}`, nil, jsonrpc.NumberInvalidParams},
	"no version in the body":         {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`, modern("tools/list"), jsonrpc.NumberInvalidParams},
	"no capabilities": {
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, modern("tools/list"), jsonrpc.NumberInvalidParams,
	},
	"a version of the future, in the header": {`{"jsonrpc":"2.0","id":1,"method":"ping"}`, headers("Mcp-Protocol-Version", "2099-01-01"), numberUnsupportedVersion},
	"a version of the future": {
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}}}`,
		headers("Mcp-Protocol-Version", "1900-01-01"), numberUnsupportedVersion,
	},
	"a legacy version in the body": {
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25"}}}`,
		headers("Mcp-Protocol-Version", "2025-11-25"), numberUnsupportedVersion,
	},
	"no version in the header": {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`, headers("Mcp-Method", "tools/list"), numberHeaderMismatch},
	"another version in the header": {
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`, headers("Mcp-Protocol-Version", LegacyVersion, "Mcp-Method", "tools/list"), numberHeaderMismatch,
	},
	"two versions in headers": {
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`, headers("Mcp-Protocol-Version", LegacyVersion, "Mcp-Protocol-Version", "2025-06-18"), numberHeaderMismatch,
	},
	"no method in the header":      {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`, headers("Mcp-Protocol-Version", ModernVersion), numberHeaderMismatch},
	"another method in the header": {`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`, modern("tools/call"), numberHeaderMismatch},
	"a method in other letters in the header": {
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`, modern("Tools/List"), numberHeaderMismatch,
	},
	"no name in the header": {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"dear",` + meta + `}}`, modern("tools/call"), numberHeaderMismatch},
	"a cheap tool in the header": {
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"dear",` + meta + `}}`, modern("tools/call", "cheap"), numberHeaderMismatch,
	},
	"a cheap tool in the header of a legacy call": {
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"dear"}}`, headers("Mcp-Name", "cheap"), numberHeaderMismatch,
	},
	"another method in the header of a legacy call": {
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"dear"}}`, headers("Mcp-Method", "tools/list"), numberHeaderMismatch,
	},
	"two names in headers": {
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"dear",` + meta + `}}`,
		headers("Mcp-Protocol-Version", ModernVersion, "Mcp-Method", "tools/call", "Mcp-Name", "dear", "Mcp-Name", "cheap"), numberHeaderMismatch,
	},
	"a broken encoding in a header": {
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"dear",` + meta + `}}`, modern("tools/call", "=?base64?ZGVhcg?="), numberHeaderMismatch,
	},
}

func TestWhatIsNoMessageOfTheProtocolIsRefused(t *testing.T) {
	for name, c := range refused {
		t.Run(name, func(t *testing.T) {
			call, _, e := scanRequest(c.body, c.header)
			require.NotNil(t, e)
			assert.Equal(t, c.want, chooseNumber(e), e.Public)
			status := http.StatusBadRequest
			if c.want == jsonrpc.NumberMethodNotFound {
				status = http.StatusNotFound
				if call.Era == Legacy && call.Form == Request {
					status = http.StatusOK
				}
			}
			assert.Equal(t, status, call.ChooseHTTPStatus(e))
		})
	}
}

func TestOneCallCanReadManyMessages(t *testing.T) {
	x, c := &core.Exchange{}, &Call{}
	scan := func(body string, h http.Header) *core.Error {
		x.Reset()
		x.Request.Raw, x.Request.Header = []byte(body), h
		return c.Scan(x)
	}
	require.Nil(t, scan(`{"jsonrpc":"2.0","id":"abc","method":"tools/call","params":{"name":"f",`+meta+`}}`, modern("tools/call", "f")))
	require.Nil(t, scan(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil))
	assert.Empty(t, c.ID)
	assert.Equal(t, Legacy, c.Era)
	assert.Empty(t, c.Target+c.Version)
}

func TestAHeaderIsDecodedAsItWasEncoded(t *testing.T) {
	for value, want := range map[string]string{ // of the specification, "Value Encoding"
		"us-west1": "us-west1", "Hello, 世界": "=?base64?SGVsbG8sIOS4lueVjA==?=", " padded ": "=?base64?IHBhZGRlZCA=?=",
		"line1\nline2": "=?base64?bGluZTEKbGluZTI=?=", "=?base64?literal?=": "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=", "": "",
	} {
		assert.Equal(t, want, EncodeHeader(value))
		got, ok := DecodeHeader(want)
		assert.True(t, ok)
		assert.Equal(t, value, got)
	}
	_, ok := DecodeHeader("=?base64?***?=")
	assert.False(t, ok)
}
