package config

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// allStages are the stages that the rules know.
var allStages = Known{Stages: []string{"policy", "ratelimit", "budget", "schema", "pii", "guardrail", "cache"}}

const proc = "process: word-guard, sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

const hook = `webhook: "https://guard.example.com/", secret: 0123456789abcdef`

// lintCases have, for each rule, chains that break it with the link that is told,
// and chains that are near and do not.
var lintCases = []struct {
	code   string
	broken map[string]int // chain: index of the link
	fine   []string
}{
	{"CACHE_BEFORE_PII", map[string]int{
		"[{stage: cache}, {stage: pii}]":                                              0,
		"[{stage: policy}, {stage: cache, for: {models: [a]}}, {stage: pii}]":         1,
		"[{stage: cache, for: {tenants: [a]}}, {stage: pii, for: {tenants: [b, a]}}]": 0,
		`[{stage: cache, for: {tenants: ["a*"]}}, {stage: pii, for: {tenants: [b]}}]`: 0,
		"[{stage: cache}, {wasm: my-pii.wasm, role: pii}]":                            0,
		"[{wasm: my-cache.wasm, role: cache}, {stage: pii}]":                          0,
	}, []string{
		"[{stage: pii}, {stage: cache}]", "[{stage: cache}]", "[{wasm: my-pii.wasm, role: pii}, {stage: cache}]",
		"[{stage: cache}, {wasm: my-pii.wasm, role: guardrail}]",
		"[{stage: cache, for: {tenants: [a]}}, {stage: pii, for: {tenants: [b]}}]",
		"[{stage: cache}, {stage: pii, mode: shadow}]",
	}},
	{"WEBHOOK_BEFORE_PII", map[string]int{
		"[{" + proc + "}, {stage: pii}]":                                        0,
		"[{" + hook + "}, {stage: pii}]":                                        0,
		"[{stage: policy}, {" + hook + ", phases: [response]}, {stage: pii}]":   1,
		"[{" + hook + ", allow_raw: false}, {stage: pii, for: {tenants: [a]}}]": 0,
	}, []string{
		"[{stage: pii}, {" + hook + "}]", "[{" + hook + ", allow_raw: true}, {stage: pii}]",
		"[{stage: pii}, {" + proc + "}]", "[{" + proc + ", allow_raw: true}, {stage: pii}]",
		"[{" + proc + ", role: pii}, {stage: cache}]",
		"[{" + hook + ", for: {tenants: [a]}}, {stage: pii, for: {tenants: [b]}}]",
	}},
	{"SHADOW_WEBHOOK_SEES_RAW", map[string]int{
		"[{stage: pii}, {" + hook + ", mode: shadow}]": 1,
		"[{" + hook + ", mode: shadow}, {stage: pii}]": 0,
	}, []string{
		"[{stage: pii}, {" + hook + "}]", "[{stage: pii}, {" + hook + ", mode: shadow, allow_raw: true}]",
		"[{stage: pii, for: {tenants: [a]}}, {" + hook + ", mode: shadow, for: {tenants: [b]}}]",
	}},
	{"SHADOW_CACHE_STORES_RAW", map[string]int{
		"[{stage: pii}, {stage: cache, mode: shadow}]": 1,
	}, []string{"[{stage: pii}, {stage: cache}]", "[{stage: cache, mode: shadow}]"}},
	{"CACHE_HALF", map[string]int{
		"[{stage: cache, phases: [request]}]":                0,
		"[{stage: pii}, {stage: cache, phases: [response]}]": 1,
	}, []string{"[{stage: cache}]", "[{stage: cache, phases: [response, request]}]"}},
	{"PII_OFF_BEFORE_CACHE", map[string]int{
		"[{stage: pii, mode: shadow}, {stage: cache}]":           1,
		"[{stage: pii, config: {action: flag}}, {stage: cache}]": 1,
		"[{stage: pii, phases: [response]}, {stage: cache}]":     1,
		"[{wasm: a.wasm, role: pii}, {stage: cache}]":            1,
	}, []string{
		"[{stage: pii}, {stage: cache}]", "[{stage: pii, config: {action: block}}, {stage: cache}]", "[{stage: cache}]",
		"[{stage: pii}, {stage: pii, name: trial, mode: shadow}, {stage: cache}]",
		"[{wasm: a.wasm, role: pii, config: {action: redact}}, {stage: cache}]",
	}},
	{"PII_OFF_BEFORE_WEBHOOK", map[string]int{
		"[{stage: pii, mode: shadow}, {" + hook + "}]":           1,
		"[{stage: pii, config: {action: flag}}, {" + hook + "}]": 1,
	}, []string{
		"[{stage: pii}, {" + hook + "}]", "[{stage: pii, mode: shadow}, {" + hook + ", allow_raw: true}]",
	}},
	{"PII_SOME_FLAGGED_BEFORE_CACHE", map[string]int{
		"[{stage: pii, config: {actions: {EMAIL: flag, US_SSN: block}}}, {stage: cache}]": 1,
	}, []string{
		"[{stage: pii, config: {actions: {EMAIL: mask}}}, {stage: cache}]", "[{stage: pii, config: {actions: {EMAIL: flag}}}]",
		"[{stage: pii, config: {actions: {EMAIL: flag}}}, {stage: pii, name: all}, {stage: cache}]",
	}},
	{"PII_SOME_FLAGGED_BEFORE_WEBHOOK", map[string]int{
		"[{stage: pii, config: {actions: {EMAIL: flag}}}, {" + hook + "}]": 1,
	}, []string{"[{stage: pii, config: {actions: {EMAIL: flag}}}, {" + hook + ", allow_raw: true}]"}},
	{"PII_NARROWER_THAN_CACHE", map[string]int{
		"[{stage: pii, for: {tenants: [a]}}, {stage: cache}]":                                             1,
		`[{stage: pii, for: {models: ["gpt-*"]}}, {stage: cache, for: {models: ["gpt-*", o3]}}]`:          1,
		"[{stage: pii, for: {keys: [dev]}}, {stage: cache, for: {tenants: [a]}}]":                         1,
		"[{stage: pii, for: {dialects: [openai.chat]}}, {stage: cache}]":                                  1,
		`[{stage: pii, for: {models: ["gpt-*-mini"]}}, {stage: cache, for: {models: ["gpt-5-minimal"]}}]`: 1,
	}, []string{
		"[{stage: pii}, {stage: cache, for: {tenants: [a]}}]",
		`[{stage: pii, for: {models: ["gpt-*"]}}, {stage: cache, for: {models: [gpt-5, "gpt-4*"], tenants: [a]}}]`,
		`[{stage: pii, for: {models: ["*"]}}, {stage: cache}]`,
		`[{stage: pii, for: {models: ["gpt-*-m*i"]}}, {stage: cache, for: {models: ["gpt-5-mini"]}}]`,
	}},
	{"PII_NARROWER_THAN_WEBHOOK", map[string]int{
		"[{stage: pii, for: {tenants: [a]}}, {" + hook + "}]": 1,
	}, []string{
		"[{stage: pii}, {" + hook + ", for: {tenants: [a]}}]", "[{stage: pii, for: {tenants: [a]}}, {" + hook + ", allow_raw: true}]",
	}},
	{"PII_FAULT_PASSES_TO_CACHE", map[string]int{
		"[{stage: pii, on_fault: pass}, {stage: cache}]": 1,
	}, []string{"[{stage: pii, on_fault: block}, {stage: cache}]", "[{stage: pii, on_fault: pass}]"}},
	{"PII_FAULT_PASSES_TO_WEBHOOK", map[string]int{
		"[{stage: pii, on_fault: pass}, {" + hook + "}]": 1,
	}, []string{"[{stage: pii}, {" + hook + ", fail_mode: OPEN}]", "[{stage: pii, on_fault: pass}, {" + hook + ", allow_raw: true}]"}},
	{"WEBHOOK_WITHOUT_PII", map[string]int{
		"[{" + hook + "}]": 0,
	}, []string{"[{" + hook + ", allow_raw: true}]", "[{stage: pii}, {" + hook + "}]"}},
	{"PII_TWICE", map[string]int{
		"[{stage: pii}, {stage: pii, name: again}]": 1,
	}, []string{
		"[{stage: pii, for: {tenants: [a]}}, {stage: pii, name: again, for: {tenants: [b]}}]",
		"[{stage: pii}, {stage: pii, name: trial, mode: shadow}]",
	}},
	{"PII_NOT_RESTORED", map[string]int{
		"[{stage: pii, phases: [request]}]": 0,
	}, []string{"[{stage: pii}]", "[{stage: pii, phases: [request, response]}]", "[{stage: pii, phases: [request], config: {action: flag}}]"}},
	{"POLICY_FINDINGS_SKIP_CACHE", map[string]int{
		"[{stage: policy}, {stage: pii}, {stage: cache}]":                                           0,
		"[{stage: ratelimit}, {stage: policy}, {stage: guardrail}, {stage: cache}]":                 1,
		"[{stage: policy}, {stage: pii}, {stage: policy, name: b}, {wasm: a.wasm}, {stage: cache}]": 2,
		"[{stage: policy}, {stage: pii}, {stage: policy, name: b, mode: shadow}, {stage: cache}]":   0,
	}, []string{
		"[{stage: policy}, {stage: pii}, {stage: policy, name: b}, {stage: cache}]", "[{stage: policy}, {stage: pii}]",
		"[{stage: pii}, {stage: policy}, {stage: cache}]", "[{stage: policy}, {stage: budget}, {stage: cache}]",
	}},
	{"POLICY_HALF", map[string]int{
		"[{stage: policy, phases: [request]}]":                                0,
		"[{stage: pii}, {stage: policy, phases: [target, response]}]":         1,
		"[{stage: policy, phases: [response]}, {stage: pii}, {stage: cache}]": 0,
	}, []string{"[{stage: policy}]", "[{stage: policy, phases: [request, target]}]"}},
	{"POLICY_NOT_FOR_ALL", map[string]int{
		"[{stage: pii}, {stage: policy, mode: shadow}]":                                         1,
		"[{stage: policy, for: {tenants: [acme]}}]":                                             0,
		"[{stage: policy, for: {tenants: [acme]}}, {stage: policy, name: trial, mode: shadow}]": 0,
	}, []string{
		"[{stage: pii}]", "[{stage: policy}]", "[{stage: policy, name: trial, mode: shadow}, {stage: policy}]",
		"[{stage: policy, for: {tenants: [acme]}}, {stage: policy, name: all}]",
	}},
	{"RATELIMIT_AFTER_CACHE", map[string]int{
		"[{stage: cache}, {stage: ratelimit}]": 1,
	}, []string{"[{stage: ratelimit}, {stage: cache}]"}},
	{"BUDGET_AFTER_CACHE", map[string]int{
		"[{stage: cache}, {stage: budget}]": 1,
	}, []string{"[{stage: budget}, {stage: cache}]"}},
	{"GUARD_AFTER_CACHE", map[string]int{
		"[{stage: cache}, {stage: policy}]":              0,
		"[{stage: cache}, {stage: guardrail}]":           0,
		"[{stage: cache}, {wasm: a.wasm}]":               0,
		`[{stage: cache}, {plugins: "*"}]`:               0,
		"[{stage: pii}, {stage: cache}, {" + hook + "}]": 1,
	}, []string{"[{stage: guardrail}, {stage: cache}]", "[{stage: cache}, {wasm: a.wasm, mode: shadow}]"}},
	{"RATELIMIT_AFTER_WEBHOOK", map[string]int{
		"[{stage: pii}, {" + hook + "}, {stage: ratelimit}]": 2,
	}, []string{"[{stage: ratelimit}, {stage: pii}, {" + hook + "}]"}},
	{"SCHEMA_BEFORE_RESTORE", map[string]int{
		"[{stage: pii}, {stage: schema}]": 1,
	}, []string{"[{stage: schema}, {stage: pii}]"}},
	{"BATCH_UNGUARDED", map[string]int{
		"[{stage: pii}, {stage: policy}, {stage: guardrail}]": 1,
		"[{" + hook + ", allow_raw: true}]":                   0,
		"[{process: guard, allow_raw: true}]":                 0,
		`[{stage: pii}, {guardrail_plugins: "*"}]`:            1,
	}, []string{
		"[{stage: pii}, {wasm: a.wasm}]", "[{stage: ratelimit}, {stage: budget}, {stage: cache}]", "[{stage: guardrail, mode: shadow}]",
		"[{stage: guardrail}\nbatch: {guards: enforce}",
	}},
	{"KEY_BY_NAME", map[string]int{
		"[{stage: pii, for: {keys: [ci-bot]}}]":                                           0,
		`[{stage: policy}, {stage: guardrail, for: {keys: [k3vqx7mz2hj4n6ta, "dev-*"]}}]`: 1,
	}, []string{`[{stage: pii, for: {keys: [k3vqx7mz2hj4n6ta, "*"]}}]`, "[{stage: pii, for: {tenants: [acme]}}]"}},
	{"CACHE_TWICE", map[string]int{
		"[{stage: cache}, {stage: cache, name: again}]": 1,
	}, []string{"[{stage: cache, for: {tenants: [a]}}, {stage: cache, name: again, for: {tenants: [b]}}]"}},
}

