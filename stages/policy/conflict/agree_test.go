package conflict

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// snippets are conditions that overlap, contain or exclude each other in many ways.
var snippets = []string{
	`model.in: ["a*"]`,
	`model.allowlist: ["ab*", c]`,
	`model.denylist: [ab, c]`,
	`user.missing: true`,
	`user.in: ["u*"]`,
	`user.in: [u1]`,
	`tokens.prompt_gt: 5, tokens.prompt_lt: 9`,
	`tokens.prompt_gt: 7`,
	`tokens.prompt_lt: 8`,
	`tokens.max_missing: true`,
	`tokens.max_gt: 3`,
	`tools.denylist: ["x*"]`,
	`tools.allowlist: [x1, y]`,
	`tools.count_gt: 1`,
	`request.has_tools: false`,
	`key.scopes_all: [s1, s2]`,
	`key.scopes_any: [s2, s3]`,
	`detector.score: {d: {gte: 0.5}}`,
	`detector.score: {d: {lt: 0.5}}`,
	`time.window: {days: [mon], from: "08:00", to: "12:00"}`,
	`time.window: {days: [sun], from: "20:00", to: "09:00", tz: America/New_York}`,
	`provider.allowlist: [azure]`,
	`provider.in: ["azure*"]`,
}

// anyRequest returns a complete context.
func anyRequest(r *rand.Rand) map[string]any {
	pick := func(list ...any) any { return list[r.IntN(len(list))] }
	some := func(list ...string) []any {
		out := []any{}
		for _, s := range list {
			if r.IntN(2) == 0 {
				out = append(out, s)
			}
		}
		return out
	}
	return map[string]any{
		"model": pick(
			"a",
			"ab",
			"abc",
			"c",
			"d",
		),
		"user":       pick("", "u1", "u2", "v"),
		"tokens":     pick(5.0, 6.0, 7.0, 8.0, 9.0),
		"max_tokens": pick(0.0, 3.0, 4.0),
		"tools":      some("x1", "x2", "y"),
		"scopes":     some("s1", "s2", "s3"),
		"detector":   map[string]any{"d": pick(0.4, 0.5, 0.6)},
		"now":        time.Date(2026, 1, 5, r.IntN(24), r.IntN(60), 0, 0, time.UTC).Format(time.RFC3339),
		"provider":   pick("azure-openai", "openai"),
	}
}

// The result of the search for two rules holds for every request: rules that it calls disjoint never fire together, and
// a rule that covers another fires whenever the other does.
func TestTheSearchAgreesWithEvaluation(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	requests := make([]*dsl.Facts, 1000)
	for i := range requests {
		f, err := dsl.ParseContext(anyRequest(r), true, time.Time{})
		require.NoError(t, err)
		requests[i] = f
	}
	text := func(id string) string {
		match, names := []string{"all", "any"}[r.IntN(2)], map[string]bool{}
		var conditions []string
		for range 1 + r.IntN(3) {
			s := snippets[r.IntN(len(snippets))]
			name, _, _ := strings.Cut(s, ":")
			if !names[name] &&
				!(strings.HasPrefix(s, "tokens.prompt") && slices.ContainsFunc(conditions, func(c string) bool { return strings.HasPrefix(c, "tokens.prompt") })) {
				names[name] = true
				conditions = append(conditions, s)
			}
		}
		return fmt.Sprintf(`{id: %s, match: %s, conditions: {%s}, action: FLAG}`, id, match, strings.Join(conditions, ", "))
	}
	overlaps, covered := 0, 0
	for range 300 {
		a, b := text("a"), text("b")
		p, err := dsl.Parse([]byte("name: p\nrules:\n  - "+a+"\n  - "+b+"\n"), "", "")
		require.NoError(t, err)
		s := dsl.NewSet([]*dsl.Policy{p})
		x, y := newRule(&s.Rules[0], 0), newRule(&s.Rules[1], 1)
		_, meet := findOverlap(x, y)
		covers := x.covers(y)
		if meet {
			overlaps++
		}
		if covers && !y.vacant {
			covered++
		}
		for _, f := range requests {
			fa, err := p.Rules[0].Eval(f)
			require.NoError(t, err)
			fb, err := p.Rules[1].Eval(f)
			require.NoError(t, err)
			if fa == dsl.True && fb == dsl.True {
				require.True(t, meet, "%s\n%s\n%+v", a, b, f)
			}
			if covers && fb == dsl.True {
				require.Equal(t, dsl.True, fa, "%s\n%s\n%+v", a, b, f)
			}
			require.False(t, x.vacant && fa == dsl.True, "%s\n%+v", a, f)
		}
	}
	require.Greater(t, overlaps, 50)
	require.Greater(t, covered, 5)
}
