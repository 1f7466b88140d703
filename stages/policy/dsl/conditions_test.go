package dsl

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// everyCondition has, for each named condition, a context that fires it and one that does not.
var everyCondition = []struct{ name, value, fires, passes string }{
	{"model.denylist", `["gpt-3*"]`, `{"model":"gpt-3.5"}`, `{"model":"gpt-5"}`},
	{"model.in", `gpt-5`, `{"model":"openai/gpt-5"}`, `{"model":"gpt-5-mini"}`},
	{"model.allowlist", `["gpt-5*", "claude-*"]`, `{"model":"gpt-4"}`, `{"model":"claude-opus"}`},
	{"provider.denylist", `[azure]`, `{"provider":"azure-openai"}`, `{"provider":"openai"}`},
	{"provider.in", `["azure*"]`, `{"provider":"azure"}`, `{"provider":"openai"}`},
	{"provider.allowlist", `[bedrock]`, `{"provider":"openai"}`, `{"provider":"bedrock"}`},
	{"region.in", `["eu-*"]`, `{"region":"eu-west"}`, `{"region":"us-east"}`},
	{"region.denylist", `["us-*"]`, `{"region":"us-east"}`, `{"region":"eu-west"}`},
	{"region.allowlist", `["eu-*"]`, `{"region":"us-east"}`, `{"region":"eu-west"}`},
	{"tenant.in", `["t-*"]`, `{"tenant":"t-a"}`, `{"tenant":"other"}`},
	{
		"tenant.metadata",
		`{plan: [free, trial], seats: 5}`,
		`{"tenant_md":{"plan":"trial","seats":5}}`,
		`{"tenant_md":{"plan":"trial","seats":6}}`,
	},
	{"key.in", `[k-1]`, `{"key":"k-1"}`, `{"key":"k-2"}`},
	{"key.scopes_any", `["cost:*"]`, `{"key_scopes":["cost:high"]}`, `{"key_scopes":["models:read"]}`},
	{"key.scopes_all", `[a, b]`, `{"key_scopes":["b","c","a"]}`, `{"key_scopes":["a"]}`},
	{"key.tags_any", `[batch]`, `{"key_tags":["x","batch"]}`, `{"key_tags":["x"]}`},
	{"key.metadata", `{team: interns}`, `{"key_md":{"team":["interns","all"]}}`, `{"key_md":{}}`},
	{
		"key.expires_within",
		`30d`,
		`{"now":"2026-03-01T00:00:00Z","key_expires":"2026-03-31T00:00:00Z"}`,
		`{"now":"2026-03-01T00:00:00Z","key_expires":"2026-03-31T00:00:01Z"}`,
	},
	{"user.in", `["*"]`, `{"user":"u"}`, `{"user":""}`},
	{"user.missing", `true`, `{"user":""}`, `{"user":"u"}`},
	{"request.shape_in", `["openai.*"]`, `{"shape":"openai.chat"}`, `{"shape":"gemini.generate"}`},
	{"request.stream", `true`, `{"stream":true}`, `{"stream":false}`},
	{"request.has_tools", `true`, `{"tools":["f"]}`, `{"tools":[]}`},
	{"request.has_images", `false`, `{"has_images":false}`, `{"has_images":true}`},
	{"request.has_files", `true`, `{"has_files":true}`, `{"has_files":false}`},
	{"request.effort_in", `[high]`, `{"effort":"high"}`, `{"effort":"low"}`},
	{"request.temperature_gt", `1`, `{"temperature":1.1}`, `{"temperature":1}`},
	{"tools.denylist", `["exec_*"]`, `{"tools":["a","exec_sql"]}`, `{"tools":["a"]}`},
	{"tools.allowlist", `["read_*"]`, `{"tools":["read_a","write"]}`, `{"tools":["read_a"]}`},
	{"tools.types_any", `[custom]`, `{"tool_types":["function","custom"]}`, `{"tool_types":["function"]}`},
	{"tools.count_gt", `2`, `{"tools":["a","b","c"]}`, `{"tools":["a","b"]}`},
	{"agent.name", `["plan*"]`, `{"agent":{"name":"planner"}}`, `{"agent":{"name":"writer"}}`},
	{"agent.name", `["*"]`, `{"agent_name":"x"}`, `{"agent_name":""}`},
	{"agent.method", `[message/*]`, `{"agent_method":"message/send"}`, `{"agent_method":"tasks/get"}`},
	{"tool.name", `["find_*"]`, `{"tool":{"name":"find_all"}}`, `{"tool":{"name":"erase"}}`},
	{"tool.name", `["*"]`, `{"tool_name":"x"}`, `{"tool_name":""}`},
	{"tool.server", `[crm]`, `{"tool_server":"crm"}`, `{"tool_server":"erp"}`},
	{"tool.annotations", `{readOnlyHint: "false"}`, `{"tool":{"annotations":{"readOnlyHint":false}}}`, `{"tool":{"annotations":{}}}`},
	{"tool.offered", "false", `{"tool_name":"x","tool_offered":false}`, `{"tool_name":"x","tool_offered":true}`},
	{"tool.requested", "true", `{"tool_name":"x","tool_requested":true}`, `{"tool_requested":true}`},
	{"tool.args", `{path: ["/etc/*"]}`, `{"tool":{"args":{"path":"/etc/passwd"}}}`, `{"tool":{"args":{"path":"/tmp","file":"/etc/x"}}}`},
	{"tool.args", `{paths: ["/etc/*"]}`, `{"tool":{"args":{"paths":["/tmp","/etc/x"]}}}`, `{"tool":{"args":{"paths":{"a":"/etc/x"}}}}`},
	{"messages.count_gt", `10`, `{"messages":11}`, `{"messages":10}`},
	{"messages.system_missing", `true`, `{"system_missing":true}`, `{"system_missing":false}`},
	{"tokens.prompt_gt", `100`, `{"tokens":{"prompt":101}}`, `{"tokens":{"prompt":100}}`},
	{"tokens.prompt_lt", `100`, `{"tokens_prompt":99}`, `{"tokens_prompt":100}`},
	{"tokens.max_gt", `100`, `{"max_tokens":101}`, `{"max_tokens":0}`},
	{"tokens.max_missing", `true`, `{"max_tokens":0}`, `{"max_tokens":1}`},
	{"cost.estimated_usd_gt", `1.5`, `{"cost":1.6}`, `{"cost":1.5}`},
	{"budget.remaining_pct_lt", `10`, `{"budget_pct":9.9}`, `{"budget_pct":10}`},
	{"budget.exceeded", `true`, `{"budget_exceeded":true}`, `{"budget_pct":1}`},
	{"time.window", `{days: [mon], from: "22:00", to: "06:00"}`, `{"dow":"tue","hm":"05:59"}`, `{"dow":"mon","hm":"05:59"}`},
	{"headers", `{X-Experiment: "beta-*"}`, `{"headers":{"x-experiment":"beta-1"}}`, `{"headers":{"x-experiment":"alpha"}}`},
	{"metadata", `{project: "secret-*"}`, `{"metadata":{"project":"secret-1"}}`, `{"metadata":{}}`},
	{"pii.types_any", `[IBAN, JWT]`, `{"pii":["JWT"]}`, `{"pii":["EMAIL"]}`},
	{"pii.count_gt", `2`, `{"pii":{"EMAIL":3}}`, `{"pii":{"EMAIL":2}}`},
	{"pii.min_confidence", `0.8`, `{"pii":{"EMAIL":0.8}}`, `{"pii":{"EMAIL":0.7}}`},
	{"detector.labels_any", `[jailbreak]`, `{"detector":["jailbreak"]}`, `{"detector":["toxicity"]}`},
	{
		"detector.score",
		`{prompt_injection: {gte: 0.5, lt: 0.9}}`,
		`{"detector":{"prompt_injection":0.5}}`,
		`{"detector":{"prompt_injection":0.9}}`,
	},
	{"response.finish_reason_in", `[length]`, `{"finish_reason":"length"}`, `{"finish_reason":"stop"}`},
	{"response.tokens_gt", `10`, `{"response_tokens":11}`, `{"response_tokens":10}`},
	{"response.pii_types_any", `["*"]`, `{"response_pii":["EMAIL"]}`, `{"response_pii":[]}`},
	{"response.schema_invalid", `true`, `{"schema_invalid":true}`, `{"schema_invalid":false}`},
}

