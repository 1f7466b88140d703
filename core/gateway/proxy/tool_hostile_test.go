package proxy_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/stages/ratelimit"
)

func TestNoModelHasANameThatOnlyRulesForToolsMatch(t *testing.T) {
	up := newFake(t, says(buildWhole(200, "application/json", completion("x"))))
	g := open(t, setup{url: up.url})
	for _, name := range []string{"mcp/gpt-test", "MCP/gpt-test", "mcp/peer/echo"} {
		a := g.postTo("/v1/chat/completions", "dev", `{"model":"`+name+`","messages":[{"role":"user","content":"x"}]}`)
		assert.Equal(t, 400, a.status, a.body)
		assert.Contains(t, a.body, "prefixes of tools")
	}
	assert.Empty(t, up.requests())
}

func TestAKeyWithoutAScopeForToolsReachesNoServer(t *testing.T) {
	up := newFake(t, says(toolJSON(toolResult("x"))))
	g := openToolsWith(t, up.url, setup{}, nil)
	for name, body := range map[string]string{
		"a greeting":            `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}`,
		"a ping":                `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		"a notification":        `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		"an answer":             `{"jsonrpc":"2.0","id":1,"result":{}}`,
		"text that is not JSON": `{`,
	} {
		a := g.postTo("/mcp/peer", "chat", body)
		assert.Equal(t, 403, a.status, "%s: %s", name, a.body)
		assert.Contains(t, a.body, "tools:call", name)
	}
	assert.Empty(t, up.requests())
}

func TestAListShowsNoToolWhoseNameNoCallMayHave(t *testing.T) {
	up := newFake(t, says(toolJSON(`{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","ttlMs":0,"cacheScope":"public","tools":[`+
		`{"name":"echo","inputSchema":{}},{"name":"ech\u043e","inputSchema":{}},{"name":"a b","inputSchema":{}},{"n\u0061me":"find","inputSchema":{}}]}}`)))
	g := openToolsWith(t, up.url, setup{}, modern)
	a := g.listTools("dev")
	assert.Equal(t, `{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[`+
		`{"name":"echo","inputSchema":{}},{"n\u0061me":"find","inputSchema":{}}]}}`, a.body)
}

// listTools lists the tools of the server "peer" as a modern client does.
func (g *gate) listTools(key string) answer {
	g.t.Helper()
	return g.sendTool(key, "tools/list", "", `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{`+meta+`}}`)
}

func TestAListThatTwoReadersWouldReadDifferentlyIsRefused(t *testing.T) {
	for name, list := range map[string]string{
		"two names":   `"tools":[{"name":"echo","name":"erase","inputSchema":{}}]`,
		"two lists":   `"tools":[{"name":"echo","inputSchema":{}}],"tools":[{"name":"erase","inputSchema":{}}]`,
		"a no object": `"tools":["erase"]`,
		"no name":     `"tools":[{"title":"erase"}]`,
	} {
		up := newFake(t, says(toolJSON(`{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","ttlMs":0,"cacheScope":"public",`+list+`}}`)))
		g := openToolsWith(t, up.url, setup{}, func(s *tools.Server) { modern(s); s.Tools = []string{"echo"} })
		a := g.listTools("dev")
		assert.Equal(t, 502, a.status, name)
		assert.NotContains(t, a.body, "erase", name)
	}
}

func TestHeadersThatRepeatArgumentsAgreeWithThem(t *testing.T) {
	const address = "jane.doe@example.com"
	up := newFake(t, says(toolJSON(toolResult("x"))))
	g := openTools(t, up.url, modern)
	call := func(name, value, text string) answer {
		return g.postTo("/mcp/peer", "dev", toolBody("echo", text), "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call",
			"Mcp-Name", "echo", name, value)
	}
	require.Equal(t, 200, call("Mcp-Param-Text", address, address).status)
	header := up.last(t).header.Get("Mcp-Param-Text")
	assert.NotContains(t, header, address)
	assert.Contains(t, header, "EMAIL")
	a := call("Mcp-Param-Text", address, "x")
	assert.Equal(t, 400, a.status, "no guard has seen it")
	assert.Contains(t, a.body, "header_mismatch")
	assert.Equal(t, 400, call("Mcp-Param-Text", "=?base64?!?=", "x").status)
	assert.Equal(t, 200, call("Mcp-Param-Count", "7", "x").status)
	assert.Len(t, up.requests(), 2)
}

// renaming changes the name of the tool when the target is known.
type renaming struct{}

func (renaming) Check(_ context.Context, x *core.Exchange, ph core.Phase, _ any) (core.Verdict, error) {
	if ph != core.Target {
		return core.Verdict{Action: core.Pass}, nil
	}
	for i := range x.Request.Segments {
		if x.Request.ReadText(i) == "find.people@example.com" {
			return core.Verdict{Action: core.Rewrite, Edits: []core.Edit{{Segment: i, End: len("find.people@example.com"), With: "erase"}}}, nil
		}
	}
	return core.Verdict{Action: core.Pass}, nil
}

// curious notes what it sees of a request when it is shown the answer.
type curious struct {
	mu   sync.Mutex
	seen strings.Builder
}

func (c *curious) Check(_ context.Context, x *core.Exchange, ph core.Phase, _ any) (core.Verdict, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ph == core.Response {
		_, _ = fmt.Fprintf(&c.seen, "%s ", x.Request.Raw)
		for i := range x.Request.Segments {
			c.seen.WriteString(x.Request.ReadText(i) + " ")
		}
	}
	return core.Verdict{Action: core.Pass}, nil
}

