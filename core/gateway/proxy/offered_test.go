package proxy_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/tools/offered"
	"github.com/headgate-dev/headgate/stages/policy"
)

// askedAnswer and askedEvents are answers in which a model calls the tool "echo", as clients name it that reach it as "peer".
const (
	askedAnswer = `{"id":"a","object":"chat.completion","created":1,"model":"gpt-test","choices":[{"index":0,"message":{"role":"assistant","content":null,` +
		`"tool_calls":[{"id":"call_7","type":"function","function":{"name":"mcp__peer__echo","arguments":"{\"text\": \"x\"}"}}]},"finish_reason":"tool_calls"}],` +
		`"usage":{"prompt_tokens":9,"completion_tokens":9,"total_tokens":18}}`
	askedHead = `{"id":"a","object":"chat.completion.chunk","created":1,"model":"gpt-test","choices":[{"index":0,"delta":`
)

func askedEvents() string {
	event := func(data string) string { return "data: " + data + "\n\n" }
	return sseOf(
		event(askedHead+`{"role":"assistant","tool_calls":[{"index":0,"id":"call_7","type":"function","function":{"name":"mcp__peer__echo","arguments":""}}]},"finish_reason":null}]}`),
		event(askedHead+`{"tool_calls":[{"index":0,"function":{"arguments":"{\"text\": \"x\"}"}}]},"finish_reason":null}]}`),
		event(askedHead+`{},"finish_reason":"tool_calls"}]}`), event("[DONE]"),
	)
}

// sayAsked answers as the request wants it.
func sayAsked(c net.Conn, r sent) {
	if strings.Contains(r.body, `"stream":true`) {
		_, _ = io.WriteString(c, askedEvents())
		return
	}
	_, _ = io.WriteString(c, buildWhole(200, "application/json", askedAnswer))
}

// agentTurn is a request of an agent that offers a tool, in one of the shapes, and the next, which returns the tool's result.
type agentTurn struct{ path, first, next string }

func agentTurns(stream bool) map[string]agentTurn {
	s := fmt.Sprintf(`"model":"gpt-test","stream":%t,"max_tokens":50,`, stream)
	chatTools := `"tools":[{"type":"function","function":{"name":"mcp__peer__echo","parameters":{"type":"object"}}}]`
	ownTools := `"tools":[{"name":"mcp__peer__echo","input_schema":{"type":"object"}}]`
	responses := fmt.Sprintf(`{"model":"gpt-test","stream":%t,"tools":[{"type":"function","name":"mcp__peer__echo","parameters":{"type":"object"}}],"input":`, stream)
	return map[string]agentTurn{
		"openai.chat": {
			"/v1/chat/completions",
			`{` + s + chatTools + `,"messages":[{"role":"user","content":"go"}]}`,
			`{` + s + chatTools + `,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_7","type":"function",` +
				`"function":{"name":"mcp__peer__echo","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_7","content":"got x"}]}`,
		},
		"anthropic.messages": {
			"/v1/messages",
			`{` + s + ownTools + `,"messages":[{"role":"user","content":"go"}]}`,
			`{` + s + ownTools + `,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"call_7","name":"mcp__peer__echo",` +
				`"input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_7","content":"got x"}]}]}`,
		},
		"openai.responses": {
			"/v1/responses",
			responses + `[{"role":"user","content":"go"}]}`,
			responses + `[{"role":"user","content":"go"},{"type":"function_call","call_id":"call_7","name":"mcp__peer__echo","arguments":"{}"},` +
				`{"type":"function_call_output","call_id":"call_7","output":"got x"}]}`,
		},
	}
}

// openWithModel starts a gateway with a model and the server "peer".
func openWithModel(t *testing.T, s setup) (g *gate, model, server *fake) {
	t.Helper()
	model, server = newFake(t, sayAsked), newFake(t, says(toolJSON(toolResult("got x"))))
	if s.url = model.url; s.offers == nil {
		s.offers = offered.New()
	}
	return openToolsWith(t, server.url, s, modern), model, server
}

func TestACallOfAToolCarriesTheTraceOfTheAnswerThatAskedForItAndSoDoesTheNextRequest(t *testing.T) {
	for _, stream := range []bool{false, true} {
		for shape, turn := range agentTurns(stream) {
			t.Run(fmt.Sprintf("%s, streamed: %t", shape, stream), func(t *testing.T) {
				g, _, _ := openWithModel(t, setup{chain: redacting(t, "")})
				a := g.postTo(turn.path, "dev", turn.first, "Content-Type", "application/json")
				require.Equal(t, 200, a.status, a.body)
				trace := a.header.Get("X-Trace-Id")
				other := g.callTool("other", "echo", "x")
				assert.NotEqual(t, trace, other.header.Get("X-Trace-Id"), "another key has asked for nothing")
				a = g.callTool("dev", "echo", "x")
				require.Equal(t, 200, a.status, a.body)
				assert.Equal(t, trace, a.header.Get("X-Trace-Id"))
				a = g.postTo(turn.path, "dev", turn.next, "Content-Type", "application/json")
				require.Equal(t, 200, a.status, a.body)
				assert.Equal(t, trace, a.header.Get("X-Trace-Id"), "the request that returns the result")
				a = g.postTo(turn.path, "dev", turn.first, "Content-Type", "application/json")
				assert.NotEqual(t, trace, a.header.Get("X-Trace-Id"), "a request that returns no result")
				events := g.callTool("dev", "erase", "x")
				assert.NotEqual(t, trace, events.header.Get("X-Trace-Id"), "no model has called this tool")
			})
		}
	}
}

