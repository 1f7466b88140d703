package proxy_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/agents"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/stages/budget"
	"github.com/headgate-dev/headgate/stages/policy"
	"github.com/headgate-dev/headgate/stages/ratelimit"
)

func TestAPolicyDeniesAnAgent(t *testing.T) {
	for name, condition := range map[string]string{"as a model": "model.in: [a2a/planner]", "by its name": "agent.name: [plan*]"} {
		st, err := policy.New(nil, policy.Deps{Now: time.Now, Chain: []string{"policy"}, Policies: oneSource(
			"version: 1\nname: p\nrules:\n  - {id: no, conditions: {" + condition + "}, action: DENY, deny_message: \"Not for you.\"}\n")})
		require.NoError(t, err)
		up := newFake(t, says(toolJSON(agentSays("done"))))
		g := openAgent(t, up.url, setup{links: []chain.Link{link("policy", st, core.Request, core.Target, core.Response)}}, nil)
		a := g.toAgent("dev", agentBody(send03, "x"))
		assert.Equal(t, 403, a.status, "%s: %s", name, a.body)
		assert.Contains(t, a.body, "Not for you.")
		assert.Contains(t, a.body, `"id":7`)
		assert.Equal(t, 403, g.card("dev").status, name)
		assert.Empty(t, up.requests())
	}
}

func TestAPolicyForModelsDoesNotMatchAgents(t *testing.T) {
	st, err := policy.New(nil, policy.Deps{Now: time.Now, Chain: []string{"policy"}, Policies: oneSource(
		"version: 1\nname: p\nrules:\n  - {id: no, conditions: {model.in: [\"*\"]}, action: DENY}\n" +
			"  - {id: list, conditions: {agent.method: [tasks/get]}, action: DENY}\n")})
	require.NoError(t, err)
	g := openAgent(t, newFake(t, says(toolJSON(agentSays("done")))).url, setup{links: []chain.Link{link("policy", st, core.Request)}}, nil)
	assert.Equal(t, 200, g.toAgent("dev", agentBody(send03, "x")).status)
}

func TestARateLimitCountsRequestsToAgents(t *testing.T) {
	st, err := ratelimit.New(
		block("limits: [{requests: 1, period: 24h}]"), ratelimit.Deps{Name: "limit", State: state.NewMemory(state.Options{})},
	)
	require.NoError(t, err)
	up := newFake(t, says(toolJSON(agentSays("done"))))
	g := openAgent(t, up.url, setup{links: []chain.Link{link("limit", st, core.Request)}}, nil)
	require.Equal(t, 200, g.toAgent("dev", agentBody(send03, "x")).status)
	a := g.toAgent("dev", agentBody(send03, "x"))
	assert.Equal(t, 429, a.status, a.body)
	assert.NotEmpty(t, a.header.Get("Retry-After"))
	assert.Len(t, up.requests(), 1)
}

func TestABudgetPaysForMessagesAndNotForTheirTasks(t *testing.T) {
	money := new(spending.Budgets)
	money.Set([]spending.Budget{{ID: "all", Name: "all", Period: spending.Daily, Limit: 12, Tokens: -1}})
	st, err := budget.New(nil, budget.Deps{State: state.NewMemory(state.Options{}), Now: time.Now, Spending: money, Calls: agents.Agents{"planner": {Price: 5}}})
	require.NoError(t, err)
	replies := make(chan string, 8)
	up := newFake(t, sayNext(replies))
	g := openAgent(t, up.url, setup{links: []chain.Link{link("budget", st, core.Request, core.Target)}}, func(a *agents.Agent) { a.Price = 5 })
	task := agentResult(`{"kind":"task","id":"t-1","contextId":"c-1","status":{"state":"completed"}}`)
	settled := func(n, cost int64) {
		t.Helper()
		require.Eventually(t, func() bool { return g.usage().Records == n }, generous, time.Millisecond)
		assert.Equal(t, cost, g.usage().Cost)
	}
	replies <- toolJSON(`{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"broken"}}`)
	g.toAgent("dev", agentBody(send03, "x"))
	settled(1, 0)
	replies <- toolJSON(task)
	require.Equal(t, 200, g.toAgent("dev", agentBody(send03, "x")).status)
	settled(2, 5)
	replies <- agentVersions["1.0"].says("", "a", "b")
	require.Equal(t, 200, g.toAgent("dev", agentBody(stream10, "x")).status)
	settled(3, 10)
	a := g.toAgent("dev", agentBody(send03, "x"))
	assert.Equal(t, 429, a.status, a.body)
	assert.Contains(t, a.body, core.CodeQuota)
	settled(4, 10)
	replies <- buildWhole(200, "application/json", `{"name":"Planner"}`)
	assert.Equal(t, 200, g.card("dev").status, "a card costs nothing")
	settled(5, 10)
	assert.Len(t, up.requests(), 4)
}

func TestAMessageIsRecordedWithItsAgentAndADigest(t *testing.T) {
	g := openAgent(t, newFake(t, says(toolJSON(agentSays("done")))).url, setup{}, nil)
	require.Equal(t, 200, g.toAgent("dev", agentBody(send03, "secret plan")).status)
	var request, response map[string]any
	require.Eventually(t, func() bool {
		for _, r := range g.records() {
			switch {
			case r.payload["a2a_method"] == send03:
				request = r.payload
			case r.payload["outcome"] == "served":
				response = r.payload
			}
			assert.NotContains(t, r.raw, "secret plan")
		}
		return response != nil
	}, generous, 5*time.Millisecond)
	assert.Equal(t, "planner", request["a2a_agent"])
	assert.Equal(t, "0.3", request["a2a_version"])
	assert.Len(t, request["message_sha256"], 64)
	assert.Equal(t, "a2a/planner", response["provider"])
	assert.Equal(t, "a2a/planner", response["model"])
}
