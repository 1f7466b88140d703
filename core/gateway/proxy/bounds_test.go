package proxy_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/stages/budget"
	"github.com/headgate-dev/headgate/stages/policy"
	"github.com/headgate-dev/headgate/stages/ratelimit"
)

// bound is a stage that enforces a limit, and a check of its effect. The check reports whether the stage applies to
// such requests at all; if it does not, the check verifies that they pass.
type bound struct {
	name string
	try  func(t *testing.T, b *bounded, m manner) bool
}

// TestEveryBoundHoldsInEveryShape runs each of these stages on each endpoint, whole and streamed.
func TestEveryBoundHoldsInEveryShape(t *testing.T) {
	table := newBoundsTable()
	for _, s := range stagesThatCount {
		t.Run(s.name, func(t *testing.T) {
			for _, b := range bounds() {
				for _, m := range b.manners() {
					t.Run(b.shape+" of "+b.provider+"/"+string(m), func(t *testing.T) {
						acts := s.try(t, &b, m)
						table.note(s.name, &b, m, acts && !t.Failed())
					})
				}
			}
		})
	}
	if !t.Failed() && table.complete() {
		table.check(t)
	}
}

// asks sends the request.
func (b *bounded) asks(g *gate, m manner) answer {
	path, body := b.request(m == streamed)
	return g.callPath(path, body)
}

// checkRefusal checks that the refusal has the shape's own body and that the provider was not called.
func (b *bounded) checkRefusal(t *testing.T, a answer, status int, code, says string) {
	t.Helper()
	require.Equal(t, status, a.status, a.body)
	assert.Contains(t, a.header.Get("Content-Type"), "application/json")
	var v struct {
		Type  string
		Error struct {
			Type, Status, Message string
			Code                  any
		}
	}
	require.NoError(t, json.Unmarshal([]byte(a.body), &v), a.body)
	assert.Contains(t, v.Error.Message, says)
	assert.Contains(t, a.body, `"`+code+`"`)
	switch b.shape {
	case "messages", "count_tokens":
		assert.Equal(t, "error", v.Type)
		assert.Equal(t, map[int]string{429: "rate_limit_error", 403: "permission_error", 502: "api_error"}[status], v.Error.Type)
	case "generateContent", "countTokens", "embedContent", "batchEmbedContents":
		assert.InDelta(t, status, v.Error.Code, 0)
		assert.Equal(t, map[int]string{429: "RESOURCE_EXHAUSTED", 403: "PERMISSION_DENIED", 502: "UNAVAILABLE"}[status], v.Error.Status)
	default:
		assert.Equal(t, code, v.Error.Code)
	}
}

