package policytest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

func mergeEffects(t *testing.T, by *Subject) {
	b := newBench(t, by, Alone, NewActive(`version: 1
name: p
rules:
  - {id: cap, action: CAP_TOKENS, params: {max_tokens: 500}}
  - {id: lower, action: CAP_TOKENS, params: {max_tokens: 100}}
  - {id: low, action: ROUTE, params: {model: gpt-low}}
  - {id: high, priority: 1, action: ROUTE, params: {model: gpt-high}}
  - {id: warn, action: WARN_AGENT, params: {message: "dear\ncall"}}
  - {id: flag, action: FLAG}
`))
	x, d := b.Send(Hello)
	require.Equal(t, core.Pass, d.Action)
	assert.Equal(t, "gpt-high", x.Model())
	assert.Equal(t, int64(100), x.TokenCap())
	assert.Equal(t, []core.Field{{Name: "X-Budget-Warning", Value: "true"}, {Name: "X-Budget-Warning-Message", Value: "dear call"}}, x.Header)
	assert.Len(t, x.Findings, 6)
	require.Equal(t, core.Pass, b.SendTo(x, "openai", "gpt-high", "").Action)
	require.Equal(t, core.Pass, b.SendTo(x, "azure-openai", "gpt-high", "").Action)
	assert.Len(t, x.Header, 2, "a warning is given once, however many targets are tried")
	assert.Len(t, x.Findings, 6)
}

func judgeRoutes(t *testing.T, by *Subject) {
	b := newBench(t, by, Alone, NewActive(`version: 1
name: p
rules:
  - {id: route, conditions: {model.in: [gpt-5]}, action: ROUTE, params: {model: gpt-cheap}}
  - {id: no, conditions: {model.denylist: [gpt-cheap]}, action: DENY}
`))
	x, d := b.Send(Hello)
	require.Equal(t, core.Pass, d.Action)
	assert.Equal(t, core.Block, b.SendTo(x, "openai", "gpt-cheap", "").Action)

	b = newBench(t, by, Alone, NewActive(FormatRule(`{id: no, conditions: {model.allowlist: ["gpt-*"]}, action: DENY}`)))
	x, d = b.Send(Hello)
	require.Equal(t, core.Pass, d.Action)
	assert.Equal(t, core.Pass, b.SendTo(x, "openai", "gpt-5-2026-01-01", "").Action)
	b = newBench(t, by, Alone, NewActive(FormatRule(`{id: no, conditions: {model.denylist: ["*-unsafe"]}, action: DENY}`)))
	x, d = b.Send(Hello)
	require.Equal(t, core.Pass, d.Action)
	assert.Equal(t, core.Block, b.SendTo(x, "openai", "gpt-5-unsafe", "").Action, "a provider's own name hides no model")
}

func routeElsewhere(t *testing.T, by *Subject) {
	b := newBench(t, by, Alone, NewActive(FormatRule(`{id: r, action: ROUTE, params: {provider: mock}}`)))
	x, _ := b.Send(Hello)
	assert.Equal(t, "mock/gpt-5", x.Model())
	x, _ = b.Send(formatCall("openai/gpt-4", ""))
	assert.Equal(t, "mock/gpt-4", x.Model())

	b = newBench(t, by, Alone, NewActive(FormatRule(`{id: r, action: ROUTE, params: {region: eu-west}}`)))
	x, _ = b.Send(Hello)
	assert.Equal(t, "gpt-5", x.Model())
	assert.Equal(t, core.Block, b.SendTo(x, "openai", "gpt-5", "us-east").Action)
	assert.Equal(t, core.Pass, b.SendTo(x, "openai", "gpt-5", "eu-west").Action)
}

func keepRoutes(t *testing.T, by *Subject) {
	for model, want := range map[string]string{"gpt-nano": "gpt-nano", "nobody-serves": "gpt-5"} {
		b := newBench(t, by, Alone, NewActive(FormatRule(`{id: r, action: ROUTE, params: {model: `+model+`, keep_if_unavailable: true}}`)))
		x, _ := b.Send(Hello)
		assert.Equal(t, want, x.Model())
	}
}

