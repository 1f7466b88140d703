package proxy_test

import (
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/tools/bridge"
	"github.com/headgate-dev/headgate/providers/mcp"
)

const (
	claimsNothing = `{"name":"write","description":"Writes.","inputSchema":{"type":"object"}}`
	claimsFalse   = `{"name":"erase","description":"Erases.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":false}}`
	claimsText    = `{"name":"guess","description":"Guesses.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":"true"}}`
	claimsOther   = `{"name":"gulp","description":"Drinks.","inputSchema":{"type":"object"},"Annotations":{"readOnlyHint":true}}`
	notListed     = `{"name":"look","description":"Looks.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`
)

// cacheGate is a gateway whose chain caches the tools "find", "write", "erase" and "guess" of the server "peer".
type cacheGate struct {
	*gate
	servers tools.Servers
	calls   atomic.Int64           // that the server has got
	find    atomic.Pointer[string] // its definition of "find"
	reply   atomic.Pointer[string] // overrides the result of a call, whose id is 7
}

var rpcID = regexp.MustCompile(`"id":("[^"]*"|[0-9]+)`)

// say answers as the server.
func (g *cacheGate) say(c net.Conn, r sent) {
	id := rpcID.FindStringSubmatch(r.body)[1]
	if strings.Contains(r.body, `"tools/list"`) {
		list := strings.Join([]string{*g.find.Load(), claimsNothing, claimsFalse, claimsText, claimsOther, notListed}, ",")
		_, _ = io.WriteString(c, toolList(list))
		return
	}
	n := g.calls.Add(1)
	reply := toolJSON(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","content":[{"type":"text","text":"result %d"}]}}`, id, n))
	if own := g.reply.Load(); own != nil {
		reply = *own
	}
	_, _ = io.WriteString(c, reply)
}

// openCached starts the gateway, and has it see the definitions. The virtual server "all" has the server as its member.
func openCached(t *testing.T, change func(*tools.Server)) *cacheGate {
	t.Helper()
	return openCachedBehind(t, "{}", change)
}

// openCachedBehind is openCached with settings of the stage of personal data.
func openCachedBehind(t *testing.T, personal string, change func(*tools.Server)) *cacheGate {
	t.Helper()
	g := &cacheGate{}
	find := pinnedFind
	g.find.Store(&find)
	up := newFake(t, g.say)
	s := setup{chain: cachingBehind(t, personal, `tools: ["peer/find", "peer/[x]", "peer/write", "*/erase", "peer/gu*"]`, nil)}
	client, err := mcp.New(mcp.Settings{URL: up.url, AllowPrivate: true})
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	memory := bridge.NewMemory()
	server := &tools.Server{Name: "peer", Upstream: client.Upstream(), Pin: tools.PinFirstUse, Origin: "here"}
	modern(server)
	bridge.Attach(server, memory)
	if change != nil {
		change(server)
	}
	all := &tools.Server{Name: "all"}
	bridge.ConvertToVirtual(all, []tools.Member{{Server: server}}, generous, memory)
	g.servers = tools.Servers{"peer": server, "all": all}
	g.servers.Adopt(nil)
	g.servers.SetSealer(sessionBox(t))
	g.servers.SetPins(tools.NewPins(nil))
	s.runtime = func(rt *snapshot.Runtime) { rt.Servers = tools.NewSet(g.servers) }
	g.gate = open(t, s)
	require.Equal(t, 200, g.listTools("dev").status)
	return g
}

// call calls a tool with parameters as they are spelled, and returns the answer.
func (g *cacheGate) call(key, path, tool, id, params string, header ...string) answer {
	g.t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,%s}}`, id, tool, params)
	return g.postTo(path, key, body, append([]string{
		"Accept", "application/json, text/event-stream", "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", tool,
	}, header...)...)
}

const cachedArgs = meta + `,"arguments":{"q":"x","n":1}`

func TestAResultAnswersAnEqualCallOfAListedReadOnlyToolAndNoOther(t *testing.T) {
	withMeta := func(more string) string {
		return strings.Replace(meta, `{"io.`, `{`+more+`,"io.`, 1) + `,"arguments":{"q":"x","n":1}`
	}
	type call struct {
		key, path, tool, id, params string
		header                      []string
	}
	for name, c := range map[string]struct {
		change func(*tools.Server)
		first  call // as the default, where it is empty
		then   func(*testing.T, *cacheGate)
		second call
		hit    bool
	}{
		"the same call": {hit: true},
		"another id":    {second: call{id: `"b-9"`}, hit: true},
		"arguments in another order and with white space": {second: call{params: meta + `, "arguments": { "n":1, "q" : "x"}`}, hit: true},
		"another progress token and trace": {
			first:  call{params: withMeta(`"progressToken":"a","traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"`)},
			second: call{params: withMeta(`"progressToken":"b"`)}, hit: true,
		},
		"another key of the tenant":                          {second: call{key: "other"}, hit: true},
		"the same call of a virtual server's member":         {first: call{path: "/mcp/all", tool: "peer__find"}, second: call{path: "/mcp/all", tool: "peer__find"}, hit: true},
		"the tool of the member of a virtual server":         {second: call{path: "/mcp/all", tool: "peer__find"}},
		"other baggage":                                      {second: call{params: withMeta(`"baggage":"user=2"`)}},
		"a header that repeats an argument":                  {second: call{header: []string{"Mcp-Param-Q", "x"}}},
		"a header with a number that no argument has":        {first: call{header: []string{"Mcp-Param-Region", "2"}}},
		"another value":                                      {second: call{params: meta + `,"arguments":{"q":"x","n":2}`}},
		"no arguments":                                       {second: call{params: meta}},
		"other metadata":                                     {second: call{params: withMeta(`"com.example/region":"eu"`)}},
		"another tenant":                                     {second: call{key: "foreign"}},
		"another key where the server gets callers' values":  {change: func(s *tools.Server) { s.Restores = true }, second: call{key: "other"}},
		"the same key where the server gets callers' values": {change: func(s *tools.Server) { s.Restores = true }, hit: true},
		"a server without pins":                              {change: func(s *tools.Server) { s.Pin = tools.PinOff }},
		"a server whose origin is not known":                 {change: func(s *tools.Server) { s.Origin = "" }},
		"a tool that is listed and not annotated":            {first: call{tool: "write"}, second: call{tool: "write"}},
		"a tool that is listed and annotated as no reader":   {first: call{tool: "erase"}, second: call{tool: "erase"}},
		"a tool whose annotation is a text":                  {first: call{tool: "guess"}, second: call{tool: "guess"}},
		"a tool whose member has a capital letter":           {first: call{tool: "gulp"}, second: call{tool: "gulp"}},
		"a tool that is annotated and not listed":            {first: call{tool: "look"}, second: call{tool: "look"}},
		"a member of a virtual server that is only listed":   {first: call{path: "/mcp/all", tool: "peer__write"}, second: call{path: "/mcp/all", tool: "peer__write"}},
		"a client that wants a new result":                   {second: call{header: []string{"Cache-Control", "no-cache"}}},
		"a client that wants nothing stored":                 {first: call{header: []string{"Cache-Control", "no-store"}}},
		"the answers to questions of the server":             {first: call{params: cachedArgs + `,"requestState":"s"`}, second: call{params: cachedArgs + `,"requestState":"s"`}},
		"another server at the name": {then: func(_ *testing.T, g *cacheGate) {
			g.servers["peer"].Origin = "elsewhere"
		}},
		"a definition that an administrator has approved since": {then: func(t *testing.T, g *cacheGate) {
			next := strings.Replace(pinnedFind, "people", "everyone", 1)
			g.find.Store(&next)
			view := tools.NewPins(nil) // as if the new one was the trusted one
			g.servers.SetPins(view)
			require.Contains(t, g.listTools("dev").body, "everyone")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			g := openCached(t, c.change)
			send := func(c call) answer {
				pick := func(s, standard string) string {
					if s == "" {
						return standard
					}
					return s
				}
				return g.call(pick(c.key, "dev"), pick(c.path, "/mcp/peer"), pick(c.tool, "find"), pick(c.id, "7"), pick(c.params, cachedArgs), c.header...)
			}
			first := send(c.first)
			require.Equal(t, 200, first.status, first.body)
			require.Contains(t, first.body, "result 1")
			if c.then != nil {
				c.then(t, g)
			}
			second := send(c.second)
			require.Equal(t, 200, second.status, second.body)
			if c.hit {
				id := c.second.id
				if id == "" {
					id = "7"
				}
				assert.JSONEq(t, `{"jsonrpc":"2.0","id":`+id+`,"result":{"resultType":"complete","content":[{"type":"text","text":"result 1"}]}}`, second.body)
				assert.Equal(t, "HIT", second.header.Get("X-Cache"))
				assert.EqualValues(t, 1, g.calls.Load())
				return
			}
			assert.Contains(t, second.body, "result 2")
			assert.NotEqual(t, "HIT", second.header.Get("X-Cache"))
		})
	}
}

func TestResultsThatDoNotLastAreNotStored(t *testing.T) {
	result := func(members string) string {
		return toolJSON(`{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete",` + members + `}}`)
	}
	const progress = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`
	text := `{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","content":[{"type":"text","text":"x"}]}}`
	for name, c := range map[string]struct {
		reply  string
		header []string
		hit    bool
	}{
		"a result":                     {reply: toolJSON(text), hit: true},
		"a result as the only event":   {reply: toolEvents(text), hit: true},
		"structured content":           {reply: result(`"content":[],"structuredContent":{"a":[1]}`), hit: true},
		"a result after progress":      {reply: toolEvents(progress, text)},
		"progress that was left out":   {reply: toolEvents(progress, text), header: []string{"Accept", "application/json"}},
		"a tool that has failed":       {reply: result(`"isError":true,"content":[{"type":"text","text":"x"}]`)},
		"a link to a resource":         {reply: result(`"content":[{"type":"text","text":"x"},{"type":"resource_link","uri":"https://example.com/a","name":"a"}]`)},
		"a link that is spelled oddly": {reply: result(`"content":[{"type":"resource\u005flink","uri":"https://example.com/a","name":"a"}]`)},
		"a JSON-RPC error":             {reply: toolJSON(`{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"broken"}}`)},
		"a request for input":          {reply: toolJSON(`{"jsonrpc":"2.0","id":7,"result":{"resultType":"input_required","requestState":"s"}}`)},
	} {
		t.Run(name, func(t *testing.T) {
			g := openCached(t, nil)
			g.reply.Store(&c.reply)
			for range 2 {
				a := g.call("dev", "/mcp/peer", "find", "7", cachedArgs, c.header...)
				require.NotContains(t, a.body, "broke off")
				require.NotContains(t, a.body, "upstream_invalid")
			}
			assert.EqualValues(t, map[bool]int{true: 1, false: 2}[c.hit], g.calls.Load())
		})
	}
}

func TestAStoredResultIsRecordedAsOneAndCostsNothing(t *testing.T) {
	g := openCached(t, func(s *tools.Server) { s.Price = 5 })
	for range 2 {
		require.Equal(t, 200, g.call("dev", "/mcp/peer", "find", "7", cachedArgs).status)
	}
	g.awaitCost(5)
	require.Eventually(t, func() bool { return g.usage().Records == 3 }, generous, time.Millisecond)
	assert.EqualValues(t, 5, g.usage().Cost)
	var requests, responses []map[string]any
	for _, r := range g.records() {
		switch {
		case r.kind == "GATEWAY_REQUEST" && r.payload["mcp_method"] == "tools/call":
			requests = append(requests, r.payload)
		case r.kind == "GATEWAY_RESPONSE":
			responses = append(responses, r.payload)
		}
	}
	require.Len(t, requests, 2)
	require.Len(t, responses, 3)
	assert.Nil(t, requests[0]["cache"])
	assert.Equal(t, "hit", requests[1]["cache"])
	assert.Equal(t, requests[0]["arguments_sha256"], requests[1]["arguments_sha256"])
	assert.Len(t, requests[1]["arguments_sha256"], 64)
	assert.Equal(t, "answered", responses[2]["outcome"])
	assert.Equal(t, "cache", responses[2]["by"])
}

func TestAStoredResultIsRedactedForEachCallerAsAFreshOneIs(t *testing.T) {
	g := openCachedBehind(t, "response: redact", nil)
	reply := toolJSON(`{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","content":[{"type":"text","text":"ask jane.doe@example.com"}]}}`)
	g.reply.Store(&reply)
	fresh := g.call("dev", "/mcp/peer", "find", "7", cachedArgs)
	stored := g.call("other", "/mcp/peer", "find", "7", cachedArgs)
	assert.NotContains(t, stored.body, "jane.doe@")
	assert.EqualValues(t, 1, g.calls.Load())
	assert.Equal(t, fresh.body, stored.body)
}
