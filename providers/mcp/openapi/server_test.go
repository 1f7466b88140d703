package openapi

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	dialect "github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/providers/mcp"
)

// petAPI is a document as people write them: shared parameters, references, a schema that refers to itself.
const petAPI = `
openapi: 3.0.3
info: {title: Pets, version: 1.2.0}
servers: [{url: "https://elsewhere.example.com/v9"}]
paths:
  /pets/{petId}:
    parameters:
      - {name: petId, in: path, required: true, description: whose, schema: {type: string}}
    get:
      operationId: getPet
      summary: Reads a pet
      parameters:
        - {name: fields, in: query, explode: false, schema: {type: array, items: {type: string}}}
        - {name: tag, in: query, schema: {type: array, items: {type: string}}}
        - {name: filter, in: query, style: deepObject, schema: {type: object}}
        - {name: X-Region, in: header, schema: {type: string}}
        - {name: Authorization, in: header, schema: {type: string}}
        - {name: X-Api-Key, in: header, schema: {type: string}}
        - {name: debug, in: cookie, schema: {type: string}}
      responses: {200: {description: a pet}}
    put:
      operationId: replacePet
      requestBody:
        required: true
        content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}
      responses: {204: {description: done}}
    delete:
      operationId: erasePet
      responses: {204: {description: done}}
  /form:
    post:
      operationId: sendForm
      requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object}}}}
      responses: {200: {description: ok}}
  /upload:
    post:
      operationId: upload
      requestBody: {required: true, content: {multipart/form-data: {schema: {type: object}}}}
      responses: {200: {description: ok}}
  /status:
    get:
      responses: {200: {description: ok}}
  /../secret:
    get: {operationId: climb, responses: {200: {description: ok}}}
components:
  schemas:
    Pet:
      type: object
      required: [id, name]
      properties:
        id: {type: string, readOnly: true}
        name: {type: string, nullable: true, example: Rex}
        age: {type: integer, minimum: 0, exclusiveMinimum: true}
        parent: {$ref: "#/components/schemas/Pet"}
`

// api is a server that notes what it receives, and the MCP server before it.
type apiPeer struct {
	*Server

	mu     sync.Mutex
	got    []string // method, address and body of each request
	header http.Header
}

func (p *apiPeer) requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.got
}

func startAPI(t *testing.T, document string, operations []string, handle http.HandlerFunc) *apiPeer {
	t.Helper()
	p := &apiPeer{}
	peer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		p.mu.Lock()
		p.got, p.header = append(p.got, strings.TrimSpace(r.Method+" "+r.RequestURI+" "+string(body))), r.Header
		p.mu.Unlock()
		handle(w, r)
	}))
	t.Cleanup(peer.Close)
	client := upstream.NewLean(upstream.LeanOptions{Dial: upstream.PublicDialer{AllowPrivate: true}.Dial})
	t.Cleanup(func() { _ = client.Close() })
	s := Settings{
		Name: "pets", URL: peer.URL + "/v1/", AllowPrivate: true, Operations: operations, MaxAnswer: 1 << 20, Client: client,
		Header: []upstream.Field{{Name: "X-Api-Key", Value: "k-0123456789abcdef"}},
	}
	if strings.HasPrefix(document, "/") {
		s.DocumentURL = peer.URL + document
	} else {
		s.Document = []byte(document)
	}
	var err error
	p.Server, err = New(s)
	require.NoError(t, err)
	return p
}

// ask sends a request and returns its response.
func (p *apiPeer) ask(t *testing.T, method, params string) (map[string]any, error) {
	t.Helper()
	x, c := &core.Exchange{}, &dialect.Call{}
	x.Request.Raw = []byte(`{"jsonrpc":"2.0","id":"c-1","method":"` + method + `","params":{` + params +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`)
	x.Request.Header = http.Header{dialect.HeaderVersion: {dialect.ModernVersion}, dialect.HeaderMethod: {method}}
	if name, ok := strings.CutPrefix(params, `"name":"`); ok {
		name, _, _ = strings.Cut(name, `"`)
		x.Request.Header.Set(dialect.HeaderName, name)
	}
	if e := c.Scan(x); e != nil {
		require.Nil(t, e, "%s %s", method, params)
	}
	a, err := p.Send(t.Context(), &tools.Message{Call: c, Body: x.Request.Raw})
	if err != nil {
		return nil, err
	}
	data, err := a.Next(t.Context(), func([]byte) (bool, error) { return true, nil })
	require.NoError(t, err)
	_, err = a.Next(t.Context(), nil)
	require.ErrorIs(t, err, io.EOF)
	x.Response.Status, x.Response.Raw = a.Head().Status, data
	require.NoError(t, c.ScanResponse(x), "%s", data)
	var out map[string]any
	require.NoError(t, json.Unmarshal(data, &out))
	return out, nil
}

