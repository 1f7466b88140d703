package conflict

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// find returns the conflicts in a text of policies.
func find(t testing.TB, text string, providers ...string) []policydoc.Issue {
	t.Helper()
	list, err := dsl.ParseAll([]byte(text), "", "")
	require.NoError(t, err)
	return Find(list, Options{Providers: providers})
}

// two returns two policies of one rule each, of the same tenant.
func two(a, b string) string {
	return "- {name: p, scope: \"tenant:t\", rules: [" + a + "]}\n- {name: q, scope: \"tenant:t\", rules: [" + b + "]}\n"
}

func TestPairsOfRules(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"lists of what is allowed have nothing in common", two(
			`{id: a, conditions: {model.allowlist: ["gpt-*"]}, action: DENY}`, `{id: b, conditions: {model.allowlist: [claude-opus]}, action: DENY}`), []string{AllowlistsDisjoint}},
		{"lists of what is allowed that have something in common", two(
			`{id: a, conditions: {model.allowlist: ["gpt-*"]}, action: DENY}`, `{id: b, conditions: {model.allowlist: ["*-mini"]}, action: DENY}`), nil},
		{"disjoint lists for different users", two(
			`{id: a, conditions: {user.in: [x], model.allowlist: [a]}, action: DENY}`, `{id: b, conditions: {user.in: [y], model.allowlist: [b]}, action: DENY}`), nil},
		{"a list of what is allowed that another rule denies", two(
			`{id: a, conditions: {model.allowlist: [gpt-5, "claude-*"]}, action: DENY}`, `{id: b, conditions: {model.denylist: ["gpt-5*"]}, action: DENY}`), []string{AllowDenyOverlap}},
		{"a list of what is allowed with an exception that is denied", two(
			`{id: a, conditions: {model.allowlist: ["gpt-*"]}, action: DENY}`, `{id: b, conditions: {model.denylist: [gpt-5-pro]}, action: DENY}`), nil},
		{"tools that are allowed and denied", two(
			`{id: a, conditions: {tools.allowlist: [read_file]}, action: DENY}`, `{id: b, conditions: {tools.denylist: ["read_*"]}, action: DENY}`), []string{AllowDenyOverlap}},
		{"allowed to one and denied to another", two(
			`{id: a, conditions: {user.in: [x], model.allowlist: [m]}, action: DENY}`, `{id: b, conditions: {user.in: [y], model.denylist: [m]}, action: DENY}`), nil},
		{"alternatives that allow and deny the same", `{name: p, rules: [{id: a, match: any, conditions: {provider.allowlist: [openai], provider.denylist: [openai]}, action: DENY}]}`, []string{AllowDenyOverlap}},
		{"both lists ANDed", `{name: p, rules: [{id: a, conditions: {model.allowlist: [gpt-5], model.denylist: [gpt-4]}, action: DENY}]}`, []string{AllowDenyOverlap}},
		{"an exception among what is listed otherwise", `{name: p, rules: [{id: a, conditions: {model.allowlist: [gpt-5], model.in: ["gpt-*"]}, action: DENY}]}`, nil},
		{"a route by what was found", `{name: p, rules: [{id: a, conditions: {pii.types_any: [EMAIL]}, action: ROUTE, params: {model: m}}]}`, []string{RouteTooLate}},
		{"a route by a detector's score", `{name: p, rules: [{id: a, conditions: {detector.labels_any: [jailbreak]}, action: ROUTE, params: {model: m}}]}`, []string{RouteTooLate}},
		{"an exemption that is needed", two(
			`{id: a, conditions: {model.in: ["gpt-5*"]}, action: ALLOW, params: {exempts: [b]}}`, `{id: b, conditions: {model.denylist: ["gpt-*"]}, action: DENY}`), []string{AllowDenyOverlap}},
		{"an exemption for other models", two(
			`{id: a, conditions: {model.in: ["gpt-5*"]}, action: ALLOW, params: {exempts: [b]}}`, `{id: b, conditions: {model.denylist: ["claude-*"]}, action: DENY}`), nil},
		{"an exemption from nothing", two(
			`{id: a, conditions: {model.in: [x]}, action: ALLOW, params: {exempts: [c]}}`, `{id: b, conditions: {model.in: [y]}, action: DENY}`), []string{UnknownReference}},
		{"an exemption from the platform", "- {name: p, rules: [{id: b, conditions: {model.in: [m]}, action: DENY}]}\n" +
			"- {name: q, scope: \"tenant:t\", rules: [{id: a, conditions: {model.in: [m]}, action: ALLOW, params: {exempts: [b]}}]}", []string{ExemptsPlatform}},
		{"a wide denial before a narrow one", two(
			`{id: a, conditions: {model.in: ["gpt-*"]}, action: DENY}`, `{id: b, conditions: {model.in: [gpt-5]}, action: DENY}`), []string{ShadowedRule}},
		{"a narrow denial before a wide one, whose message is given", two(
			`{id: a, conditions: {model.in: [gpt-5]}, action: DENY}`, `{id: b, conditions: {model.in: ["gpt-*"]}, action: DENY}`), nil},
		{"a narrow denial of higher priority", two(
			`{id: a, conditions: {model.in: ["gpt-*"]}, action: DENY}`, `{id: b, priority: 1, conditions: {model.in: [gpt-5]}, action: DENY}`), nil},
		{"a route that is denied", two(
			`{id: a, conditions: {model.in: ["gpt-*"]}, action: DENY}`, `{id: b, conditions: {model.in: [gpt-5]}, action: ROUTE, params: {model: x}}`), []string{ShadowedRule}},
		{"a flag on what is denied is kept", two(
			`{id: a, conditions: {model.in: ["gpt-*"]}, action: DENY}`, `{id: b, conditions: {model.in: [gpt-5]}, action: FLAG}`), nil},
		{"a limit that another contains", two(
			`{id: a, conditions: {tokens.prompt_gt: 100}, action: DENY}`, `{id: b, conditions: {tokens.prompt_gt: 200}, action: REDACT}`), []string{ShadowedRule}},
		{"the same effect for fewer requests", two(
			`{id: a, conditions: {model.in: ["gpt-*"]}, action: FLAG}`, `{id: b, conditions: {model.in: [gpt-5], user.in: [u]}, action: FLAG}`), []string{RedundantRule}},
		{"a route to what is denied", two(
			`{id: a, conditions: {model.in: [gpt-5]}, action: ROUTE, params: {model: cheap}}`, `{id: b, conditions: {model.denylist: ["ch*"]}, action: DENY}`), []string{RouteTargetDenied}},
		{"a route to what is not allowed", two(
			`{id: a, conditions: {model.in: [gpt-5]}, action: ROUTE, params: {provider: groq}}`, `{id: b, conditions: {provider.allowlist: [openai]}, action: DENY}`), []string{RouteTargetDenied}},
		{"a route to what is denied for others", two(
			`{id: a, conditions: {model.in: [gpt-5], user.in: [x]}, action: ROUTE, params: {model: cheap}}`, `{id: b, conditions: {model.denylist: [cheap], user.in: [y]}, action: DENY}`), nil},
		{"routes in a circle", two(
			`{id: a, conditions: {model.in: [m1]}, action: ROUTE, params: {model: m2}}`, `{id: b, conditions: {model.in: [m2]}, action: ROUTE, params: {model: m1}}`), []string{RouteCycle}},
		{"providers in a circle", two(
			`{id: a, conditions: {provider.in: [openai]}, action: ROUTE, params: {provider: groq}}`, `{id: b, conditions: {provider.in: [groq]}, action: ROUTE, params: {provider: openai}}`), []string{RouteCycle}},
		{"routes in a row", two(
			`{id: a, conditions: {model.in: [m1]}, action: ROUTE, params: {model: m2}}`, `{id: b, conditions: {model.in: [m2]}, action: ROUTE, params: {model: m3}}`), nil},
		{"two routes of which one has priority", two(
			`{id: a, conditions: {model.in: [m]}, action: ROUTE, params: {model: x}}`, `{id: b, priority: 1, conditions: {model.in: [m]}, action: ROUTE, params: {model: y}}`), nil},
		{"two routes to one place", two(
			`{id: a, conditions: {model.in: [m1, m2]}, action: ROUTE, params: {model: x}}`, `{id: b, conditions: {model.in: [m2, m3]}, action: ROUTE, params: {model: x}}`), nil},
		{"limits that are merged", two(
			`{id: a, conditions: {model.in: ["gpt-*"]}, action: CAP_TOKENS, params: {max_tokens: 100}}`, `{id: b, conditions: {model.in: [gpt-5]}, action: CAP_TOKENS, params: {max_tokens: 50}}`), []string{CapsMerge}},
		{"a limit that never counts", two(
			`{id: a, conditions: {model.in: ["gpt-*"]}, action: CAP_TOKENS, params: {max_tokens: 50}}`, `{id: b, conditions: {model.in: [gpt-5]}, action: CAP_TOKENS, params: {max_tokens: 100}}`), []string{CapConflict}},
		{"other tenants", "- {name: p, scope: \"tenant:t\", rules: [{id: a, conditions: {model.in: [m]}, action: ROUTE, params: {model: x}}]}\n" +
			"- {name: q, scope: \"tenant:u\", rules: [{id: a, conditions: {model.in: [m]}, action: ROUTE, params: {model: y}}]}", nil},
		{"windows that do not meet", two(
			`{id: a, conditions: {time.window: {days: [mon], from: "08:00", to: "12:00"}}, action: ROUTE, params: {model: x}}`,
			`{id: b, conditions: {time.window: {days: [mon], from: "12:00", to: "18:00"}}, action: ROUTE, params: {model: y}}`), nil},
		{"windows that meet in summer only", two(
			`{id: a, conditions: {time.window: {days: [mon], from: "08:00", to: "10:30"}}, action: ROUTE, params: {model: x}}`,
			`{id: b, conditions: {time.window: {days: [mon], from: "12:00", to: "18:00", tz: Europe/Berlin}}, action: ROUTE, params: {model: y}}`), []string{RouteAmbiguous}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var codes []string
			for _, i := range find(t, c.text) {
				codes = append(codes, i.Code)
				assert.NotEmpty(t, i.Text)
			}
			assert.Equal(t, c.want, codes)
		})
	}
}

