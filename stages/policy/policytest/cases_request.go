package policytest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/anthropic"
	"github.com/headgate-dev/headgate/core/dialect/gemini"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

// formatCall returns a chat request for a model with further members.
func formatCall(model, members string) string {
	return `{"model":"` + model + `",` + members + `"messages":[{"role":"user","content":"x"}]}`
}

func seeRequest(t *testing.T, by *Subject) {
	functions := `"tools":[{"type":"function","function":{"name":"exec_sql"}},{"type":"function","function":{"name":"find"}}],`
	runChecks(t, by, []check{
		{"the model, without regard to case", `model.denylist: ["GPT-*"]`, Hello},
		{"a model that is not on a list", `model.allowlist: ["claude-*", gpt-4]`, Hello},
		{"the prefix of a provider hides no model", `model.denylist: [gpt-4]`, formatCall("openai/gpt-4", "")},
		{"temperature", `request.temperature_gt: 1.5`, formatCall("m", `"temperature":1.6,`)},
		{"metadata", `metadata: {project: "secret-*"}`, formatCall("m", `"metadata":{"project":"secret-1"},`)},
		{"no system message", `messages.system_missing: true`, Hello},
		{"the type of a tool", `tools.types_any: [function]`, formatCall("m", functions)},
		{"the name of a tool", `tools.denylist: ["exec_*"]`, formatCall("m", functions)},
		{"a tool that is not on a list", `tools.allowlist: ["exec_*"]`, formatCall("m", functions)},
		{"the number of tools", `tools.count_gt: 1`, formatCall("m", functions)},
		{"that there are tools", `request.has_tools: true`, formatCall("m", functions)},
		{"that there are none", `request.has_tools: false`, Hello},
		{"the shape", `request.shape_in: [openai.chat]`, Hello},
		{"a stream", `request.stream: true`, formatCall("m", `"stream":true,`)},
		{"the effort", `request.effort_in: [high]`, formatCall("m", `"reasoning_effort":"high",`)},
		{"an image", `request.has_images: true`, `{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://a.example/b.png"}}]}]}`},
		{"the number of messages", `messages.count_gt: 0`, Hello},
		{"the length of the prompt", `tokens.prompt_gt: 100`, FormatRequest(strings.Repeat("word ", 100))},
		{"a short prompt", `tokens.prompt_lt: 100`, Hello},
		{"no limit on tokens", `tokens.max_missing: true`, Hello},
		{"a high limit on tokens", `tokens.max_gt: 99`, formatCall("m", `"max_tokens":100,`)},
	})
}

func seeHeaders(t *testing.T, by *Subject) {
	runChecks(t, by, []check{{"a header", `headers: {x-experiment: "beta-*"}`, Hello}})
}

func seeFiles(t *testing.T, by *Subject) {
	runChecks(t, by, []check{
		{"a file", `request.has_files: true`, `{"model":"m","messages":[{"role":"user","content":[{"type":"file","file":{"file_id":"f"}}]}]}`},
	})
	for _, s := range shapes {
		checkShape(t, by, s, `request.has_files: true`, s.d.Name() != "openai.responses", false)
	}
}

func seeTime(t *testing.T, by *Subject) {
	runChecks(t, by, []check{
		{"a minute", `time.window: {days: [tue], from: "12:00", to: "12:01"}`, Hello},
		{"a night that began yesterday", `time.window: {days: [mon], from: "20:00", to: "12:01"}`, Hello},
		{"a day", `time.window: {days: [mon, tue]}`, Hello},
	})
	runRules(t, by, Alone, []outcome{
		{`conditions: {time.window: {days: [wed]}}`, Hello, false},
		{`conditions: {time.window: {from: "12:01"}}`, Hello, false},
		{`conditions: {time.window: {to: "12:00"}}`, Hello, false},
		{`conditions: {time.window: {days: [tue], from: "20:00", to: "12:01"}}`, Hello, false},
		{`conditions: {time.window: {from: "20:00", to: "12:01"}}`, Hello, true},
	})
}

func seeCosts(t *testing.T, by *Subject) {
	runChecks(t, by, []check{
		{"the cost", `cost.estimated_usd_gt: 1`, formatCall("gpt-5", `"max_tokens":20000,`)},
		{"the cost of many answers", `cost.estimated_usd_gt: 1`, formatCall("gpt-5", `"max_tokens":2000,"n":10,`)},
	})
	b := newBench(t, by, Alone, NewActive(FormatRule(`{id: no, conditions: {cost.estimated_usd_gt: 0}, action: DENY}`)))
	x, d := b.Send(strings.Replace(Hello, "gpt-5", "no-route", 1))
	require.Equal(t, core.Pass, d.Action)
	assert.Equal(t, core.Pass, b.SendTo(x, "openai", "unpriced", "").Action, "a cost that nobody knows fires no rule")
}

func seeBudgets(t *testing.T, by *Subject) {
	runChecks(t, by, []check{
		{"what is left", `budget.remaining_pct_lt: 51`, Hello},
		{"that something is left", `budget.exceeded: false`, Hello},
	})
}

