package dsl

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFaultsAreNamedWithTheirLine(t *testing.T) {
	for _, c := range []struct{ name, text, code, says string }{
		{"no YAML", "a: [", CodeSyntax, "line 1: this is not valid YAML"},
		{"nothing", "", CodeSyntax, "no policy"},
		{"another version", "version: 2\nrules: []", CodeInvalid, "line 1: unknown version 2 of the language"},
		{"no rules", "version: 1", CodeInvalid, "the policy has no rules"},
		{"an unknown key", "version: 1\nrule: []", CodeInvalid, `line 2: unknown key of a policy "rule"; did you mean "rules"?`},
		{"a key twice", "version: 1\nversion: 1\nrules: []", CodeInvalid, `line 2: a policy names "version" twice`},
		{"an alias", "rules: &a []\nname: *a", CodeInvalid, "anchors and aliases"},
		{"a scope", "scope: mine\nrules: []", CodeInvalid, "neither platform nor tenant:<id>"},
		{"a rule without id", "rules:\n  - {action: DENY}", CodeInvalid, "line 2: the rule has no id"},
		{"a rule without action", "rules:\n  - {id: a}", CodeInvalid, `line 2: rule "a": the rule has no action`},
		{"an id twice", "rules:\n  - {id: a, action: DENY}\n  - {id: a, action: FLAG}", CodeDuplicateRuleID, "line 3: rule \"a\": the id is used already, in line 2"},
		{"an unknown condition", "rules: [{id: a, conditions: {model.denylits: [x]}, action: DENY}]", CodeUnknownCondition, `did you mean "model.denylist"?`},
		{"a number that is none", "rules: [{id: a, conditions: {tokens.prompt_gt: many}, action: DENY}]", CodeInvalid, "tokens.prompt_gt must be a number"},
		{"a number out of range", "rules: [{id: a, conditions: {budget.remaining_pct_lt: 101}, action: DENY}]", CodeInvalid, "outside of 0 to 100"},
		{"a switch that is none", "rules: [{id: a, conditions: {user.missing: maybe}, action: DENY}]", CodeInvalid, "must be true or false"},
		{"an empty list", "rules: [{id: a, conditions: {model.in: []}, action: DENY}]", CodeInvalid, "is an empty list"},
		{"a day", "rules: [{id: a, conditions: {time.window: {days: [monday]}}, action: DENY}]", CodeInvalid, `"monday" is not a day`},
		{"a zone", "rules: [{id: a, conditions: {time.window: {tz: Mars/Base}}, action: DENY}]", CodeInvalid, "not a time zone"},
		{"a time of the day", `rules: [{id: a, conditions: {time.window: {from: "8"}}, action: DENY}]`, CodeInvalid, "not a time of the day"},
		{"an empty window", `rules: [{id: a, conditions: {time.window: {from: "08:00", to: "08:00"}}, action: DENY}]`, CodeInvalid, "from and to are equal"},
		{"a score", "rules: [{id: a, conditions: {detector.score: {x: {above: 1}}}, action: DENY}]", CodeInvalid, `comparison "above"`},
		{"a span of time", "rules: [{id: a, conditions: {key.expires_within: soon}, action: DENY}]", CodeInvalid, "not a span of time"},
		{"an action", "rules: [{id: a, action: REDIRECT}]", CodeInvalid, `unknown action "REDIRECT"`},
		{"an action of later", "rules: [{id: a, action: SET}]", CodeInvalid, "not part of version 1"},
		{"params that are not taken", "rules: [{id: a, action: DENY, params: {x: 1}}]", CodeInvalid, "DENY takes no params"},
		{"params that are needed", "rules: [{id: a, action: CAP_TOKENS}]", CodeInvalid, "CAP_TOKENS needs params: {max_tokens: …}"},
		{"a blanket pass", "rules: [{id: a, action: ALLOW}]", CodeInvalid, "ALLOW needs params: {exempts: …}"},
		{"a route to nowhere", "rules: [{id: a, action: ROUTE}]", CodeInvalid, "ROUTE needs params"},
		{"a route to a pattern", `rules: [{id: a, action: ROUTE, params: {model: "gpt-*"}}]`, CodeInvalid, "one name"},
		{"an answer on the request", "rules: [{id: a, phase: request, conditions: {response.tokens_gt: 1}, action: DENY}]", CodeStageConflict, "write phase: response"},
		{"a route after the answer", "rules: [{id: a, phase: response, action: ROUTE, params: {model: m}}]", CodeStageConflict, "ROUTE comes too late"},
		{"a limit after the answer", "rules: [{id: a, conditions: {response.tokens_gt: 1}, action: CAP_TOKENS, params: {max_tokens: 1}}]", CodeStageConflict, "CAP_TOKENS comes too late"},
		{"a requirement on the answer", "rules: [{id: a, phase: response, action: REQUIRE_USER}]", CodeStageConflict, "REQUIRE_USER is about the request"},
		{"an expression that is none", "rules: [{id: a, when: '1 +', action: DENY}]", CodeInvalid, "when: Syntax error"},
		{"an expression that says no", "rules: [{id: a, when: '1 + 1', action: DENY}]", CodeInvalid, "it must return true or false"},
		{"an unknown variable", "rules: [{id: a, when: 'prompt.text == \"x\"', action: DENY}]", CodeInvalid, "undeclared reference"},
		{"an unknown field", "rules: [{id: a, when: 'tokens.prompts > 1', action: DENY}]", CodeInvalid, `tokens has no field "prompts"; did you mean tokens.prompt?`},
		{"an unknown optional field", "rules: [{id: a, when: 'user.?name.hasValue()', action: DENY}]", CodeInvalid, `user has no field "name"`},
		{"an unknown indexed field", "rules: [{id: a, when: 'user[\"name\"] == \"\"', action: DENY}]", CodeInvalid, `user has no field "name"`},
		{"an expression that is long", "rules: [{id: a, when: 'true || " + strings.Repeat("false || ", 300) + "false', action: DENY}]", CodeInvalid, "longer than 2048 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(c.text), "p", "")
			var list Problems
			require.ErrorAs(t, err, &list)
			assert.Contains(t, err.Error(), c.says)
			codes := []string{}
			for _, p := range list {
				codes = append(codes, p.Code)
			}
			assert.Contains(t, codes, c.code)
		})
	}
}

