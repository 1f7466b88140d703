package proxy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asksChat returns a chat request with additional members.
func asksChat(members string) string {
	return `{"model":"M","messages":[{"role":"user","content":"x"}],` + members + `}`
}

const chatTool = `"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]`

func TestTheRulesOfChat(t *testing.T) {
	rulings := []ruling{
		{
			sentence: "an effort is sent unchanged",
			provider: "openai",
			asSent:   true,
			at:       "/v1/chat/completions",
			body:     asksChat(`"reasoning_effort":"high","max_completion_tokens":50`),
		},
		{
			sentence: "an effort is sent unchanged",
			provider: "openai",
			model:    "gpt-4.1",
			body:     asksChat(`"reasoning_effort":"high"`),
			sent:     []string{`"reasoning_effort":"high"`},
		},
		{
			sentence: "an effort is sent unchanged",
			provider: "azure-openai",
			asSent:   true,
			body:     asksChat(`"reasoning_effort":"minimal","max_completion_tokens":50`),
		},
		{
			sentence: "an effort is sent unchanged, whatever the deployment's name",
			provider: "azure-openai",
			model:    "my-deployment",
			asSent:   true,
			body:     asksChat(`"reasoning_effort":"low","max_tokens":50`),
		},
		{
			sentence: "tools with an effort of none stay in chat",
			provider: "openai",
			at:       "/v1/chat/completions",
			body:     asksChat(chatTool + `,"reasoning_effort":"none","stop":"s"`),
			sent:     []string{`"stop":"s"`},
		},
		{
			sentence: "tools with an effort go to the Responses API",
			provider: "openai",
			at:       "/v1/responses",
			body:     asksChat(chatTool + `,"reasoning_effort":"high"`),
			sent: []string{
				`"reasoning":{"effort":"high"}`,
				`"type":"function","name":"f"`,
			},
			gives: []string{`"object":"chat.completion"`, `"content":"ok"`, `"finish_reason":"stop"`, `"prompt_tokens":3`},
		},
		{
			sentence: "tools with an effort go to the Responses API",
			provider: "azure-openai",
			at:       "/v1/responses",
			body:     asksChat(chatTool + `,"reasoning_effort":"low"`),
			gives:    []string{`"object":"chat.completion"`},
		},
		{
			sentence: "thinking tokens are reported as reasoning tokens",
			provider: "anthropic",
			body:     asksChat(`"reasoning_effort":"low"`),
			gives:    []string{`"completion_tokens":12`, `"reasoning_tokens":5`},
			omits:    []string{"reasoning.signature"},
			reply: buildWhole(
				200,
				"application/json",
				`{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"thinking","thinking":"hm","signature":"sig"},{"type":"text","text":"ok"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":12,"output_tokens_details":{"thinking_tokens":5}}}`,
			),
		},
		{
			sentence: "none turns thinking off",
			provider: "anthropic",
			body:     asksChat(`"reasoning_effort":"none","temperature":0.2,"max_tokens":100`),
			sent:     []string{`"max_tokens":100`, `"temperature":0.2`},
			unsent:   []string{"thinking"},
		},
		{
			sentence: "minimal turns thinking off",
			provider: "anthropic",
			body:     asksChat(`"reasoning_effort":"minimal","top_p":0.2,"max_tokens":100`),
			sent:     []string{`"max_tokens":100`, `"top_p":0.2`},
			unsent:   []string{"thinking"},
		},
		{
			sentence: "a temperature of 1 is compatible with thinking",
			provider: "anthropic",
			body:     asksChat(`"reasoning_effort":"low","temperature":1.0,"max_tokens":100`),
			sent:     []string{`"temperature":1.0`, `"budget_tokens":1024`},
		},
		{
			sentence: "a top_p of 0.95 is compatible with thinking",
			provider: "anthropic",
			body:     asksChat(`"reasoning_effort":"low","top_p":0.95,"max_tokens":100`),
			sent:     []string{`"top_p":0.95`, `"budget_tokens":1024`},
		},
		{
			sentence: "another temperature is incompatible with thinking",
			provider: "anthropic",
			body:     asksChat(`"reasoning_effort":"low","temperature":0.9`),
			refused:  `"param":"temperature"`,
		},
		{
			sentence: "a lower top_p is incompatible with thinking",
			provider: "anthropic",
			body:     asksChat(`"reasoning_effort":"xhigh","top_p":0.94`),
			refused:  `"param":"top_p"`,
		},
		{
			sentence: "a model without thinking is not sent the effort",
			provider: "anthropic",
			model:    "claude-3-5-sonnet-20241022",
			body:     asksChat(`"reasoning_effort":"low","temperature":0.5,"max_tokens":100`),
			sent:     []string{`"max_tokens":100`},
			unsent:   []string{"thinking", "effort"},
			omits:    []string{"reasoning_effort"},
		},
		{
			sentence: "a model with adaptive thinking is sent the effort",
			provider: "anthropic",
			model:    "claude-opus-4-8",
			body:     asksChat(`"reasoning_effort":"medium","max_tokens":100`),
			sent:     []string{`"max_tokens":4196`, `"thinking":{"type":"adaptive","display":"summarized"}`, `"output_config":{"effort":"medium"}`},
			unsent:   []string{"budget_tokens"},
		},
		{
			sentence: "none turns off thinking that is on by default",
			provider: "anthropic",
			model:    "claude-sonnet-5",
			body:     asksChat(`"reasoning_effort":"none","max_tokens":100`),
			sent:     []string{`"max_tokens":100`, `"thinking":{"type":"disabled"}`},
			unsent:   []string{"effort"},
		},
		{
			sentence: "minimal requests the least thinking",
			provider: "anthropic",
			model:    "claude-sonnet-5-5",
			body:     asksChat(`"reasoning_effort":"minimal","max_tokens":100`),
			sent:     []string{`"max_tokens":100`, `"thinking":{"type":"between_tools"}`},
		},
		{
			sentence: "none does not turn off thinking that cannot be turned off",
			provider: "anthropic",
			model:    "claude-opus-5-5",
			body:     asksChat(`"reasoning_effort":"none","max_tokens":100`),
			sent:     []string{`"max_tokens":100`},
			unsent:   []string{"thinking", "effort"},
		},
		{
			sentence: "another temperature is incompatible with its thinking too",
			provider: "anthropic",
			model:    "claude-opus-4-8",
			body:     asksChat(`"reasoning_effort":"medium","temperature":0.5`),
			refused:  `"param":"temperature"`,
		},
		{
			sentence: "a model that takes no temperature is not sent one",
			provider: "anthropic",
			model:    "claude-sonnet-5",
			body:     asksChat(`"temperature":0.5,"top_p":0.4`),
			unsent:   []string{"temperature", "top_p"},
			omits:    []string{"temperature", "top_p"},
		},
		{
			sentence: "a model that cannot be forced to call a tool is not",
			provider: "anthropic",
			model:    "claude-opus-5-5",
			body:     asksChat(`"tool_choice":"required",` + chatTool),
			refused:  `"param":"tool_choice"`,
		},
		{
			sentence: "of temperature and top_p only temperature is sent",
			provider: "anthropic",
			body:     asksChat(`"temperature":0.5,"top_p":0.4`),
			sent:     []string{`"temperature":0.5`},
			unsent:   []string{"top_p"},
			omits:    []string{"top_p"},
		},
		{
			sentence: "a custom tool is sent unchanged",
			provider: "openai",
			asSent:   true,
			body: asksChat(
				`"max_completion_tokens":50,"tools":[{"type":"custom","custom":{"name":"sql","description":"d","format":{"type":"text"}}}]`,
			),
		},
		{
			sentence: "parallel calls are turned off",
			provider: "openai",
			asSent:   true,
			body:     asksChat(`"max_completion_tokens":50,"parallel_tool_calls":false,` + chatTool),
		},
		{
			sentence: "parallel calls are turned off",
			provider: "anthropic",
			body:     asksChat(`"parallel_tool_calls":false,` + chatTool),
			sent:     []string{`"disable_parallel_tool_use":true`},
		},
	}
	for effort, want := range map[string]string{"low": "1024", "medium": "4096", "high": "16384", "xhigh": "32000"} {
		sum := map[string]string{"low": "1124", "medium": "4196", "high": "16484", "xhigh": "32100"}[effort]
		rulings = append(
			rulings,
			ruling{
				sentence: "an effort of " + effort + " becomes a token budget",
				provider: "anthropic",
				body:     asksChat(`"max_tokens":100,"reasoning_effort":"` + effort + `"`),
				sent:     []string{`"budget_tokens":` + want, `"max_tokens":` + sum},
			},
			ruling{
				sentence: "the editor's -thinking-" + effort + " becomes a token budget",
				provider: "anthropic",
				path:     "/v1/ide/chat/completions",
				body:     strings.Replace(asksChat(`"max_tokens":100`), `"M"`, `"anthropic/claude-sonnet-4-5-thinking-`+effort+`"`, 1),
				sent:     []string{`"model":"claude-sonnet-4-5"`, `"budget_tokens":` + want, `"max_tokens":` + sum},
			},
		)
	}
	for _, p := range []string{"openai", "azure-openai"} {
		for _, field := range []string{`"stop":["s"]`, `"seed":1`, `"frequency_penalty":0.5`, `"presence_penalty":-1`} {
			name, _, _ := strings.Cut(field[1:], `"`)
			rulings = append(
				rulings,
				ruling{
					sentence: name + " is incompatible with tools and an effort",
					provider: p,
					body:     asksChat(chatTool + `,"reasoning_effort":"low",` + field),
					refused:  `"param":"` + name + `"`,
				},
			)
		}
	}
	for _, p := range []string{"gemini", "bedrock", "groq", "mistral", "ollama", "xai"} {
		rulings = append(
			rulings,
			ruling{
				sentence: "other providers are not sent an effort",
				provider: p,
				body:     asksChat(`"reasoning_effort":"high"`),
				unsent:   []string{"effort", "hinking"},
				omits:    []string{"reasoning_effort"},
			},
		)
	}
	for _, p := range []string{"azure-openai", "mistral", "xai", "gemini", "bedrock", "ollama"} {
		rulings = append(
			rulings,
			ruling{
				sentence: "other providers are not sent parallel_tool_calls",
				provider: p,
				body:     asksChat(`"parallel_tool_calls":false,` + chatTool),
				unsent:   []string{"arallel"},
				omits:    []string{"parallel_tool_calls"},
			},
		)
	}
	for _, p := range []string{"azure-openai", "anthropic", "mistral"} {
		rulings = append(rulings, ruling{
			sentence: "a custom tool becomes a function with one input",
			provider: p,
			sent:     []string{`"name":"sql"`, `"properties":{"input":{"type":"string"}}`},
			unsent:   []string{`"custom"`},
			body:     asksChat(`"tools":[{"type":"custom","custom":{"name":"sql","description":"d"}}]`),
		})
	}
	for _, p := range []string{"openai", "azure-openai", "anthropic", "gemini", "mistral"} {
		rulings = append(
			rulings,
			ruling{
				sentence: "a tool of another type is refused",
				provider: p,
				body:     asksChat(`"tools":[{"type":"web_search"}]`),
				refused:  `"param":"tools","code":"unsupported_parameter"`,
			},
		)
	}
	for i := range rulings {
		if rulings[i].path == "" {
			rulings[i].path = "/v1/chat/completions"
		}
	}
	tryAll(t, rulings)
}