func failOnBudgets(t *testing.T, by *Subject) {
	for name, c := range map[string]struct {
		rule string
		want core.Action
	}{
		"one on the budget": {`{id: no, conditions: {budget.exceeded: true}, action: DENY}`, core.Block},
		"one on the model":  {`{id: no, conditions: {model.in: [other]}, action: DENY}`, core.Pass},
	} {
		away := Budgets{Err: errors.New("the server is not available")}
		b := NewBench(t, by, Deps{Policies: []policydoc.Record{NewActive(FormatRule(c.rule))}, Budgets: away})
		_, d := b.Send(Hello)
		assert.Equal(t, c.want, d.Action, name)
		assert.Equal(t, c.want == core.Block, d.Fault, name)
	}
}

func evalExpressions(t *testing.T, by *Subject) {
	runWhen := func(rule string) (*core.Exchange, core.Action, *core.Error) {
		x, d := newBench(t, by, Alone, NewActive(FormatRule(rule))).Send(Hello)
		return x, d.Action, d.Err
	}
	fails := `when: 'tenant.metadata.nothing == "x"'`
	_, action, _ := runWhen(`{id: no, when: 'tenant.metadata.residency == "eu"', action: DENY}`)
	assert.Equal(t, core.Block, action)
	x, action, e := runWhen(`{id: no, ` + fails + `, action: DENY}`)
	require.Equal(t, core.Block, action)
	assert.Contains(t, e.Public, "could not be evaluated")
	assert.NotEmpty(t, x.Findings)
	_, action, _ = runWhen(`{id: no, on_error: skip, ` + fails + `, action: DENY}`)
	assert.Equal(t, core.Pass, action)
	_, action, _ = runWhen(`{id: no, ` + fails + `, action: FLAG}`)
	assert.Equal(t, core.Pass, action)
}

// shape is a shape with two requests: one has a temperature, a file, a system text and a tool, the other none of them.
type shape struct {
	d          core.Dialect
	full, bare string
}

var shapes = []shape{
	{
		openai.Chat{},
		`{"model":"gpt-5","temperature":0.9,"metadata":{"team":"x"},"tools":[{"type":"function","function":{"name":"f"}}],
		"messages":[{"role":"developer","content":"be"},{"role":"user","content":[{"type":"file","file":{"file_id":"f"}},{"type":"text","text":"t"}]}]}`,
		`{"model":"gpt-5","messages":[{"role":"user","content":"hello"}]}`,
	},
	{
		openai.Responses{},
		`{"model":"gpt-5","temperature":0.9,"metadata":{"team":"x"},"tools":[{"type":"function","name":"f"}],"instructions":"be",
		"input":[{"role":"user","content":[{"type":"input_text","text":"t"},{"type":"input_image","image_url":"https://x/y.png"}]}]}`,
		`{"model":"gpt-5","input":"hello"}`,
	},
	{
		anthropic.Messages{},
		`{"model":"claude","max_tokens":5,"temperature":0.9,"metadata":{"team":"x"},"system":[{"type":"text","text":"be"}],"tools":[{"name":"f","input_schema":{"type":"object"}}],
		"messages":[{"role":"user","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"d"}}]}]}`,
		`{"model":"claude","max_tokens":5,"messages":[{"role":"user","content":"hello"}]}`,
	},
	{
		gemini.Generate{},
		`{"generationConfig":{"temperature":0.9},"systemInstruction":{"parts":[{"text":"be"}]},"tools":[{"functionDeclarations":[{"name":"f"}]}],
		"contents":[{"role":"user","parts":[{"inlineData":{"mimeType":"application/pdf","data":"QUJD"}}]}]}`,
		`{"contents":[{"role":"user","parts":[{"text":"hello"}]}]}`,
	},
}

// checkShape checks whether a condition is fulfilled by each of the requests in a shape.
func checkShape(t *testing.T, by *Subject, s shape, conditions string, full, bare bool) {
	b := newBench(t, by, Alone, NewActive(FormatRule(`{id: r, conditions: {`+conditions+`}, action: FLAG}`)))
	for body, want := range map[string]bool{s.full: full, s.bare: bare} {
		x := &core.Exchange{ID: "x", Dialect: s.d.Name(), Principal: Anna}
		x.Head.Model = "m"
		x.Request.Raw = []byte(body)
		require.Nil(t, s.d.Scan(x), body)
		require.Equal(t, core.Pass, b.Chain.RunRequest(context.Background(), x).Action)
		assert.Equal(t, want, len(x.Findings) > 0, "%s of %s", conditions, body)
	}
}

func readShapes(t *testing.T, by *Subject) {
	for _, s := range shapes {
		t.Run(s.d.Name(), func(t *testing.T) {
			checkShape(t, by, s, `request.temperature_gt: 0.8`, true, false)
			checkShape(t, by, s, `metadata: {team: x}`, s.d.Name() != "gemini.generate", false)
			checkShape(t, by, s, `messages.system_missing: true`, false, true)
			checkShape(t, by, s, `tools.types_any: [function]`, true, false)
		})
	}
	embeddings := shape{openai.Embeddings{}, `{"model":"text-embedding-3","input":"hello"}`, `{"model":"text-embedding-3","input":["a"]}`}
	checkShape(t, by, embeddings, `messages.system_missing: true`, false, false) // they have no messages to miss one in
}