func requireRegion(t *testing.T, by *Subject) {
	b := newBench(t, by, Alone, NewActive(FormatRule(
		`{id: eu, conditions: {tenant.metadata: {residency: eu}}, action: REQUIRE_REGION, params: {regions: ["eu-*"]}, deny_message: "EU only."}`)))
	x, d := b.Send(Hello)
	require.Equal(t, core.Pass, d.Action)
	d = b.SendTo(x, "openai", "gpt-5", "us-east")
	require.Equal(t, core.Block, d.Action)
	assert.Equal(t, "EU only.", d.Err.Public)
	assert.Equal(t, core.Pass, b.SendTo(x, "openai", "gpt-5", "eu-west").Action)
	assert.Equal(t, core.Block, b.SendTo(x, "openai", "gpt-5", "").Action, "a target that says no region is in none")
}

func requireMore(t *testing.T, by *Subject) {
	for _, c := range []struct {
		action, body string
		want         core.Action
	}{
		{`REQUIRE_SCOPE, params: {scopes: ["completions:write"]}`, Hello, core.Pass},
		{`REQUIRE_SCOPE, params: {scopes: ["completions:write", "files:write"]}`, Hello, core.Block},
		{`REQUIRE_USER`, Hello, core.Block},
		{`REQUIRE_USER`, formatCall("m", `"user":"u-1",`), core.Pass},
		{`REQUIRE_METADATA, params: {keys: [team]}`, Hello, core.Block},
		{`REQUIRE_METADATA, params: {keys: [team]}`, formatCall("m", `"metadata":{"team":"x"},`), core.Pass},
		{`REQUIRE_METADATA, params: {keys: {team: "a*"}}`, formatCall("m", `"metadata":{"team":"x"},`), core.Block},
		{`REQUIRE_METADATA, params: {keys: {team: "a*"}}`, formatCall("m", `"metadata":{"team":"ab"},`), core.Pass},
	} {
		_, d := newBench(t, by, Alone, NewActive(FormatRule(`{id: r, action: `+c.action+`}`))).Send(c.body)
		require.Equal(t, c.want, d.Action, "%s %s", c.action, c.body)
		if c.want == core.Block {
			assert.Contains(t, d.Err.Public, "the policy rule p/r asks for what this request does not meet: require_")
		}
	}
}

func requireSchema(t *testing.T, by *Subject) {
	schema := `"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":{"type":"object","description":"An answer."}}},`
	for body, want := range map[string]core.Action{Hello: core.Block, formatCall("m", schema): core.Pass} {
		_, d := newBench(t, by, Alone, NewActive(FormatRule(`{id: r, action: REQUIRE_SCHEMA}`))).Send(body)
		assert.Equal(t, want, d.Action, body)
	}
}

func requireApproval(t *testing.T, by *Subject) {
	c := &Approvals{Given: map[string]bool{}}
	b := NewBench(t, by, Deps{Approvals: c, Policies: []policydoc.Record{NewActive(FormatRule(
		`{id: ask, conditions: {model.denylist: ["gpt-5"]}, action: REQUIRE_APPROVAL, deny_message: "Ask first."}`))}})
	_, d := b.Send(Hello)
	require.Equal(t, core.Block, d.Action)
	assert.Equal(t, core.CodePolicyDenied, d.Err.Code)
	assert.Equal(t, "Ask first.", d.Err.Public)
	assert.Equal(t, []string{"p/ask gpt-5"}, c.Asked)

	c.Given["p/ask gpt-5"] = true
	_, d = b.Send(Hello)
	assert.NotEqual(t, core.Block, d.Action)
	assert.Len(t, c.Asked, 1)

	_, d = b.Send(formatCall("other", ""))
	assert.NotEqual(t, core.Block, d.Action, "the rule is about another model")
}