func TestACustomCallArrivesInOneFragmentBeforeTheFinish(t *testing.T) {
	up := newFake(t, says(stream(callsInPieces("sql", `"{\"inp"`, `"ut\": \"SELE"`, `"CT 1\"}"`))))
	g := open(t, setup{provider: newProvider(t, "anthropic", up.url), chain: redacting(t, "")})
	a := g.callPath(
		"/v1/chat/completions",
		`{"model":"gpt-test","stream":true,"messages":[{"role":"user","content":"x"}],"tools":[{"type":"custom","custom":{"name":"sql"}}]}`,
	)
	require.Equal(t, 200, a.status, a.body)
	assert.Contains(t, a.body, `"type":"custom"`)
	assert.Equal(t, 1, strings.Count(a.body, `"SELECT 1"`), a.body)
	assert.NotContains(t, a.body, `"SELE"`)
	assert.Greater(t, strings.Index(a.body, `"finish_reason":"tool_calls"`), strings.Index(a.body, `"SELECT 1"`))
}

func TestADetourIsAnsweredInTheChatShape(t *testing.T) {
	const body = `{"model":"openai/gpt-5.4","reasoning_effort":"high","messages":[{"role":"user","content":"x"}],` + chatTool + `}`
	const output = `{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"gAAA"},{"id":"fc_1","type":"function_call","call_id":"call_1","name":"f","arguments":"{\"a\":1}","status":"completed"}`
	const usage = `"usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":4},"output_tokens":8,"output_tokens_details":{"reasoning_tokens":5},"total_tokens":17}`
	t.Run("whole", func(t *testing.T) {
		up := newFake(
			t,
			says(
				buildWhole(
					200,
					"application/json",
					`{"id":"r","object":"response","created_at":1,"status":"completed","model":"gpt-5.4","output":[`+output+`],`+usage+`}`,
				),
			),
		)
		a := open(t, setup{provider: newProvider(t, "openai", up.url)}).callPath("/v1/chat/completions", body)
		require.Equal(t, 200, a.status, a.body)
		for _, want := range []string{`"name":"f"`, `"id":"call_1"`, `"finish_reason":"tool_calls"`, `"cached_tokens":4`, `"reasoning_tokens":5`} {
			assert.Contains(t, a.body, want)
		}
		assert.NotContains(t, a.body, "gAAA", "chat answers contain no encrypted reasoning")
	})
	t.Run("a custom call, streamed", func(t *testing.T) {
		event := func(typ, members string) string {
			return "event: " + typ + "\ndata: {\"type\":\"" + typ + "\"," + members + "}\n\n"
		}
		const item = `"output_index":0,"item":{"id":"ctc_1","type":"custom_tool_call","call_id":"call_1","name":"sql","input":`
		up := newFake(t, says(stream(
			event(
				"response.created",
				`"sequence_number":0,"response":{"id":"r","object":"response","status":"in_progress","model":"gpt-5.4","output":[]}`,
			),
			event("response.output_item.added", `"sequence_number":1,`+item+`"","status":"in_progress"}`),
			event("response.custom_tool_call_input.delta", `"sequence_number":2,"item_id":"ctc_1","output_index":0,"delta":"SELE"`),
			event("response.custom_tool_call_input.delta", `"sequence_number":3,"item_id":"ctc_1","output_index":0,"delta":"CT 1"`),
			event("response.custom_tool_call_input.done", `"sequence_number":4,"item_id":"ctc_1","output_index":0,"input":"SELECT 1"`),
			event("response.output_item.done", `"sequence_number":5,`+item+`"SELECT 1","status":"completed"}`),
			event(
				"response.completed",
				`"sequence_number":6,"response":{"id":"r","object":"response","status":"completed","model":"gpt-5.4","output":[],`+usage+`}`,
			),
		)))
		a := open(t, setup{provider: newProvider(t, "openai", up.url)}).callPath(
			"/v1/chat/completions",
			`{"model":"openai/gpt-5.4","stream":true,"stream_options":{"include_usage":true},"reasoning_effort":"high","messages":[{"role":"user","content":"x"}],"tools":[{"type":"custom","custom":{"name":"sql"}}]}`,
		)
		require.Equal(t, 200, a.status, a.body)
		assert.Equal(t, "/v1/responses", up.last(t).path)
		assert.Contains(t, up.last(t).body, `"type":"custom","name":"sql"`)
		assert.Equal(t, 1, strings.Count(a.body, `"SELECT 1"`), a.body)
		assert.NotContains(t, a.body, `"SELE"`)
		assert.Contains(t, a.body, `"finish_reason":"tool_calls"`)
		assert.Contains(t, a.body, `"reasoning_tokens":5`)
	})
	t.Run("a provider error", func(t *testing.T) {
		up := newFake(
			t,
			says(buildWhole(400, "application/json", `{"error":{"message":"too odd","type":"invalid_request_error","param":null,"code":"odd"}}`)),
		)
		a := open(t, setup{provider: newProvider(t, "openai", up.url)}).callPath("/v1/chat/completions", body)
		assert.Equal(t, 400, a.status)
		assert.Equal(t, "OpenAI API error 400: odd: too odd", errorOf(t, a)["message"])
	})
}