func (p *apiPeer) call(t *testing.T, tool, arguments string) (map[string]any, error) {
	t.Helper()
	return p.ask(t, dialect.MethodCallTool, `"name":"`+tool+`","arguments":`+arguments+`,`)
}

func answerJSON(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, body)
	}
}

func TestAllowedOperationsBecomeTools(t *testing.T) {
	p := startAPI(t, petAPI, []string{"*"}, answerJSON(`{}`))
	got, err := p.ask(t, dialect.MethodListTools, "")
	require.NoError(t, err)
	list := got["result"].(map[string]any)["tools"].([]any)
	byName := map[string]map[string]any{}
	var names []string
	for _, tool := range list {
		name := tool.(map[string]any)["name"].(string)
		names, byName[name] = append(names, name), tool.(map[string]any)
	}
	assert.Equal(t, []string{"erasePet", "getPet", "get_status", "replacePet", "sendForm"}, names, "what cannot be called is left out")
	assert.Equal(t, "Reads a pet", byName["getPet"]["description"])
	assert.Equal(t, map[string]any{"readOnlyHint": true}, byName["getPet"]["annotations"])
	input := byName["getPet"]["inputSchema"].(map[string]any)
	assert.Len(t, input["properties"], 5, "no credentials, no cookies")
	assert.Equal(t, []any{"petId"}, input["required"])
	schema, err := json.Marshal(byName["replacePet"]["inputSchema"])
	require.NoError(t, err)
	assert.JSONEq(t, `{"type":"object","additionalProperties":false,"required":["body","petId"],
		"properties":{"petId":{"type":"string","description":"whose"},"body":{"$ref":"#/$defs/Pet"}},
		"$defs":{"Pet":{"type":"object","required":["name"],"properties":{
			"name":{"type":["string","null"]},"age":{"type":"integer","exclusiveMinimum":0},"parent":{"$ref":"#/$defs/Pet"}}}}}`, string(schema))
	var listed []string
	require.NoError(t, p.ListTools(t.Context(), dialect.Modern, func(doc []byte, list []dialect.Definition) error {
		for _, d := range list {
			assert.True(t, json.Valid(doc[d.At.Start:d.At.End]))
			listed = append(listed, d.Name)
		}
		return nil
	}))
	assert.Equal(t, names, listed)

	few := startAPI(t, petAPI, []string{"get*"}, answerJSON(`{}`))
	got, err = few.call(t, "erasePet", `{"petId":"7"}`)
	require.NoError(t, err)
	assert.Contains(t, got["error"].(map[string]any)["message"], "unknown tool")
	assert.Empty(t, few.requests())
	got, err = few.ask(t, dialect.MethodDiscover, "")
	require.NoError(t, err)
	assert.Contains(t, got["result"], "supportedVersions")
	got, err = few.ask(t, dialect.MethodListPrompts, "")
	require.NoError(t, err)
	assert.InDelta(t, mcp.NumberMethodNotFound, got["error"].(map[string]any)["code"], 0)
}

