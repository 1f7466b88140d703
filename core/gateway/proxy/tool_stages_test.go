package proxy_test

import (
	"context"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/stages/budget"
	"github.com/headgate-dev/headgate/stages/policy"
	"github.com/headgate-dev/headgate/stages/ratelimit"
)

// sayNext answers each request with the next of the replies.
func sayNext(replies <-chan string) func(net.Conn, sent) {
	return func(c net.Conn, _ sent) { _, _ = io.WriteString(c, <-replies) }
}

func TestAPolicyDeniesATool(t *testing.T) {
	st, err := policy.New(nil, policy.Deps{Now: time.Now, Chain: []string{"policy"}, Policies: oneSource(
		"version: 1\nname: p\nrules:\n  - {id: no, conditions: {model.in: [mcp/peer/erase]}, action: DENY, deny_message: \"Not for you.\"}\n" +
			"  - {id: models, conditions: {model.in: [\"*\"]}, action: DENY, deny_message: \"No models.\"}\n")})
	require.NoError(t, err)
	up := newFake(t, says(toolJSON(toolResult("done"))))
	links := []chain.Link{link("policy", st, core.Request, core.Target, core.Response)}
	g := openToolsWith(t, up.url, setup{links: links}, modern)
	a := g.callTool("dev", "erase", "x")
	assert.Equal(t, 403, a.status, a.body)
	assert.Contains(t, a.body, "Not for you.")
	assert.Contains(t, a.body, `"id":7`)
	assert.Empty(t, up.requests())
	a = g.callTool("dev", "echo", "x")
	assert.Equal(t, 200, a.status, "a glob of models matches no tool: %s", a.body)
}

func TestARateLimitCountsCallsOfTools(t *testing.T) {
	st, err := ratelimit.New(
		block("limits: [{requests: 1, period: 24h}]"), ratelimit.Deps{Name: "limit", State: state.NewMemory(state.Options{})},
	)
	require.NoError(t, err)
	up := newFake(t, says(toolJSON(toolResult("done"))))
	g := openToolsWith(t, up.url, setup{links: []chain.Link{link("limit", st, core.Request)}}, modern)
	require.Equal(t, 200, g.callTool("dev", "echo", "x").status)
	a := g.callTool("dev", "echo", "x")
	assert.Equal(t, 429, a.status, a.body)
	assert.Contains(t, a.body, `"error"`)
	assert.NotEmpty(t, a.header.Get("Retry-After"))
	assert.Len(t, up.requests(), 1)
}

func TestABudgetPaysForCallsAndRefusesWhatItHasNoRoomFor(t *testing.T) {
	money := new(spending.Budgets)
	money.Set([]spending.Budget{{ID: "all", Name: "all", Period: spending.Daily, Limit: 12, Tokens: -1}})
	st, err := budget.New(nil, budget.Deps{State: state.NewMemory(state.Options{}), Now: time.Now, Spending: money, Calls: tools.Servers{"peer": {Price: 5}}})
	require.NoError(t, err)
	replies := make(chan string, 4)
	up := newFake(t, sayNext(replies))
	links := []chain.Link{link("budget", st, core.Request, core.Target)}
	g := openToolsWith(t, up.url, setup{links: links}, func(s *tools.Server) { modern(s); s.Price = 5 })
	settled := func(n int64) {
		t.Helper()
		require.Eventually(t, func() bool { return g.usage().Records == n }, generous, time.Millisecond)
	}
	replies <- toolJSON(`{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"broken"}}`)
	g.callTool("dev", "echo", "x")
	settled(1)
	assert.Zero(t, g.usage().Cost, "a call that the server has refused costs nothing")
	for i := range int64(2) {
		replies <- toolJSON(toolResult("done"))
		require.Equal(t, 200, g.callTool("dev", "echo", "x").status)
		settled(i + 2)
	}
	assert.EqualValues(t, 10, g.usage().Cost)
	a := g.callTool("dev", "echo", "x")
	assert.Equal(t, 429, a.status, a.body)
	assert.Contains(t, a.body, core.CodeQuota)
	assert.Len(t, up.requests(), 3)
	settled(4)
	assert.EqualValues(t, 10, g.usage().Cost)
}

func TestAGuardJudgesArgumentsResultsAndEventsOfTools(t *testing.T) {
	const word = "zanzibar77"
	progress := `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"about ` + word + `"}}`
	list := `{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","ttlMs":0,"cacheScope":"public","tools":[{"name":"echo","description":"` +
		word + `","inputSchema":{"type":"object"}}]}}`
	for name, c := range map[string]struct{ method, text, reply string }{
		"arguments":    {"tools/call", word, toolJSON(toolResult("x"))},
		"a result":     {"tools/call", "x", toolJSON(toolResult("the " + word))},
		"an event":     {"tools/call", "x", toolEvents(progress, toolResult("x"))},
		"a last one":   {"tools/call", "x", toolEvents(toolResult("the " + word))},
		"a definition": {"tools/list", "", toolJSON(list)},
	} {
		t.Run(name, func(t *testing.T) {
			up := newFake(t, says(c.reply))
			g := openToolsWith(t, up.url, setup{chain: keyword("block", word)(t)}, modern)
			var a answer
			if c.method == "tools/list" {
				a = g.sendTool("dev", c.method, "", `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{`+meta+`}}`)
			} else {
				a = g.callTool("dev", "echo", c.text)
			}
			assert.NotContains(t, a.body, word)
			assert.Equal(t, c.text == word, len(up.requests()) == 0)
			if c.method == "tools/list" { // the other tools of the list stay
				assert.Contains(t, a.body, `"tools":[]`)
				assert.Equal(t, "served", g.outcome()["outcome"])
				return
			}
			assert.Contains(t, a.body, `"error"`)
			assert.Contains(t, a.body, core.CodeContentFilter)
			assert.Equal(t, "blocked", g.outcome()["outcome"])
		})
	}
}

// wholeOnly is a guard that cannot look at streams.
type wholeOnly struct{}

func (wholeOnly) Check(context.Context, *core.Exchange, core.Phase, any) (core.Verdict, error) {
	return core.Verdict{Action: core.Pass}, nil
}

func TestAGuardWithoutStreamsCostsTheNotificationsAndNotTheResult(t *testing.T) {
	const progress = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1,"message":"half way"}}`
	replies := make(chan string, 2)
	up := newFake(t, sayNext(replies))
	links := []chain.Link{link("whole", wholeOnly{}, core.Request, core.Response)}
	g := openToolsWith(t, up.url, setup{links: links}, modern)
	replies <- toolEvents(progress, toolResult("done"))
	a := g.callTool("dev", "echo", "x")
	assert.Equal(t, 200, a.status, a.body)
	assert.Equal(t, toolResult("done"), a.body)
	assert.Equal(t, "served", g.outcome()["outcome"])

	g = openToolsWith(t, up.url, setup{links: links}, nil)
	replies <- toolEvents(`{"jsonrpc":"2.0","id":"s-1","method":"elicitation/create","params":{}}`, toolResult("done"))
	a = g.postTo("/mcp/peer", "dev", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{}}}`,
		"Accept", "application/json, text/event-stream", "Mcp-Protocol-Version", "2025-11-25")
	assert.Equal(t, 502, a.status, "the server would wait for its timeout: %s", a.body)
	assert.Contains(t, a.body, "asks the client a question")
}