func TestTheHeaderTellsThatAStrictSchemaWasDowngraded(t *testing.T) {
	chat := func(strict string) string {
		return asksChat(`"response_format":{"type":"json_schema","json_schema":{"name":"n","strict":` + strict + `,"schema":{"type":"object"}}}`)
	}
	responses := asksResponses(`"text":{"format":{"type":"json_schema","name":"n","strict":true,"schema":{"type":"object"}}}`)
	for _, c := range []struct {
		name, provider, path, body, want string
	}{
		{"a strict schema on C", "anthropic", "/v1/chat/completions", chat("true"), "true"},
		{"a strict schema on E", "bedrock", "/v1/chat/completions", chat("true"), "true"},
		{"a strict schema of Responses on C", "anthropic", "/v1/responses", responses, "true"},
		{"a strict schema of Responses on E", "bedrock", "/v1/responses", responses, "true"},
		{"a non-strict schema", "anthropic", "/v1/chat/completions", chat("false"), ""},
		{"no schema", "anthropic", "/v1/chat/completions", asksChat(`"n":1`), ""},
		{"a strict schema on A", "openai", "/v1/chat/completions", chat("true"), ""},
		{"a strict schema of Responses on A", "openai", "/v1/responses", responses, ""},
		{"a strict schema on B", "azure-openai", "/v1/chat/completions", chat("true"), ""},
		{"a strict schema on D", "gemini", "/v1/chat/completions", chat("true"), ""},
		{"a Messages schema on C, its own provider", "anthropic", "/v1/messages", asksChat(`"max_tokens":9,"output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}}`), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			up := newFake(t, answersBriefly)
			g := open(t, setup{provider: newProvider(t, c.provider, up.url)})
			a := g.callPath(c.path, strings.Replace(c.body, `"M"`, `"`+c.provider+"/"+usual[c.provider]+`"`, 1))
			require.Equal(t, 200, a.status, a.body)
			assert.Equal(t, c.want, a.header.Get("X-Gateway-Strict-Downgraded"))
		})
	}
	up := newFake(t, says(stream(callsInPieces("headgate_answer", `"{}"`))))
	a := open(
		t,
		setup{provider: newProvider(t, "anthropic", up.url)},
	).callPath(
		"/v1/chat/completions",
		strings.Replace(chat("true"), `"M"`, `"gpt-test","stream":true`, 1),
	)
	require.Equal(t, 200, a.status, a.body)
	assert.Equal(t, "true", a.header.Get("X-Gateway-Strict-Downgraded"), "streamed answers have the header too")
}
