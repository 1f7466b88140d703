package policy

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

func yamlInto(text string, into any) error {
	d := yaml.NewDecoder(strings.NewReader(text))
	d.KnownFields(true)
	return d.Decode(into)
}

// rule returns a policy of one rule.
func rule(text string) string { return "version: 1\nname: p\nrules:\n  - " + text }

var alone = []string{Name}

func TestADeniedRequestIsToldTheDenyMessage(t *testing.T) {
	b := newBench(t, alone, active(rule(`{id: no, conditions: {model.denylist: ["gpt-*"]}, action: DENY, deny_message: "Use another."}`)))
	x, d := b.request(hello)
	require.Equal(t, core.Block, d.Action)
	assert.Equal(t, 403, d.Err.HTTPStatus())
	assert.Equal(t, core.CodePolicyDenied, d.Err.Code)
	assert.Equal(t, "Use another.", d.Err.Public)
	require.Len(t, x.Findings, 1)
	assert.Equal(t, "p/no", x.Findings[0].Label)
	assert.Equal(t, core.FoundPolicy, x.Findings[0].Kind)
}

func TestRulesSeeWhatTheRequestHolds(t *testing.T) {
	for _, c := range []struct{ name, conditions, body string }{
		{"the prefix of a provider hides no model", `model.denylist: [gpt-4]`, `{"model":"openai/gpt-4","messages":[{"role":"user","content":"x"}]}`},
		{"temperature", `request.temperature_gt: 1.5`, `{"model":"m","temperature":1.6,"messages":[{"role":"user","content":"x"}]}`},
		{"metadata", `metadata: {project: "secret-*"}`, `{"model":"m","metadata":{"project":"secret-1"},"messages":[{"role":"user","content":"x"}]}`},
		{"a file", `request.has_files: true`, `{"model":"m","messages":[{"role":"user","content":[{"type":"file","file":{"file_id":"f"}}]}]}`},
		{"no system message", `messages.system_missing: true`, hello},
		{"the type of a tool", `tools.types_any: [function]`, `{"model":"m","tools":[{"type":"function","function":{"name":"f"}}],"messages":[{"role":"user","content":"x"}]}`},
		{"the name of a tool", `tools.denylist: ["exec_*"]`, `{"model":"m","tools":[{"type":"function","function":{"name":"exec_sql"}}],"messages":[{"role":"user","content":"x"}]}`},
		{"a header", `headers: {x-experiment: "beta-*"}`, hello},
		{"tags of the key", `key.tags_any: [batch]`, hello},
		{"metadata of the key", `key.metadata: {team: interns}`, hello},
		{"metadata of the tenant", `tenant.metadata: {residency: eu}`, hello},
		{"no end user", `user.missing: true`, hello},
		{"the shape", `request.shape_in: [openai.chat]`, hello},
		{"the number of messages", `messages.count_gt: 0`, hello},
		{"the length of the prompt", `tokens.prompt_gt: 100`, says(strings.Repeat("word ", 100))},
		{"no limit on tokens", `tokens.max_missing: true`, hello},
		{"the cost", `cost.estimated_usd_gt: 1`, `{"model":"gpt-5","max_tokens":20000,"messages":[{"role":"user","content":"x"}]}`},
		{"the cost of many answers", `cost.estimated_usd_gt: 1`, `{"model":"gpt-5","max_tokens":2000,"n":10,"messages":[{"role":"user","content":"x"}]}`},
		{"the budget", `budget.remaining_pct_lt: 51`, hello},
		{"the time", `time.window: {days: [tue], from: "12:00", to: "12:01"}`, hello},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, alone, active(rule(`{id: no, conditions: {`+c.conditions+`}, action: DENY}`)))
			_, d := b.request(c.body)
			assert.Equal(t, core.Block, d.Action)
			b = newBench(t, alone, active(rule(`{id: no, conditions: {`+c.conditions+`, model.in: [other]}, action: DENY}`)))
			_, d = b.request(c.body)
			assert.Equal(t, core.Pass, d.Action)
		})
	}
}