func TestSingleRules(t *testing.T) {
	for _, c := range []struct{ name, rule, want string }{
		{"a contradiction of models", `conditions: {model.in: ["gpt-*"], model.allowlist: ["*"]}, action: DENY`, NeverMatches},
		{"a contradiction of models in two lists", `conditions: {model.in: ["gpt-5*"], model.denylist: ["claude-*"]}, action: DENY`, NeverMatches},
		{"whole numbers", `conditions: {messages.count_gt: 3, tokens.prompt_gt: 5, tokens.prompt_lt: 6}, action: DENY`, NeverMatches},
		{"no tools, and their names", `conditions: {request.has_tools: false, tools.denylist: [x]}, action: DENY`, NeverMatches},
		{"no limit, and its size", `conditions: {tokens.max_missing: true, tokens.max_gt: 5}, action: DENY`, NeverMatches},
		{"a user that is missing and named", `conditions: {user.missing: true, user.in: ["*"]}, action: DENY`, NeverMatches},
		{"another tenant", `conditions: {tenant.in: [u]}, action: DENY`, NeverMatches},
		{"every model", `conditions: {model.in: ["*"]}, action: DENY`, MatchesEverything},
		{"one condition of all that is enough", `match: any, conditions: {model.in: ["*"], user.in: [u]}, action: DENY`, MatchesEverything},
		{"an unknown type to redact", `action: REDACT, params: {types: [CARD]}`, UnknownReference},
		{"an unknown provider", `action: ROUTE, params: {provider: opnai}`, UnknownReference},
		{"an unknown provider in a list", `conditions: {provider.denylist: [opnai]}, action: DENY`, UnknownReference},
		{"a flag on everything", `action: FLAG`, ""},
		{"an expression", `when: 'tokens.prompt > 5', action: DENY`, ""},
		{"types by pattern", `conditions: {pii.types_any: ["US_*"]}, action: DENY`, ""},
		{"a possible range", `conditions: {tokens.prompt_gt: 5, tokens.prompt_lt: 7}, action: DENY`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var codes []string
			for _, i := range find(t, `{name: p, scope: "tenant:t", rules: [{id: a, `+c.rule+`}]}`, "openai", "groq", "azure-openai") {
				codes = append(codes, i.Code)
			}
			if c.want == "" {
				assert.Empty(t, codes)
				return
			}
			assert.Equal(t, []string{c.want}, codes)
		})
	}
}

