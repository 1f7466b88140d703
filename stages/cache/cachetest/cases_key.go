package cachetest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

// repeatAnswers checks that tool calls, choices, reasoning, refusals and usage are repeated byte for byte.
func repeatAnswers(t *testing.T, by *Subject) {
	b := NewBench(t, by, "{}", nil)
	whole := `{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[` +
		`{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":null,"reasoning_content":"Let me see.",` +
		`"tool_calls":[{"id":"t1","type":"function","function":{"name":"get","arguments":"{\"city\": \"Köln\"}"}}]}},` +
		`{"index":1,"finish_reason":"stop","message":{"role":"assistant","content":null,"refusal":"No."}}],` +
		`"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10,"completion_tokens_details":{"reasoning_tokens":2}}}`
	body := strings.Replace(FormatRequest("hi"), "{", `{"n":2,`, 1)
	b.Send(Call{Body: body, Answer: whole})
	again := b.Send(Call{Body: body})
	require.Equal(t, core.Answer, again.Action)
	assert.Equal(t, whole, again.Text)

	events := []string{
		`data: {"choices":[{"index":0,"delta":{"reasoning_content":"Let me see."}},{"index":1,"delta":{"refusal":"No."}}]}` + "\n\n",
		`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"t1","type":"function","function":{"name":"get","arguments":"{}"}}]}}]}` + "\n\n",
		`data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"},{"index":1,"delta":{},"finish_reason":"stop"}]}` + "\n\n",
		`data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}` + "\n\n", Done,
	}
	body = strings.Replace(FormatStreamRequest("hi"), "{", `{"stream_options":{"include_usage":true},`, 1)
	b.Send(Call{Body: body, Events: events})
	again = b.Send(Call{Body: body, Events: []string{Stop, Done}})
	require.Equal(t, core.Answer, again.Action)
	assert.Equal(t, strings.Join(events, ""), again.Text)
}

// ListVariations returns requests of which no two have the same answer.
func ListVariations() map[string]Call {
	member := func(m string) string { return strings.Replace(FormatRequest("hi"), "{", "{"+m+",", 1) }
	header := func(name string, v ...string) Call {
		return Call{Body: FormatRequest("hi"), Header: http.Header{name: v}}
	}
	return map[string]Call{
		"the request":                 {Body: FormatRequest("hi")},
		"another tenant":              {Tenant: "u", Body: FormatRequest("hi")},
		"another text":                {Body: FormatRequest("Hi")},
		"another role":                {Body: strings.Replace(FormatRequest("hi"), `"user"`, `"system"`, 1)},
		"another model":               {Body: strings.Replace(FormatRequest("hi"), `"m"`, `"n"`, 1)},
		"a routed model":              {Body: FormatRequest("hi"), Edit: func(x *core.Exchange) { x.OverrideModel("n") }},
		"another shape":               {Body: FormatRequest("hi"), Edit: func(x *core.Exchange) { x.Dialect = "openai.completions" }},
		"a stream":                    {Body: FormatStreamRequest("hi")},
		"a stream with its usage":     {Body: strings.Replace(FormatStreamRequest("hi"), "{", `{"stream_options":{"include_usage":true},`, 1)},
		"an effort":                   {Body: member(`"reasoning_effort":"low"`)},
		"an effort in the name":       {Body: FormatRequest("hi"), Edit: func(x *core.Exchange) { x.Head.Effort = "high" }},
		"a temperature":               {Body: member(`"temperature":0`)},
		"a seed":                      {Body: member(`"seed":1`)},
		"a limit":                     {Body: member(`"max_tokens":5`)},
		"a tool":                      {Body: member(`"tools":[{"type":"function","function":{"name":"f"}}]`)},
		"an unknown field":            {Body: member(`"x":1`)},
		"the wish to be stored":       {Body: member(`"store":true`)},
		"a service tier":              {Body: member(`"service_tier":"flex"`)},
		"a beta":                      header("Openai-Beta", "a"),
		"two betas":                   header("Openai-Beta", "a", "b"),
		"two betas in one line":       header("Openai-Beta", "ab"),
		"a beta of the Messages API":  header("Anthropic-Beta", "a"),
		"the same by its other name":  header("Msgapi-Beta", "a"),
		"a version of the shape":      header("Anthropic-Version", "a"),
		"by its other name":           header("Msgapi-Version", "a"),
		"two messages instead of one": {Body: `{"model":"m","messages":[{"role":"user","content":"h"},{"role":"user","content":"i"}]}`},
	}
}

func separateRequests(t *testing.T, by *Subject) {
	b := NewBench(t, by, "{}", nil)
	for name, c := range ListVariations() {
		c.Answer = FormatAnswer(name)
		if strings.Contains(c.Body, `"stream":true`) {
			c.Events = []string{FormatDelta(name), Stop, Done}
		}
		require.NotEqual(t, core.Answer, b.Send(c).Action, "%s has the answer of another", name)
	}
	for name, c := range ListVariations() {
		c.Answer = FormatAnswer("never")
		g := b.Send(c)
		require.Equal(t, core.Answer, g.Action, name)
		assert.Contains(t, g.Text, name)
	}
}

func matchEqualRequests(t *testing.T, by *Subject) {
	b := NewBench(t, by, "{}", nil)
	b.Send(Call{Body: FormatRequest("hi"), Answer: FormatAnswer("one")})
	for _, m := range Unsaid {
		assert.Equal(t, "HIT", b.Send(Call{Body: strings.Replace(FormatRequest("hi"), "{", "{"+m+",", 1)}).Cache, m)
	}
	h := http.Header{"Authorization": {"a"}, "User-Agent": {"b"}, "X-Trace-Id": {"c"}}
	assert.Equal(t, "HIT", b.Send(Call{Body: FormatRequest("hi"), Header: h}).Cache)

	// An answer in the Responses shape repeats these members, so one caller's must not reach another.
	repeating := func(x *core.Exchange) { x.Dialect = "openai.responses" }
	whole := `{"id":"r","object":"response","model":"m","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x"}]}]}`
	b.Send(Call{Body: FormatRequest("hi"), Edit: repeating, Answer: whole})
	assert.Equal(t, "HIT", b.Send(Call{Body: FormatRequest("hi"), Edit: repeating, Answer: whole}).Cache)
	assert.Equal(t, "MISS", b.Send(Call{Body: strings.Replace(FormatRequest("hi"), "{", `{"metadata":{"a":"b"},`, 1), Edit: repeating, Answer: whole}).Cache)
}

// Unsaid are members of a request that do not change its answer.
var Unsaid = []string{
	`"user":"u"`, `"metadata":{"a":"b"}`, `"safety_identifier":"s"`, `"prompt_cache_key":"k"`, `"prompt_cache_retention":"24h"`, `"stream":false`,
}

func followEdits(t *testing.T, by *Subject) {
	before := chain.Link{Name: "before", Stage: requests{"secret", "placeholder"}, Phases: core.NewPhaseSet(core.Request)}
	b := NewBench(t, by, "{}", nil, before)
	b.Send(Call{Body: FormatRequest("a secret"), Answer: FormatAnswer("one")})
	g := b.Send(Call{Body: FormatRequest("a placeholder"), Answer: FormatAnswer("two")})
	assert.Equal(t, "HIT", g.Cache)
}