func TestArgumentsStandWhereTheyBelongAndAreEscaped(t *testing.T) {
	p := startAPI(t, petAPI, []string{"*"}, answerJSON(`{}`))
	for _, c := range []struct{ name, tool, arguments, want string }{
		{"a path", "getPet", `{"petId":"7"}`, "GET /v1/pets/7"},
		{"a path with signs", "getPet", `{"petId":"a b?c#d&e;é%"}`, "GET /v1/pets/a%20b%3Fc%23d%26e%3B%C3%A9%25"},
		{"a number in a path", "getPet", `{"petId":7.5}`, "GET /v1/pets/7.5"},
		{"a placeholder", "getPet", `{"petId":"{{PII_EMAIL_30cef673e464798c}}"}`, "GET /v1/pets/%7B%7BPII_EMAIL_30cef673e464798c%7D%7D"},
		{"lists in a query", "getPet", `{"petId":"7","fields":["a,b","c"],"tag":["x&y=1","z"]}`, "GET /v1/pets/7?fields=a%2Cb,c&tag=x%26y%3D1&tag=z"},
		{"an object in a query", "getPet", `{"petId":"7","filter":{"b]=1&c":"2","a":true}}`, "GET /v1/pets/7?filter%5Ba%5D=true&filter%5Bb%5D%3D1%26c%5D=2"},
		{"null is absent", "getPet", `{"petId":"7","tag":null}`, "GET /v1/pets/7"},
		{"a body as it is spelled", "replacePet", `{"petId":"7","body":{"name":"é\u00e9", "age": 1.0}}`, `PUT /v1/pets/7 {"name":"é\u00e9", "age": 1.0}`},
		{"form fields", "sendForm", `{"body":{"a":"1&b=2","c":[1,2]}}`, "POST /v1/form a=1%26b%3D2&c=1&c=2"},
		{"no body", "sendForm", `{}`, "POST /v1/form"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := len(p.requests())
			got, err := p.call(t, c.tool, c.arguments)
			require.NoError(t, err)
			require.NotContains(t, got, "error", "%v", got)
			require.Len(t, p.requests(), before+1)
			assert.Equal(t, c.want, p.requests()[before])
		})
	}
	_, err := p.call(t, "getPet", `{"petId":"7","X-Region":"eu"}`)
	require.NoError(t, err)
	assert.Equal(t, "eu", p.header.Get("X-Region"))
	assert.Equal(t, "k-0123456789abcdef", p.header.Get("X-Api-Key"))
}

func TestArgumentsThatMeanAnotherAddressAreRefused(t *testing.T) {
	p := startAPI(t, petAPI, []string{"*"}, answerJSON(`{}`))
	tricks := []string{
		`""`, `"."`, `".."`, `"a/b"`, `"../admin"`, `"..\\admin"`, `"%2e%2e"`, `"%2E."`, `"a%2fb"`, `"a%252Fb"`, `"a%25252fb"`, `"%5c"`,
		`"%2f%zz"`, `"..;x"`, `"%2e%2e;x"`, `"a\u0000b"`, `"a\nb"`, `"%00"`, `"%c0%af"`, `{"a":1}`, `["a","../b"]`, `"` + strings.Repeat("x", 1025) + `"`,
	}
	for _, value := range tricks {
		got, err := p.call(t, "getPet", `{"petId":`+value+`}`)
		require.NoError(t, err, value)
		e, _ := got["error"].(map[string]any)
		require.NotNil(t, e, value)
		assert.InDelta(t, mcp.NumberInvalidParams, e["code"], 0)
		assert.NotContains(t, e["message"], "admin", "no value is repeated")
	}
	for name, arguments := range map[string]string{
		"an argument that is missing":      `{}`,
		"one that the tool does not have":  `{"petId":"7","Authorization":"Bearer x"}`,
		"a credential of the gateway":      `{"petId":"7","X-Api-Key":"x"}`,
		"a header of two lines":            `{"petId":"7","X-Region":"eu\r\nX-Admin: 1"}`,
		"an object where a list belongs":   `{"petId":"7","tag":{"a":1}}`,
		"an address that is much too long": `{"petId":"7","tag":"` + strings.Repeat("x", maxURL) + `"}`,
	} {
		got, err := p.call(t, "getPet", arguments)
		require.NoError(t, err, name)
		assert.Contains(t, got, "error", name)
	}
	assert.Empty(t, p.requests(), "nothing was sent")
}