// parseRule returns a set of one rule.
func parseRule(t testing.TB, rule string) *Set {
	t.Helper()
	p, err := Parse([]byte("version: 1\nname: p\nrules:\n  - "+rule), "", "")
	require.NoError(t, err)
	return NewSet([]*Policy{p})
}

// facts returns those of a complete or partial context.
func facts(t testing.TB, text string, whole bool) *Facts {
	t.Helper()
	f, err := ReadContext([]byte(text), whole, time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC))
	require.NoError(t, err, text)
	return f
}

func TestEveryConditionFiresAndPasses(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range everyCondition {
		seen[c.name] = true
		t.Run(c.name, func(t *testing.T) {
			s := parseRule(t, `{id: r, conditions: {`+c.name+`: `+c.value+`}, action: DENY}`)
			for _, whole := range []bool{true, false} {
				assert.Equal(t, Denied, Decide(s, facts(t, c.fires, whole)).Status, c.fires)
				assert.Equal(t, Allowed, Decide(s, facts(t, c.passes, whole)).Status, c.passes)
			}
			nothing := Decide(s, facts(t, `{}`, false))
			if c.name != "time.window" { // the time is known always
				assert.Equal(t, Undetermined, nothing.Status)
				assert.NotEmpty(t, nothing.Unknown)
			}
			unless := parseRule(t, `{id: r, unless: {`+c.name+`: `+c.value+`}, action: DENY}`)
			assert.Equal(t, Allowed, Decide(unless, facts(t, c.fires, true)).Status)
			assert.Equal(t, Denied, Decide(unless, facts(t, c.passes, true)).Status)
		})
	}
	for _, name := range conditionNames {
		assert.True(t, seen[name], "%s has no case", name)
	}
}