func TestNoGuardOfAnswersSeesTheValuesThatATrustedServerGets(t *testing.T) {
	const address = "jane.doe@example.com"
	up := newFake(t, says(toolJSON(toolResult("x"))))
	spy := &curious{}
	s := setup{chain: func(tok core.Tokens) []chain.Link {
		return append(redacting(t, "")(tok), link("spy", spy, core.Response))
	}}
	g := openToolsWith(t, up.url, s, func(s *tools.Server) { modern(s); s.Restores = true })
	require.Equal(t, 200, g.callTool("dev", "echo", "write to "+address).status)
	assert.Contains(t, up.last(t).body, address)
	assert.Contains(t, spy.seen.String(), "EMAIL")
	assert.NotContains(t, spy.seen.String(), address)
}

func TestAStatusOfAServerIsNotTheClientsBusiness(t *testing.T) {
	const secret = "internal-host.example"
	failure := `{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"` + secret + `"}}`
	for name, c := range map[string]struct {
		reply  string
		status int
		shown  bool
	}{
		"a result that was created":  {buildWhole(201, "application/json", toolResult(secret)), 200, true},
		"part of a result":           {buildWhole(206, "application/json", toolResult(secret)), 200, true},
		"an error with its status":   {buildWhole(400, "application/json", failure), 400, true},
		"a redirect":                 {buildWhole(307, "application/json", failure, "Location: http://"+secret), 502, true},
		"an error about credentials": {buildWhole(403, "application/json", failure), 502, false},
		"an error of a proxy":        {buildWhole(407, "application/json", failure), 502, false},
	} {
		g := openToolsWith(t, newFake(t, says(c.reply)).url, setup{}, modern)
		a := g.callTool("dev", "echo", "x")
		assert.Equal(t, c.status, a.status, "%s: %s", name, a.body)
		assert.Equal(t, c.shown, strings.Contains(a.body, secret), "%s: %s", name, a.body)
		assert.Empty(t, a.header.Get("Location"), name)
	}
}

func TestAClientMayAcceptEventsInAHeaderOfItsOwn(t *testing.T) {
	const progress = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`
	g := openToolsWith(t, newFake(t, says(toolEvents(progress, toolResult("x")))).url, setup{}, modern)
	r := g.request("dev", strings.NewReader(toolBody("echo", "x")), "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "echo")
	r.URL.Path = "/mcp/peer"
	r.Header["Accept"] = []string{"application/json", "Text/Event-Stream"}
	assert.Contains(t, g.do(r).body, progress)
}

func TestALimitCountsTheEndsOfSessions(t *testing.T) {
	st, err := ratelimit.New(
		block("limits: [{requests: 1, period: 24h}]"), ratelimit.Deps{Name: "limit", State: state.NewMemory(state.Options{})},
	)
	require.NoError(t, err)
	up := newFake(t, says("HTTP/1.1 204 x\r\nConnection: close\r\n\r\n"))
	sealed := ""
	g := openToolsWith(t, up.url, setup{links: []chain.Link{link("limit", st, core.Request)}}, nil)
	s := &tools.Server{Name: "peer", Sessions: sessionBox(t)}
	sealed = s.SealSession(&core.Principal{Tenant: "tenant-a", KeyID: "id-dev", Lineage: "id-dev"}, "s-1")
	end := func(key string) answer {
		r := g.request(key, http.NoBody, "Mcp-Session-Id", sealed)
		r.Method, r.URL.Path = http.MethodDelete, "/mcp/peer"
		return g.do(r)
	}
	assert.Equal(t, 404, end("other").status)
	assert.Equal(t, 403, end("chat").status)
	a := end("dev")
	require.Equal(t, 204, a.status, a.body)
	assert.Equal(t, "s-1", up.last(t).header.Get("Mcp-Session-Id"))
	assert.Equal(t, 429, end("dev").status)
	assert.Len(t, up.requests(), 1)
}

func TestLargeAnswersOfToolsAreBounded(t *testing.T) {
	up := newFake(t, says(toolJSON(toolResult(strings.Repeat("x", 3<<20)))))
	s := setup{runtime: func(rt *snapshot.Runtime) { rt.Answers = snapshot.AnswerLimits{Process: 2 << 20, Tenant: 2 << 20} }}
	before := withPeer(t, up.url, s, modern)
	servers := before.runtime
	before.runtime = func(rt *snapshot.Runtime) { s.runtime(rt); servers(rt) }
	g := open(t, before)
	a := g.callTool("dev", "echo", "x")
	assert.Equal(t, 503, a.status)
	assert.Contains(t, a.body, `"code":"overloaded"`)
	assert.Zero(t, g.proxy.Answers.Use().Bytes)
}

func TestHeaderAndBodyAgreeAlsoAfterALinkOfTheLastPhase(t *testing.T) {
	// Names of tools hold no text that a link is shown, but addresses of resources do.
	up := newFake(t, says(toolJSON(`{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","contents":[]}}`)))
	g := openToolsWith(t, up.url, setup{links: []chain.Link{link("rename", renaming{}, core.Target)}}, modern)
	body := `{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{` + meta + `,"uri":"find.people@example.com"}}`
	a := g.sendTool("dev", "resources/read", "find.people@example.com", body)
	require.Equal(t, 200, a.status, a.body)
	assert.Contains(t, up.last(t).body, `"uri":"erase"`)
	assert.Equal(t, "erase", up.last(t).header.Get("Mcp-Name"), "what is sent agrees with itself")
}