func TestOnlyTheArgumentsThatGuardsSeeAreSent(t *testing.T) {
	p := startAPI(t, petAPI, []string{"*"}, answerJSON(`{}`))
	for _, rest := range []string{`"Arguments":{"petId":"8"},`, `"ARGUMENTS":{"petId":"8"},`} {
		_, err := p.ask(t, dialect.MethodCallTool, `"name":"getPet","arguments":{"petId":"7"},`+rest)
		require.NoError(t, err)
		require.NotEmpty(t, p.requests())
		assert.Contains(t, p.requests()[len(p.requests())-1], "/7")
	}
}

func TestAnswersBecomeResults(t *testing.T) {
	type reply struct {
		status     int
		kind, body string
	}
	answer := reply{}
	p := startAPI(t, petAPI, []string{"getPet"}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", answer.kind)
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(answer.status)
		_, _ = io.WriteString(w, answer.body)
	})
	for _, c := range []struct {
		name  string
		reply reply
		want  string // the result
	}{
		{"an object", reply{200, "application/json", `{"a":1}`}, `{"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a":1}}`},
		{"a list", reply{200, "application/problem+json; charset=utf-8", `[1]`}, `{"content":[{"type":"text","text":"[1]"}],"structuredContent":{"result":[1]}}`},
		{"broken JSON", reply{200, "application/json", `{"a":`}, `{"content":[{"type":"text","text":"{\"a\":"}]}`},
		{"text", reply{200, "text/plain", "hi"}, `{"content":[{"type":"text","text":"hi"}]}`},
		{"nothing", reply{204, "", ""}, `{"content":[{"type":"text","text":"done, without content"}]}`},
		{"a picture", reply{200, "image/png", "\x89PNG"}, `{"content":[{"type":"image","mimeType":"image/png","data":"iVBORw=="}]}`},
		{"other content", reply{200, "application/zip", "PK"}, `{"content":[{"type":"text","text":"the API answered with content that is neither text nor a picture nor sound"}],"isError":true}`},
		{"what it does not take", reply{422, "application/json", `{"e":"bad"}`}, `{"content":[{"type":"text","text":"the API answered with the status 422:\n{\"e\":\"bad\"}"}],"isError":true}`},
		{"what it does not have", reply{404, "application/octet-stream", "x"}, `{"content":[{"type":"text","text":"the API answered with the status 404"}],"isError":true}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer = c.reply
			got, err := p.call(t, "getPet", `{"petId":"7"}`)
			require.NoError(t, err)
			result := got["result"].(map[string]any)
			delete(result, "resultType")
			text, err := json.Marshal(result)
			require.NoError(t, err)
			assert.JSONEq(t, c.want, string(text))
		})
	}
	for _, status := range []int{302, 401, 403, 407, 429, 500, 503} {
		answer = reply{status, "text/plain", "Your key k-0123 is wrong"}
		_, err := p.call(t, "getPet", `{"petId":"7"}`)
		var e *tools.StatusError
		require.ErrorAs(t, err, &e, status)
		assert.Equal(t, status, e.Status)
		assert.NotContains(t, err.Error(), "k-0123")
	}
	answer = reply{200, "text/plain", "you sent k-0123456789abcdef"}
	_, err := p.call(t, "getPet", `{"petId":"7"}`)
	require.ErrorIs(t, err, mcp.ErrCredential)
	answer = reply{200, "text/plain", strings.Repeat("x", 1<<20+1)}
	_, err = p.call(t, "getPet", `{"petId":"7"}`)
	require.ErrorIs(t, err, mcp.ErrTooLarge)
}

func TestADocumentAtAURLIsReadWhenItIsNeeded(t *testing.T) {
	p := startAPI(t, "/openapi.yaml", []string{"getPet"}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/openapi.yaml" {
			_, _ = io.WriteString(w, petAPI)
		}
	})
	assert.Empty(t, p.requests(), "a host that is away must not keep the gateway from starting")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			got, err := p.call(t, "getPet", `{"petId":"7"}`)
			assert.NoError(t, err)
			assert.Contains(t, got, "result")
		})
	}
	all.Wait()
	assert.Equal(t, "GET /openapi.yaml", p.requests()[0])
	assert.Len(t, p.requests(), 9, "it is fetched once for all")

	broken := startAPI(t, "/openapi.yaml", []string{"getPet"}, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) })
	_, err := broken.ask(t, dialect.MethodListTools, "")
	var e *core.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, core.Unavailable, e.Kind)
}

// manyOperations returns n paths with an operation each, which needs an undescribed parameter.
func manyOperations(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "  /p%d/{id}: {get: {operationId: o%d}}\n", i, i)
	}
	return b.String()
}

func TestADocumentThatCannotBeUsedIsRefused(t *testing.T) {
	const head = "openapi: 3.1.0\npaths:\n  /a:\n    get:\n      operationId: a\n"
	for name, c := range map[string]struct{ document, operation, want string }{
		"no YAML":                        {"{", "a", "neither YAML nor JSON"},
		"a list":                         {"[]", "a", "not an object"},
		"Swagger 2":                      {"swagger: '2.0'", "a", "not of OpenAPI 3.0 or 3.1"},
		"an operation that is not there": {head, "b", "no operation b"},
		"a reference to another file":    {head + "      parameters: [{$ref: 'other.yaml#/p'}]\n", "a", "another document"},
		"a reference to nothing":         {head + "      parameters: [{$ref: '#/components/parameters/p'}]\n", "a", "does not have"},
		"a reference to itself": {
			head + "      parameters: [{$ref: '#/components/parameters/p'}]\ncomponents: {parameters: {p: {$ref: '#/components/parameters/p'}}}\n", "a", "form a loop",
		},
		"a style that is not supported": {head + "      parameters: [{name: q, in: query, style: matrix, schema: {}}]\n", "a", "style"},
		"a required cookie":             {head + "      parameters: [{name: q, in: cookie, required: true, schema: {}}]\n", "a", "neither in the path"},
		"a path without its parameter":  {head + "      parameters: [{name: q, in: path, schema: {}}]\n", "a", "does not contain the parameter q"},
		"a path that climbs":            {strings.Replace(head, "/a", "/x/../a", 1), "a", ". or .."},
		"a path with an encoded slash":  {strings.Replace(head, "/a", "/x%2fa", 1), "a", "not allowed there"},
		"an undescribed parameter":      {strings.Replace(head, "/a", "/{id}", 1), "a", "not described"},
		"too many operations, none of which can be called": {
			"openapi: 3.1.0\npaths:\n" + manyOperations(MaxOperations+1), "*", "more than 512",
		},
		"two operations of one name": {head + "    put: {operationId: a}\n", "a", "two operations"},
		"aliases that multiply": {
			"openapi: 3.1.0\na: &a [1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\n" +
				"e: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e]\ng: &g [*f,*f,*f,*f,*f,*f,*f,*f]\nh: [*g,*g,*g,*g,*g,*g,*g,*g]\n", "a", "",
		},
	} {
		_, err := New(Settings{URL: "https://api.example.com", Document: []byte(c.document), Operations: []string{c.operation}})
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), c.want, name)
	}
	for name, s := range map[string]Settings{
		"plain http":           {URL: "http://api.example.com", Document: []byte(petAPI)},
		"a private address":    {URL: "https://127.0.0.1", Document: []byte(petAPI)},
		"a query":              {URL: "https://api.example.com/?k=1", Document: []byte(petAPI)},
		"a user":               {URL: "https://u:p@api.example.com/", Document: []byte(petAPI)},
		"a private document":   {URL: "https://api.example.com", DocumentURL: "https://169.254.169.254/x"},
		"no document anywhere": {URL: "https://api.example.com"},
	} {
		_, err := New(s)
		assert.Error(t, err, name)
	}
}

// FuzzPathText checks that a value stays in its segment of the path, however often a server decodes it.
func FuzzPathText(f *testing.F) {
	for _, seed := range []string{"7", "..", "a%2fb", "%25252e%2e", "é", "{{PII}}", "%%%2f"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		raw, err := json.Marshal(value)
		require.NoError(t, err)
		text, err := escapePathText(raw)
		if err != nil {
			return
		}
		for seen := text; ; {
			require.NotContains(t, seen, "/")
			require.NotContains(t, seen, `\`)
			require.NotContains(t, []string{"", ".", ".."}, seen)
			next := unescapeText(seen)
			if next == seen {
				return
			}
			seen = next
		}
	})
}
