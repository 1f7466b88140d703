package dsl

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func set(t testing.TB, text string) *Set {
	t.Helper()
	list, err := ParseAll([]byte(text), "", "")
	require.NoError(t, err)
	for i, p := range list { // older before younger
		p.Created = time.Unix(int64(i), 0)
	}
	return NewSet(list)
}

func TestTheReportedRuleIsThePlatformsOfHigherPriorityOlderFirst(t *testing.T) {
	r := Decide(set(t, `
name: tenant
scope: tenant:t
rules: [{id: t1, priority: 99, action: DENY}]
---
name: old
rules: [{id: low, action: DENY}, {id: high, priority: 2, action: DENY}]
---
name: young
rules: [{id: late, priority: 2, action: DENY}]
`), facts(t, `{"tenant":"t"}`, true))
	assert.Equal(t, "high", r.RuleID)
	assert.Equal(t, []string{"old/low", "old/high", "young/late", "tenant/t1"}, r.Matched)
}

func TestEffectsAreMerged(t *testing.T) {
	r := Decide(set(t, `
name: p
rules:
  - {id: c1, action: CAP_TOKENS, params: {max_tokens: 9}}
  - {id: c2, action: CAP_TOKENS, params: {max_tokens: 5}}
  - {id: r1, conditions: {pii.types_any: [IBAN, JWT]}, action: REDACT}
  - {id: r2, action: REDACT, params: {types: [EMAIL]}}
  - {id: o1, action: ROUTE, params: {model: a}}
  - {id: o2, priority: 1, action: ROUTE, params: {provider: azure, keep_if_unavailable: true}}
  - {id: w, action: WARN_AGENT, params: {message: hm}}
  - {id: f, action: FLAG, params: {severity: high}}
`), facts(t, `{"pii":["JWT"]}`, true))
	assert.Equal(t, Allowed, r.Status)
	assert.Equal(t, Effects{
		Cap: 5, Redact: []string{"EMAIL", "IBAN", "JWT"}, Route: &Routed{RuleID: "o2", Provider: "azure-openai", KeepIfUnavailable: true},
		Warnings: []Said{{RuleID: "w", Message: "hm"}}, Flags: []Said{{RuleID: "f", Severity: "high"}},
	}, r.Effects)
}

func TestRequirementsDenyUnlessTheyHold(t *testing.T) {
	for _, c := range []struct{ rule, holds, fails string }{
		{`action: REQUIRE_REGION, params: {regions: ["eu-*"]}`, `{"region":"eu-1"}`, `{"region":""}`},
		{`action: REQUIRE_SCOPE, params: {scopes: [a, b]}`, `{"scopes":["a","b"]}`, `{"scopes":["a"]}`},
		{`action: REQUIRE_USER`, `{"user":"u"}`, `{"user":""}`},
		{`action: REQUIRE_METADATA, params: {keys: [team]}`, `{"metadata":{"team":"x"}}`, `{"metadata":{}}`},
		{`action: REQUIRE_METADATA, params: {keys: {team: "a*"}}`, `{"metadata":{"team":"ab"}}`, `{"metadata":{"team":"b"}}`},
		{`action: REQUIRE_SCHEMA`, `{"schema":true}`, `{"schema":false}`},
	} {
		s := parseRule(t, `{id: r, `+c.rule+`}`)
		assert.Equal(t, Allowed, Decide(s, facts(t, c.holds, true)).Status, c.rule)
		assert.Equal(t, Denied, Decide(s, facts(t, c.fails, true)).Status, c.rule)
		r := Decide(s, facts(t, `{}`, false))
		assert.Equal(t, Undetermined, r.Status, c.rule)
		assert.NotEmpty(t, r.Unknown, c.rule)
	}
	assert.Equal(t, Denied, Decide(parseRule(t, `{id: r, action: REQUIRE_APPROVAL}`), facts(t, `{}`, true)).Status)
}

