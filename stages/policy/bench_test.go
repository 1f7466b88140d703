package policy

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

// fifty returns 50 rules of all kinds, of which none fires for the benchmark's request.
func fifty() string {
	conditions := []string{
		`model.denylist: ["gpt-3*", "text-davinci-*", "*-preview"]`,
		`key.metadata: {team: other}, model.allowlist: ["gpt-5-mini", "claude-haiku-*"]`,
		`time.window: {days: [sat, sun], from: "08:00", to: "18:00", tz: Europe/Berlin}`,
		`cost.estimated_usd_gt: 1000`,
		`budget.remaining_pct_lt: 10, model.in: ["gpt-5", "claude-opus-*"]`,
		`tools.denylist: ["shell*", "exec_*", "*_delete"]`,
		`tokens.prompt_gt: 100000`,
		`headers: {x-experiment: "alpha-*"}`,
		`tenant.metadata: {residency: us}`,
		`pii.types_any: [API_KEY, PRIVATE_KEY, JWT]`,
	}
	var b strings.Builder
	b.WriteString("version: 1\nname: p\nrules:\n")
	for i := range 50 {
		fmt.Fprintf(&b, "  - {id: r%d, conditions: {%s}, action: DENY}\n", i, conditions[i%len(conditions)])
	}
	return b.String()
}

// BenchmarkFiftyRules is one request that passes 50 rules, in all phases but the answer.
func BenchmarkFiftyRules(b *testing.B) {
	run(b, newBench(b, alone, active(fifty())))
}

// BenchmarkFiftyRulesThatReadTheBody also reads the temperature and the metadata from a small body.
func BenchmarkFiftyRulesThatReadTheBody(b *testing.B) {
	run(
		b,
		newBench(b, alone, active(strings.ReplaceAll(fifty(), "cost.estimated_usd_gt: 1000", `request.temperature_gt: 1, metadata: {a: b}`))),
	)
}

// BenchmarkOneExpression is one rule with an expression.
func BenchmarkOneExpression(b *testing.B) {
	run(
		b,
		newBench(
			b,
			alone,
			active(rule(`{id: no, when: 'messages.count > 200 && tenant.metadata.?tier.orValue("free") == "free"', action: DENY}`)),
		),
	)
}

// BenchmarkNoPolicies is the cost of the link without any policies.
func BenchmarkNoPolicies(b *testing.B) {
	run(b, newBench(b, alone))
}

func run(b *testing.B, bench *bench) {
	b.Helper()
	ctx := context.Background()
	x := bench.Open(hello)
	x.Target = core.TargetRef{Provider: "openai", Model: "gpt-5", Region: "eu-west"}
	b.ReportAllocs()
	for b.Loop() {
		v, err := bench.stage.Check(ctx, x, core.Request, nil)
		if err != nil || v.Action != core.Pass {
			require.FailNow(b, "the request must pass", "%v %v", v, err)
		}
		if v, err = bench.stage.Check(ctx, x, core.Target, v.Keep); err != nil || v.Action != core.Pass {
			require.FailNow(b, "the target must pass", "%v %v", v, err)
		}
		bench.stage.Finish(ctx, x, v.Keep)
	}
}