func TestACostThatNobodyKnowsFiresNoRule(t *testing.T) {
	b := newBench(t, alone, active(rule(`{id: no, conditions: {cost.estimated_usd_gt: 0}, action: DENY}`)))
	_, d := b.request(strings.Replace(hello, "gpt-5", "no-route", 1))
	assert.Equal(t, core.Pass, d.Action)
}

func TestEffectsOfAllRulesAreMerged(t *testing.T) {
	b := newBench(t, alone, active(`version: 1
name: p
rules:
  - {id: cap, action: CAP_TOKENS, params: {max_tokens: 500}}
  - {id: lower, action: CAP_TOKENS, params: {max_tokens: 100}}
  - {id: low, action: ROUTE, params: {model: gpt-low}}
  - {id: high, priority: 1, action: ROUTE, params: {model: gpt-high}}
  - {id: warn, action: WARN_AGENT, params: {message: "dear\ncall"}}
  - {id: flag, action: FLAG}
`))
	x, d := b.request(hello)
	require.Equal(t, core.Pass, d.Action)
	assert.Equal(t, "gpt-high", x.Model())
	assert.Equal(t, int64(100), x.TokenCap())
	assert.Equal(t, []core.Field{{Name: "X-Budget-Warning", Value: "true"}, {Name: "X-Budget-Warning-Message", Value: "dear call"}}, x.Header)
	assert.Len(t, x.Findings, 6)
	require.Equal(t, core.Pass, b.target(x, "openai", "gpt-high", "").Action)
	require.Equal(t, core.Pass, b.target(x, "azure-openai", "gpt-high", "").Action)
	assert.Len(t, x.Header, 2, "a warning is given once, however many targets are tried")
	assert.Len(t, x.Findings, 6)
}

func TestARoutedModelIsHeldAgainstTheRulesOnModels(t *testing.T) {
	b := newBench(t, alone, active(`version: 1
name: p
rules:
  - {id: route, conditions: {model.in: [gpt-5]}, action: ROUTE, params: {model: gpt-cheap}}
  - {id: no, conditions: {model.denylist: [gpt-cheap]}, action: DENY}
`))
	x, d := b.request(hello)
	require.Equal(t, core.Pass, d.Action)
	assert.Equal(t, core.Block, b.target(x, "openai", "gpt-cheap", "").Action)
}

func TestRouteByProviderAndRegion(t *testing.T) {
	b := newBench(t, alone, active(rule(`{id: r, action: ROUTE, params: {provider: mock}}`)))
	x, _ := b.request(hello)
	assert.Equal(t, "mock/gpt-5", x.Model())

	b = newBench(t, alone, active(rule(`{id: r, action: ROUTE, params: {region: eu-west}}`)))
	x, _ = b.request(hello)
	assert.Equal(t, core.Block, b.target(x, "openai", "gpt-5", "us-east").Action)
	assert.Equal(t, core.Pass, b.target(x, "openai", "gpt-5", "eu-west").Action)

	for model, want := range map[string]string{"gpt-nano": "gpt-nano", "nobody-serves": "gpt-5"} {
		b = newBench(t, alone, active(rule(`{id: r, action: ROUTE, params: {model: `+model+`, keep_if_unavailable: true}}`)))
		x, _ = b.request(hello)
		assert.Equal(t, want, x.Model())
	}
}

func TestARequirementOnTheRegionSkipsTargets(t *testing.T) {
	b := newBench(
		t,
		alone,
		active(
			rule(
				`{id: eu, conditions: {tenant.metadata: {residency: eu}}, action: REQUIRE_REGION, params: {regions: ["eu-*"]}, deny_message: "EU only."}`,
			),
		),
	)
	x, d := b.request(hello)
	require.Equal(t, core.Pass, d.Action)
	d = b.target(x, "openai", "gpt-5", "us-east")
	require.Equal(t, core.Block, d.Action)
	assert.Equal(t, "EU only.", d.Err.Public)
	assert.Equal(t, core.Pass, b.target(x, "openai", "gpt-5", "eu-west").Action)
	assert.Equal(t, core.Block, b.target(x, "openai", "gpt-5", "").Action, "a target that says no region is in none")
}