func TestWhatBelongsTogetherIsCountedTogether(t *testing.T) {
	s := parseRule(t, `{id: r, conditions: {pii.types_any: [EMAIL], pii.count_gt: 1, pii.min_confidence: 0.5}, action: DENY}`)
	assert.Equal(t, Denied, Decide(s, facts(t, `{"pii":{"EMAIL":2}}`, true)).Status)
	assert.Equal(t, Allowed, Decide(s, facts(t, `{"pii":["EMAIL","IBAN","JWT"]}`, true)).Status, "other types are not counted")
}

func TestARouteHidesNoModel(t *testing.T) {
	deny := parseRule(t, `{id: r, conditions: {model.denylist: [bad]}, action: DENY}`)
	allow := parseRule(t, `{id: r, conditions: {model.allowlist: [good]}, action: DENY}`)
	for _, c := range []struct {
		context     string
		deny, allow Status
	}{
		{`{"model":"good"}`, Allowed, Allowed},
		{`{"model":"good","routed":"bad"}`, Denied, Denied},
		{`{"model":"bad","routed":"good"}`, Denied, Denied},
		{`{"model":"good","routed":"openai/good"}`, Allowed, Allowed},
	} {
		assert.Equal(t, c.deny, Decide(deny, facts(t, c.context, true)).Status, c.context)
		assert.Equal(t, c.allow, Decide(allow, facts(t, c.context, true)).Status, c.context)
	}
}

func TestAWindowFollowsItsZone(t *testing.T) {
	s := parseRule(t, `{id: r, conditions: {time.window: {days: [mon], from: "08:00", to: "18:00", tz: Europe/Berlin}}, action: DENY}`)
	for at, want := range map[string]Status{
		"2026-01-05T06:59:00Z": Allowed, "2026-01-05T07:00:00Z": Denied, "2026-01-05T16:59:00Z": Denied, "2026-01-05T17:00:00Z": Allowed,
		"2026-07-06T06:00:00Z": Denied, "2026-07-06T16:00:00Z": Allowed, "2026-07-07T10:00:00Z": Allowed,
	} {
		assert.Equal(t, want, Decide(s, facts(t, `{"now":"`+at+`"}`, true)).Status, at)
	}
}

func TestAllOrAnyOfTheConditions(t *testing.T) {
	all := parseRule(t, `{id: r, conditions: {model.in: [a], user.in: [u]}, action: DENY}`)
	either := parseRule(t, `{id: r, match: any, conditions: {model.in: [a], user.in: [u]}, action: DENY}`)
	for _, c := range []struct {
		context     string
		all, either Status
	}{
		{`{"model":"a","user":"u"}`, Denied, Denied},
		{`{"model":"a","user":"x"}`, Allowed, Denied},
		{`{"model":"b","user":"x"}`, Allowed, Allowed},
		{`{"model":"a"}`, Undetermined, Denied},
		{`{"model":"b"}`, Allowed, Undetermined},
	} {
		assert.Equal(t, c.all, Decide(all, facts(t, c.context, false)).Status, c.context)
		assert.Equal(t, c.either, Decide(either, facts(t, c.context, false)).Status, c.context)
	}
}

func TestEveryInputHasItsRow(t *testing.T) {
	for _, a := range AllAttrs.List() {
		in := inputs[a]
		assert.NotEmpty(t, in.name)
		assert.Equal(t, in.holds == nil, in.show == nil, in.name)
		assert.Equal(t, a == AnswerSchema || a == ContextWindow, in.holds == nil, in.name)
	}
}