func TestAnExemptionThatWaitsForTheAnswerIsAnError(t *testing.T) {
	got := find(
		t,
		two(
			`{id: a, conditions: {response.tokens_gt: 5}, action: ALLOW, params: {exempts: [b]}}`,
			`{id: b, conditions: {model.in: [m]}, action: DENY}`,
		),
	)
	require.NotEmpty(t, got)
	assert.Equal(t, dsl.CodeStageConflict, got[0].Code)
	assert.Equal(t, policydoc.IssueError, got[0].Level)
}

func TestWhatAnExpressionMayKeepApartIsInformation(t *testing.T) {
	got := find(t, two(`{id: a, when: 'tokens.prompt > 5', action: ROUTE, params: {model: x}}`, `{id: b, action: ROUTE, params: {model: y}}`))
	require.Len(t, got, 1)
	assert.Equal(t, RouteAmbiguous, got[0].Code)
	assert.Equal(t, policydoc.IssueInfo, got[0].Level)
}

func TestAShadowOfNothingIsTold(t *testing.T) {
	got := find(t, "{name: p, replaces: none, rules: [{id: a, action: FLAG}]}")
	require.Len(t, got, 1)
	assert.Equal(t, UnknownReference, got[0].Code)
}

func TestAWitnessIsARequestForWhichBothRulesFire(t *testing.T) {
	got := find(t, two(
		`{id: a, conditions: {model.in: ["gpt-5-*"], tokens.prompt_gt: 10, tools.denylist: ["exec_*"], key.tags_any: [x]}, action: ROUTE, params: {model: x}}`,
		`{id: b, conditions: {model.in: ["*-eu"], tokens.prompt_lt: 100, user.missing: true}, action: ROUTE, params: {model: y}}`,
	))
	require.Len(t, got, 1)
	assert.Equal(t, map[string]string{
		"model": "gpt-5-eu", "tokens.prompt": "11", "tools.names": "exec_", "key.tags": "x", "tenant.id": "t", "user": "",
	}, got[0].Witness)
}