// breaks loads a chain and gives the problems and warnings with a code.
func breaks(t *testing.T, chain, code string) (refused, warned []Problem) {
	t.Helper()
	_, warnings, err := load("providers: {mock: {}, openai: {api_key: sk-1}}\nchain:\n"+byLine(chain), func(s *Source) { s.Known = allStages })
	if err != nil {
		var all *Problems
		require.ErrorAs(t, err, &all)
		for _, p := range all.List {
			require.NotEmpty(t, p.Code, "%s: %s", chain, p)
			if p.Code == code {
				refused = append(refused, p)
			}
		}
	}
	for _, w := range warnings {
		require.NotEmpty(t, w.Code, "%s: %s", chain, w)
		if w.Code == code {
			warned = append(warned, Problem(w))
		}
	}
	return refused, warned
}

// byLine writes each link of a chain on its own line, starting at line 3.
func byLine(chain string) string {
	return "  - " + strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(chain, "["), "]"), "}, {", "}\n  - {") + "\n"
}

func TestEachRuleOfTheChainIsTold(t *testing.T) {
	seen := map[string]bool{}
	byCode := map[string]lintRule{}
	for _, r := range rules {
		byCode[r.code] = r
	}
	for _, c := range lintCases {
		t.Run(c.code, func(t *testing.T) {
			r, ok := byCode[c.code]
			require.True(t, ok, "there is no such rule")
			seen[c.code] = true
			require.NotEmpty(t, c.broken)
			require.NotEmpty(t, c.fine)
			for chain, at := range c.broken {
				refused, warned := breaks(t, chain, c.code)
				told, other := warned, refused
				if r.refuse {
					told, other = refused, warned
				}
				require.Len(t, told, 1, chain)
				assert.Empty(t, other, chain)
				assert.Equal(t, "gateway.yaml", told[0].File)
				assert.Equal(t, 3+at, told[0].Line, chain)
				assert.NotEmpty(t, told[0].Hint)
				assert.Contains(t, told[0].String(), ": "+c.code+": ")
				assert.NotContains(t, told[0].String(), "%!")
			}
			for _, chain := range c.fine {
				refused, warned := breaks(t, chain, c.code)
				assert.Empty(t, append(refused, warned...), chain)
			}
		})
	}
	for code := range byCode {
		assert.True(t, seen[code], "%s has no case here", code)
	}
	assert.Len(t, lintCases, len(rules))
}