func TestATraceThatTheClientNamesIsKept(t *testing.T) {
	g, _, _ := openWithModel(t, setup{chain: redacting(t, "")})
	turn := agentTurns(false)["openai.chat"]
	require.Equal(t, 200, g.postTo(turn.path, "dev", turn.first).status)
	r := g.request("dev", strings.NewReader(toolBody("echo", "x")), "Content-Type", "application/json", "Accept", "application/json, text/event-stream",
		"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "echo", "X-Trace-Id", "own")
	r.URL.Path = "/mcp/peer"
	a := g.do(r)
	require.Equal(t, 200, a.status, a.body)
	assert.Equal(t, "own", a.header.Get("X-Trace-Id"))
	a = g.postTo(turn.path, "dev", turn.next, "X-Trace-Id", "own")
	assert.Equal(t, "own", a.header.Get("X-Trace-Id"))
}

func TestOfTwoCallsOfAToolTheArgumentsTellWhichIsCarriedOut(t *testing.T) {
	g, _, _ := openWithModel(t, setup{chain: redacting(t, "")})
	turn := agentTurns(false)["openai.chat"]
	first := g.postTo(turn.path, "dev", turn.first).header.Get("X-Trace-Id")
	memory := g.proxy.Offers
	p := &core.Principal{Tenant: "tenant-a", KeyID: "id-dev"}
	call := offered.Call{ID: "call_8", Name: "echo", Args: memory.SumArgs([]byte(`{"text":"another"}`))}
	memory.AddCalls(p, []offered.Call{call}, offered.Trace{ID: "second"}, time.Now())
	assert.Equal(t, "second", g.callTool("dev", "echo", "another").header.Get("X-Trace-Id"))
	assert.Equal(t, first, g.callTool("dev", "echo", "x").header.Get("X-Trace-Id"))
}

func TestTheSpansOfAModelsCallAndOfTheToolsCallAreOneTrace(t *testing.T) {
	c := newReceiver(t)
	g, _, server := openWithModel(t, setup{chain: redacting(t, ""), traces: newTraces(c)})
	turn := agentTurns(true)["openai.chat"]
	require.Equal(t, 200, g.postTo(turn.path, "dev", turn.first).status)
	a := g.callTool("dev", "echo", "x")
	require.Equal(t, 200, a.status, a.body)
	stated := strings.Replace(toolBody("echo", "x"), `"_meta":{`, `"_meta":{"traceparent":"`+clientParent+`",`, 1)
	own := g.sendTool("dev", "tools/call", "echo", stated)
	require.Equal(t, 200, own.status, own.body)
	assert.Equal(t, clientTrace, own.header.Get("X-Trace-Id"), "the client's metadata names the trace")
	g.end()

	model := c.requireSpan(t, "chat openai.chat")
	calls := c.listSpans("execute_tool mcp")
	require.Len(t, calls, 2, "a span that was replaced is not exported")
	assert.Equal(t, hexOf(model.GetTraceId()), hexOf(calls[0].GetTraceId()))
	assert.Equal(t, model.GetSpanId(), calls[0].GetParentSpanId())
	assert.Equal(t, clientTrace, hexOf(calls[1].GetTraceId()))
	assert.Equal(t, clientSpan, hexOf(calls[1].GetParentSpanId()))
	assert.Equal(t, a.header.Get("X-Trace-Id"), hexOf(model.GetTraceId()))
	assert.Contains(t, server.requests()[0].header.Get("Traceparent"), hexOf(model.GetTraceId()), "the server continues it")
}

func TestAPolicyRequiresThatAToolWasOfferedOrCalled(t *testing.T) {
	memory := offered.New()
	st, err := policy.New(nil, policy.Deps{Now: time.Now, Chain: []string{"policy"}, Offers: memory, Policies: oneSource(`version: 1
name: p
rules:
  - {id: offered, conditions: {tool.offered: false}, action: DENY, deny_message: "No model was offered this tool."}
  - {id: requested, when: "!tool.requested", action: DENY, deny_message: "No model has called this tool."}
`)})
	require.NoError(t, err)
	g, model, server := openWithModel(t, setup{offers: memory, links: []chain.Link{link("policy", st, core.Request, core.Target, core.Response)}})
	a := g.callTool("dev", "echo", "x")
	assert.Equal(t, 403, a.status)
	assert.Contains(t, a.body, "No model was offered this tool.")
	memory.AddOffer(&core.Principal{Tenant: "tenant-a", KeyID: "id-dev"}, []string{"mcp__peer__echo"}, time.Now())
	a = g.callTool("dev", "echo", "x")
	assert.Equal(t, 403, a.status)
	assert.Contains(t, a.body, "No model has called this tool.")
	assert.Empty(t, server.requests())
	turn := agentTurns(false)["anthropic.messages"]
	a = g.postTo(turn.path, "dev", turn.first)
	require.Equal(t, 200, a.status, "the rules are about calls of tools alone: %s", a.body)
	assert.Equal(t, 200, g.callTool("dev", "echo", "x").status)
	assert.Equal(t, 403, g.callTool("other", "echo", "x").status, "another key")
	assert.Equal(t, 403, g.callTool("dev", "erase", "x").status, "another tool")
	assert.Len(t, model.requests(), 1)
	assert.Len(t, server.requests(), 1)
}