func TestARouteByFindingsIsToldByTheChain(t *testing.T) {
	list, err := dsl.ParseAll(
		[]byte(`{name: p, rules: [{id: a, conditions: {pii.types_any: [EMAIL]}, action: ROUTE, params: {model: m}}]}`),
		"",
		"",
	)
	require.NoError(t, err)
	for findings, level := range map[Findings]string{FindingsUnknown: policydoc.IssueInfo, FindingsLate: policydoc.IssueWarning, FindingsInTime: ""} {
		got := Find(list, Options{Findings: findings})
		if level == "" {
			assert.Empty(t, got)
			continue
		}
		require.Len(t, got, 1)
		assert.Equal(t, RouteTooLate, got[0].Code)
		assert.Equal(t, level, got[0].Level)
	}
}

func TestWhatIsAllowedAndDeniedIsNamed(t *testing.T) {
	got := find(
		t,
		two(
			`{id: a, conditions: {model.allowlist: [gpt-5, claude]}, action: DENY}`,
			`{id: b, conditions: {model.denylist: [claude]}, action: DENY}`,
		),
	)
	require.Len(t, got, 1)
	assert.Contains(t, got[0].Text, "claude")
	assert.NotContains(t, got[0].Text, "gpt-5")
	assert.Equal(t, "claude", got[0].Witness["model"])
}