func TestAnAllowExemptsNamedRulesAlone(t *testing.T) {
	text := `
name: p
rules:
  - {id: a, conditions: {model.in: [m]}, action: DENY}
  - {id: b, conditions: {model.in: [m]}, action: DENY}
  - {id: pass, conditions: {key.tags_any: [vip]}, action: ALLOW, params: {exempts: [%s]}}
`
	vip := `{"model":"m","key_tags":["vip"]}`
	assert.Equal(t, Denied, Decide(set(t, strings.ReplaceAll(text, "%s", "a")), facts(t, vip, true)).Status)
	both := set(t, strings.ReplaceAll(text, "%s", "a, p/b"))
	r := Decide(both, facts(t, vip, true))
	assert.Equal(t, Allowed, r.Status)
	assert.Equal(t, []string{"p/pass"}, r.Matched)
	assert.Equal(t, Undetermined, Decide(both, facts(t, `{"model":"m"}`, false)).Status, "the exemption may hold")
	assert.Equal(t, Denied, Decide(both, facts(t, `{"model":"m","key_tags":[]}`, false)).Status)
	assert.Equal(t, Allowed, Decide(both, facts(t, `{"model":"x"}`, false)).Status, "nothing unknown can change it")
}

func TestATenantsAllowExemptsNothingOfThePlatform(t *testing.T) {
	s := set(
		t,
		"name: p\nrules: [{id: a, action: DENY}]\n---\nname: q\nscope: tenant:t\nrules: [{id: pass, action: ALLOW, params: {exempts: [a]}}]\n",
	)
	assert.Equal(t, Denied, Decide(s, facts(t, `{"tenant":"t"}`, true)).Status)
}

func TestAnExpressionIsBounded(t *testing.T) {
	long := `tools.names.all(a, tools.names.all(b, tools.names.all(c, a + b + c != "x")))`
	names, err := json.Marshal(strings.Split(strings.Repeat("tool ", 60), " "))
	require.NoError(t, err)
	context := `{"tools":` + string(names) + `}`
	r := Decide(parseRule(t, `{id: r, when: '`+long+`', action: DENY}`), facts(t, context, true))
	assert.Equal(t, Denied, r.Status)
	require.Len(t, r.Notes, 1)
	assert.Contains(t, r.Notes[0], "costs more than 20000 steps")
	assert.Equal(t, Allowed, Decide(parseRule(t, `{id: r, on_error: skip, when: '`+long+`', action: DENY}`), facts(t, context, true)).Status)
	assert.Equal(t, Allowed, Decide(parseRule(t, `{id: r, when: '`+long+`', action: FLAG}`), facts(t, context, true)).Status)
}

func TestExpressionsSeeTheirVariables(t *testing.T) {
	context := `{"model":"m","provider":"p","region":"eu","tenant":{"id":"t","metadata":{"plan":"free"}},"key":{"id":"k","tags":["x"],"scopes":["s"]},
		"user":"u","tools":["f"],"messages":3,"tokens":{"prompt":7,"max":9},"cost":1.5,"budget_pct":40,"pii":["EMAIL"],"detector":{"toxicity":0.7},
		"context_window":100,"temperature":0.5,"metadata":{"long":"1"},"headers":{"X-A":"b"},"now":"2026-03-01T10:00:00Z"}`
	for _, x := range []string{
		`model.name == "m" && model.routed == "m" && model.context_window == 100`, `provider.name == "p" && provider.region == "eu"`,
		`tenant.id == "t" && tenant.metadata.?plan.orValue("") == "free"`, `"x" in key.tags && key.id == "k" && "s" in key.scopes`,
		`user.id == "u" && !user.missing`, `tools.count == 1 && "f" in tools.names`, `messages.count > 2`, `tokens.prompt + tokens.max == 16`,
		`cost.estimated_usd > 1.0`, `budget.remaining_pct < 50.0 && !budget.exceeded`, `"EMAIL" in pii.types && pii.count == 1`,
		`detector.toxicity > 0.6 && detector.?jailbreak.orValue(0.0) == 0.0`, `request.temperature < 1.0 && "long" in request.metadata`,
		`request.headers["x-a"] == "b"`, `now.getHours() == 10`, `has(request.temperature)`,
	} {
		r := Decide(parseRule(t, `{id: r, when: '`+x+`', action: DENY}`), facts(t, context, true))
		assert.Equal(t, Denied, r.Status, x)
		assert.Empty(t, r.Notes, x)
	}
	assert.Equal(t, Undetermined, Decide(parseRule(t, `{id: r, when: 'tokens.prompt > 5', action: DENY}`), facts(t, `{"model":"m"}`, false)).Status)
	assert.Equal(
		t,
		Allowed,
		Decide(parseRule(t, `{id: r, when: 'tokens.prompt > 5 && model.name == "x"', action: DENY}`), facts(t, `{"model":"m"}`, false)).Status,
	)
	assert.Equal(
		t,
		Allowed,
		Decide(parseRule(t, `{id: r, when: 'cost.estimated_usd > 0.0', action: DENY}`), facts(t, `{}`, true)).Status,
		"an unknown cost",
	)
}