func TestEachRuleIsExplained(t *testing.T) {
	doc, err := os.ReadFile("../../docs/stages.md")
	require.NoError(t, err)
	for _, r := range rules {
		verdict := "warns"
		if r.refuse {
			verdict = "refuses"
		}
		assert.Contains(t, string(doc), "| `"+r.code+"` | "+verdict+" |")
	}
}

func TestTheChainsOfThePageBreakNoRule(t *testing.T) {
	doc, err := os.ReadFile("../../docs/stages.md")
	require.NoError(t, err)
	blocks := strings.Split(string(doc), "```yaml\n")[1:]
	require.Len(t, blocks, 2)
	for _, b := range blocks {
		chain, _, _ := strings.Cut(b, "```")
		_, warnings, err := load(
			"providers: {mock: {}}\n"+chain,
			withEnv("GUARD_SECRET=0123456789abcdef"),
			func(s *Source) { s.Known = allStages },
		)
		require.NoError(t, err)
		assert.Empty(t, warnings)
	}
}

func TestAPatternThatIsWiderCoversAnother(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"a", "a", true},
		{"a", "b", false},
		{"*", "", true},
		{"*", "a*", true},
		{"a*", "a", true},
		{"a*", "ab*", true},
		{"a*", "ba", false},
		{"*a", "ba", true},
		{"*a", "ab", false},
		{"a*b*c", "a1b2c", true},
		{"a*b*c", "a1c", false},
		{"a*b", "ab", true},
		{"a*a", "a", false},
		{"a**b", "a1b", true},
		{"*b*", "abc", true},
		{"*b*", "ac", false},
	} {
		assert.Equal(t, c.want, coversText(c.pattern, c.text), "%s %s", c.pattern, c.text)
	}
}

// The cache that a switch puts behind the chain leaks like one that stands in it.
func TestTheCacheOfTheSwitchIsHeldAgainstTheRulesToo(t *testing.T) {
	_, warnings, err := load(
		"providers: {mock: {}}\ncache: {enabled: true}\nchain: [{stage: pii, config: {action: flag}}]\n",
		func(s *Source) { s.Known = allStages },
	)
	require.NoError(t, err)
	require.Len(t, warnings, 1)
	assert.Equal(t, "PII_OFF_BEFORE_CACHE", warnings[0].Code)
	assert.Equal(t, 2, warnings[0].Line)
	assert.Contains(t, warnings[0].String(), "cache.enabled: ")
}