func TestPersonalDataIsSeenWhereverTheLinkStands(t *testing.T) {
	deny := active(rule(`{id: no, conditions: {pii.types_any: [CREDIT_CARD]}, action: DENY}`))
	card := says("card 4111 1111 1111 1111")
	t.Run("behind the PII stage the request is refused at once", func(t *testing.T) {
		_, d := newBench(t, []string{"pii", Name}, deny).request(card)
		assert.Equal(t, core.Block, d.Action)
	})
	t.Run("in front of it, before the request is sent", func(t *testing.T) {
		b := newBench(t, []string{Name, "pii"}, deny)
		x, d := b.request(card)
		require.Equal(t, core.Pass, d.Action)
		assert.Equal(t, core.Block, b.target(x, "openai", "gpt-5", "").Action)
	})
	t.Run("of two links, the second sees it", func(t *testing.T) {
		_, d := newBench(t, []string{Name, "pii", Name}, deny).request(card)
		require.Equal(t, core.Block, d.Action)
		assert.Equal(t, "policy2", d.Link)
	})
}

func TestPersonalDataIsRedactedByARule(t *testing.T) {
	for _, kinds := range [][]string{{"pii", Name}, {Name, "pii"}} {
		b := newBench(t, kinds, active(rule(`{id: r, conditions: {pii.types_any: [CREDIT_CARD]}, action: REDACT}`)))
		x, d := b.request(says("card 4111 1111 1111 1111, mail a@b.example"))
		require.Equal(t, core.Pass, d.Action)
		require.Equal(t, core.Pass, b.target(x, "openai", "gpt-5", "").Action)
		assert.Regexp(t, `card \{\{PII_CREDIT_CARD_[0-9a-f]{16}\}\}, mail a@b\.example"`, string(x.Request.Raw))
		require.Equal(t, core.Pass, b.target(x, "other", "gpt-5", "").Action, "what is redacted is not redacted again")
	}
}

func TestAValueSplitOverTwoPartsIsRedacted(t *testing.T) {
	b := newBench(t, []string{"pii", Name}, active(rule(`{id: r, action: REDACT, params: {types: ["*"]}}`)))
	x, d := b.request(
		`{"model":"gpt-5","messages":[{"role":"user","content":[{"type":"text","text":"card 4111 1111"},{"type":"text","text":" 1111 1111 end"}]}]}`,
	)
	require.Equal(t, core.Pass, d.Action)
	assert.Regexp(t, `"card \{\{PII_CREDIT_CARD_[0-9a-f]{16}\}\}"\},\{"type":"text","text":" end"`, string(x.Request.Raw))
}

// A rule that depends on a budget does not pass a request if the budget cannot be read.
func TestABudgetThatCannotBeReadIsAFaultOfTheRulesThatLookAtIt(t *testing.T) {
	text := rule(`{id: no, conditions: {budget.exceeded: true}, action: DENY}`)
	shadow := active(text)
	shadow.Status = policydoc.Shadow
	for name, c := range map[string]struct {
		record policydoc.Record
		want   core.Action
	}{
		"an active one":    {active(text), core.Block},
		"one in shadow":    {shadow, core.Pass},
		"one on the model": {active(rule(`{id: no, conditions: {model.in: [other]}, action: DENY}`)), core.Pass},
	} {
		b := newBench(t, alone, c.record)
		b.stage.deps.Budgets = budgets{err: errors.New("the server is away")}
		_, d := b.request(hello)
		assert.Equal(t, c.want, d.Action, name)
		assert.Equal(t, c.want == core.Block, d.Fault, name)
	}
}

func TestARotatedKeyIsKnownByTheFirstOfItsLine(t *testing.T) {
	b := newBench(t, alone, active(rule(`{id: no, conditions: {key.in: [k-0]}, action: DENY}`)))
	x := b.exchange(hello)
	p := *anna
	p.Lineage = "k-0"
	x.Principal = &p
	assert.Equal(t, core.Block, b.chain.Request(context.Background(), x).Action)
}