func TestCredentialsAreNoHeadersOfExpressions(t *testing.T) {
	s := parseRule(t, `{id: r, when: '"authorization" in request.headers', action: DENY}`)
	assert.Equal(t, Allowed, Decide(s, facts(t, `{"headers":{"Authorization":"Bearer x"}}`, true)).Status)
}

// A decision that was made with some inputs unknown holds, whatever their values turn out to be.
func TestWhatIsDeterminedDoesNotChangeWhenMoreIsKnown(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	s := set(t, `
name: p
rules:
  - {id: a, match: any, conditions: {model.in: [m1], user.in: [u1], tokens.prompt_gt: 50}, unless: {key.tags_any: [x]}, action: DENY}
  - {id: b, conditions: {provider.in: [p1]}, when: 'tokens.prompt > 20 || user.id == "u2"', action: DENY}
  - {id: c, conditions: {region.in: [r1]}, action: REQUIRE_USER}
  - {id: d, conditions: {key.tags_any: [y]}, action: ALLOW, params: {exempts: [a, c]}}
`)
	pick := func(list ...any) any { return list[r.IntN(len(list))] }
	seen := map[Status]int{}
	for range 3000 {
		full := map[string]any{
			"model": pick("m1", "m2"), "user": pick("", "u1", "u2"), "provider": pick("p1", "p2"), "region": pick("r1", "r2"),
			"key_tags": []any{pick("x", "y", "z")}, "tokens": pick(10.0, 30.0, 60.0),
		}
		part := map[string]any{}
		for k, v := range full {
			if r.IntN(2) == 0 {
				part[k] = v
			}
		}
		now := time.Unix(0, 0)
		whole, err := ParseContext(full, false, now)
		require.NoError(t, err)
		some, err := ParseContext(part, false, now)
		require.NoError(t, err)
		want, got := Decide(s, whole), Decide(s, some)
		require.NotEqual(t, Undetermined, want.Status)
		seen[got.Status]++
		if got.Status != Undetermined {
			require.Equal(t, want.Status, got.Status, "%v of %v", part, full)
		} else {
			require.NotEmpty(t, got.Unknown)
		}
	}
	assert.Len(t, seen, 3)
}

func TestATraceTellsEveryCondition(t *testing.T) {
	s := parseRule(t, `{id: r, conditions: {model.in: [a], tokens.prompt_gt: 5}, unless: {user.in: [u]}, when: 'true', action: DENY}`)
	assert.Equal(t, []Step{
		{Rule: "p/r", Condition: "model.in", Input: "a", Result: true},
		{Rule: "p/r", Condition: "tokens.prompt_gt", Unknown: true},
		{Rule: "p/r", Condition: "unless user.in", Unknown: true},
		{Rule: "p/r", Condition: "when", Result: true},
		{Rule: "p/r", Unknown: true},
	}, TraceRules(s, facts(t, `{"model":"a"}`, false)))
}

func TestContextsAreReadStrictly(t *testing.T) {
	for text, says := range map[string]string{
		`[]`: "not a JSON object", `{"modle":"m"}`: `did you mean "model"`, `{"model":5}`: `"model": write a text`, `{"messages":"x"}`: "write a number",
		`{"dow":"monday"}`: "write one of mon", `{"now":"today"}`: "write a time", `{"pii":[1]}`: "write a list of texts", `{"key":{"nme":"x"}}`: `did you mean "key_name"`,
	} {
		_, err := ReadContext([]byte(text), true, time.Now())
		require.ErrorContains(t, err, says, text)
	}
}