func TestAllFaultsAreNamedAtOnce(t *testing.T) {
	_, err := Parse([]byte("version: 3\nrules:\n  - {id: a, action: NO}\n  - {id: b, conditions: {x: 1}, action: DENY}\n"), "p", "p.yaml")
	require.Error(t, err)
	assert.Equal(t, 3, strings.Count(err.Error(), "\n")+1)
	assert.Contains(t, err.Error(), `p.yaml:4: rule "b": unknown condition "x"`)
}

func TestTheExampleOfTheSpecificationParses(t *testing.T) {
	p, err := Parse(
		[]byte(
			"version: 1\nrules:\n  - id: block-gpt4\n    conditions:\n      model.denylist: [gpt-4]\n    action: DENY\n    deny_message: Not allowed\n",
		),
		"n",
		"",
	)
	require.NoError(t, err)
	assert.Equal(t, "n", p.Name)
	assert.Equal(t, "Not allowed", p.Rules[0].DenyMessage)
}

func TestTooLargeATextIsRefused(t *testing.T) {
	_, err := Parse([]byte("# "+strings.Repeat("x", MaxSource)), "p", "")
	require.ErrorContains(t, err, "larger than 256 KiB")
}

func FuzzParse(f *testing.F) {
	f.Add("version: 1\nrules:\n  - {id: a, conditions: {model.in: [x]}, when: 'tokens.prompt > 1', action: DENY}")
	f.Add("- {rules: [{id: a, match: any, unless: {time.window: {days: [mon], from: \"22:00\", to: \"06:00\"}}, action: FLAG}]}")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ParseAll([]byte(text), "p", "")
		if err != nil {
			return
		}
		s := NewSet(list)
		whole := Decide(s, facts(t, `{"model":"x","user":"u","dow":"mon","hm":"23:00"}`, true))
		assert.NotEqual(t, Undetermined, whole.Status, "a whole context leaves nothing open")
		assert.NotNil(t, Decide(s, facts(t, `{}`, false)))
		assert.GreaterOrEqual(t, len(TraceRules(s, facts(t, `{}`, false))), len(s.Rules), "every rule is told")
	})
}