var stagesThatCount = []bound{
	{"rate limit", func(t *testing.T, b *bounded, m manner) bool {
		st, err := ratelimit.New(
			block("limits: [{requests: 1, period: 24h}]"),
			ratelimit.Deps{Name: "limit", State: state.NewMemory(state.Options{})},
		)
		require.NoError(t, err)
		up := newFake(t, says(b.answer(aged, m == streamed)))
		g := open(t, setup{provider: newProvider(t, b.provider, up.url), override: "own", links: []chain.Link{link("limit", st, core.Request)}})
		a := b.asks(g, m)
		require.Equal(t, 200, a.status, a.body)
		assert.Equal(t, "1", a.header.Get("X-Ratelimit-Limit-Requests"))
		assert.Equal(t, "0", a.header.Get("X-Ratelimit-Remaining-Requests"))
		asked := len(up.requests())
		a = b.asks(g, m)
		b.checkRefusal(t, a, 429, core.CodeRateLimit, "")
		assert.NotEmpty(t, a.header.Get("Retry-After"))
		assert.NotEmpty(t, a.header.Get("X-Ratelimit-Reset-Requests"))
		assert.Equal(t, "1", a.header.Get("X-Ratelimit-Limit-Requests"))
		assert.Len(t, up.requests(), asked, "the provider was not called")
		return true
	}},
	{"budget", func(t *testing.T, b *bounded, m manner) bool {
		spends := func(tokens int64) (*gate, *fake) {
			money := new(spending.Budgets)
			money.Set([]spending.Budget{{ID: "all", Name: "all", Period: spending.Daily, Limit: -1, Tokens: tokens}})
			st, err := budget.New(block("least_output_tokens: 0"), budget.Deps{
				State: state.NewMemory(state.Options{}), Now: time.Now, Spending: money,
			})
			require.NoError(t, err)
			up := newFake(t, says(b.answer(aged, m == streamed)))
			return open(
				t,
				setup{provider: newProvider(t, b.provider, up.url), override: "own", links: []chain.Link{link("budget", st, core.Target)}},
			), up
		}
		g, _ := spends(1_000_000)
		a := b.asks(g, m)
		require.Equal(t, 200, a.status, a.body)
		if b.count {
			assert.Empty(t, a.header.Get("X-Budget-Remaining-Pct"))
		} else {
			assert.NotEmpty(t, a.header.Get("X-Budget-Remaining-Tokens"))
			assert.NotEmpty(t, a.header.Get("X-Budget-Remaining-Pct"))
		}
		g, up := spends(1)
		a = b.asks(g, m)
		if b.count {
			assert.Equal(t, 200, a.status, "a request that uses no quota is not refused: %s", a.body)
			return false
		}
		b.checkRefusal(t, a, 429, core.CodeQuota, "all")
		assert.Equal(t, "false", a.header.Get("X-Should-Retry"))
		assert.Empty(t, up.requests())
		return true
	}},
	{"policy, DENY", func(t *testing.T, b *bounded, m manner) bool {
		g, up := b.newRuledGate(t, m, `{id: no, conditions: {tenant.in: [tenant-a]}, action: DENY, deny_message: "Not for you."}`)
		a := b.asks(g, m)
		b.checkRefusal(t, a, 403, core.CodePolicyDenied, "Not for you.")
		assert.Empty(t, up.requests())
		return true
	}},
	{"policy, DENY for the finish reason", func(t *testing.T, b *bounded, m manner) bool {
		g, _ := b.newRuledGate(
			t,
			m,
			`{id: no, conditions: {response.finish_reason_in: [stop, end_turn, completed, STOP]}, action: DENY, deny_message: "Not so."}`,
		)
		a := b.asks(g, m)
		if !b.writes() {
			assert.Equal(t, 200, a.status, a.body)
			return false
		}
		b.checkRefusal(t, a, 403, core.CodePolicyDenied, "Not so.")
		assert.NotContains(t, a.body, `\"age`, "nothing of the answer is told")
		g, _ = b.newRuledGate(t, m, `{id: no, conditions: {response.finish_reason_in: [length, max_tokens, "max_output_*", MAX_TOKENS]}, action: DENY}`)
		a = b.asks(g, m)
		assert.Equal(t, 200, a.status, a.body)
		assert.Contains(t, a.body, `\"age`)
		return true
	}},
	{"policy, CAP_TOKENS", func(t *testing.T, b *bounded, m manner) bool {
		g, up := b.newRuledGate(t, m, `{id: cap, action: CAP_TOKENS, params: {max_tokens: 3}}`)
		a := b.asks(g, m)
		require.Equal(t, 200, a.status, a.body)
		if !b.writes() {
			for _, r := range up.requests() {
				assert.NotContains(t, strings.ToLower(r.body), "tokens")
			}
			return false
		}
		body := strings.ReplaceAll(up.last(t).body, " ", "")
		assert.Contains(t, body, strings.Replace(b.cap, "N", "3", 1))
		assert.Equal(t, 1, strings.Count(strings.ToLower(body), "tokens\":"), "the cap replaces the client's limit: %s", body)
		return true
	}},
	{"response cap", func(t *testing.T, b *bounded, m manner) bool {
		up := newFake(t, says(b.answer(aged, m == streamed)))
		g := open(t, setup{provider: newProvider(t, b.provider, up.url), override: "own", cap: 1234})
		without := *b
		for _, limit := range []string{`"max_tokens":5,`, `"max_output_tokens":50,`, `"generationConfig":{"maxOutputTokens":5},`} {
			without.body = strings.Replace(without.body, limit, "", 1)
		}
		a := without.asks(g, m)
		require.Equal(t, 200, a.status, a.body)
		if !b.writes() {
			for _, r := range up.requests() {
				assert.NotContains(t, r.body, "1234")
			}
			return false
		}
		assert.Contains(t, strings.ReplaceAll(up.last(t).body, " ", ""), strings.Replace(b.cap, "N", "1234", 1))
		return true
	}},
	{"output schema", func(t *testing.T, b *bounded, m manner) bool {
		up := newFake(t, b.inTurns(m == streamed, ageless, aged))
		g := open(t, setup{provider: newProvider(t, b.provider, up.url), override: "own", links: []chain.Link{schemaLink(t, wantsAge("1"))}})
		a := b.asks(g, m)
		require.Equal(t, 200, a.status, a.body)
		if !b.writes() {
			assert.LessOrEqual(t, len(up.requests()), 1, "there is no answer to request again")
			return false
		}
		assert.Len(t, up.requests(), 2)
		assert.NotContains(t, a.body, "Ann")
		up = newFake(t, b.inTurns(m == streamed, ageless))
		g = open(t, setup{provider: newProvider(t, b.provider, up.url), links: []chain.Link{schemaLink(t, wantsAge("1"))}})
		b.checkRefusal(t, b.asks(g, m), 502, core.CodeOutputSchema, "2 answers")
		return true
	}},
}

// newRuledGate returns a gateway with one policy of one rule.
func (b *bounded) newRuledGate(t *testing.T, m manner, rule string) (*gate, *fake) {
	t.Helper()
	st, err := policy.New(nil, policy.Deps{
		Now: time.Now, Chain: []string{"policy"}, Policies: oneSource("version: 1\nname: p\nrules:\n  - " + rule + "\n"),
	})
	require.NoError(t, err)
	up := newFake(t, says(b.answer(aged, m == streamed)))
	return open(t, setup{
		provider: newProvider(
			t,
			b.provider,
			up.url,
		),
		override: "own",
		links:    []chain.Link{link("policy", st, core.Request, core.Target, core.Response)},
	}), up
}
