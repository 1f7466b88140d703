package proxy_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/providers"
)

// asksResponses returns a request of the Responses shape with additional members.
func asksResponses(members string) string { return `{"model":"M","input":"x",` + members + `}` }

func withInput(items string) string { return `{"model":"M","input":[` + items + `]}` }

func TestTheRulesOfResponses(t *testing.T) {
	const call = `{"role":"user","content":"x"},{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"},`
	long := strings.Repeat("n", 40)
	rulings := []ruling{
		{
			sentence: "the request is sent as received",
			provider: "openai",
			at:       "/v1/responses",
			asSent:   true,
			body: `{"model":"M","include":["reasoning.encrypted_content"],"max_output_tokens":90,"client_metadata":{"a":"b"},"stream_options":{"include_obfuscation":false},"reasoning":{"effort":"high","summary":"auto"},"x":1.50,` +
				`"input":[{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA"},{"role":"developer","content":"d"},{"type":"compaction","encrypted_content":"gBBB"}],"tools":[{"type":"function","name":"f","parameters":{},"strict":true},{"type":"apply_patch"}]}`,
		},
		{
			sentence: "the request is sent as received",
			provider: "azure-openai",
			at:       "/v1/responses",
			asSent:   true,
			body: asksResponses(
				`"tools":[{"type":"custom","name":"c","format":{"type":"grammar","syntax":"lark","definition":"d"}},{"type":"shell","environment":{"type":"local"}},{"type":"brand_new"}],"reasoning":{"effort":"high"},"parallel_tool_calls":false`,
			),
		},
		{
			sentence: "any other tool is sent to A unchanged",
			provider: "openai",
			asSent:   true,
			body:     asksResponses(`"max_output_tokens":9,"tools":[{"type":"brand_new","x":1.50}]`),
		},
		{
			sentence: "an unknown item is sent to A unchanged",
			provider: "openai",
			asSent:   true,
			body:     `{"model":"M","max_output_tokens":9,"input":[{"role":"user","content":"x"},{"type":"brand_new","y":"z"}]}`,
		},
		{
			sentence: "a service tier of auto is accepted",
			provider: "openai",
			asSent:   true,
			body:     asksResponses(`"max_output_tokens":9,"service_tier":"auto"`),
		},
		{
			sentence: "a service tier of default is accepted",
			provider: "azure-openai",
			asSent:   true,
			body:     asksResponses(`"max_output_tokens":9,"service_tier":"default"`),
		},
		{
			sentence: "store false is accepted",
			provider: "openai",
			asSent:   true,
			body:     asksResponses(`"max_output_tokens":9,"store":false,"background":false,"previous_response_id":null`),
		},
		{
			sentence: "a default cap becomes the limit",
			provider: "openai",
			cap:      4096,
			body:     asksResponses(`"x":1`),
			sent:     []string{`"max_output_tokens":4096`},
		},
		{
			sentence: "strict is sent to provider A",
			provider: "openai",
			path:     "/v1/chat/completions",
			at:       "/v1/chat/completions",
			body:     `{"model":"M","messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"f","strict":true,"parameters":{}}}]}`,
			sent:     []string{`"strict":true`},
		},
		{
			sentence: "a custom tool becomes a function, its grammar a description",
			provider: "anthropic",
			body: asksResponses(
				`"tools":[{"type":"custom","name":"sql","description":"Runs","format":{"type":"grammar","syntax":"lark","definition":"start: X"}}]`,
			),
			sent: []string{`"name":"sql"`, `start: X`, `"properties":{"input":{"type":"string"}}`},
		},
		{
			sentence: "tools of a namespace are sent under joined names",
			provider: "xai",
			body: asksResponses(
				`"tools":[{"type":"namespace","name":"crm","description":"d","tools":[{"type":"function","name":"get","parameters":{}}]}]`,
			),
			sent: []string{`"name":"crm__get"`},
		},
		{
			sentence: "a long name is cut to 64 with a hash",
			provider: "mistral",
			body: asksResponses(
				`"tools":[{"type":"namespace","name":"` + long + `","description":"d","tools":[{"type":"function","name":"` + long + `","parameters":{}}]}]`,
			),
			sent:   []string{`"name":"` + long + `__` + strings.Repeat("n", 13) + `_`},
			unsent: []string{long + "__" + strings.Repeat("n", 14)},
		},
		{
			sentence: "tools that an item adds are read",
			provider: "anthropic",
			body: withInput(
				`{"role":"user","content":"x"},{"type":"additional_tools","role":"developer","tools":[{"type":"function","name":"added","parameters":{"type":"object"}}]}`,
			),
			sent: []string{`"name":"added"`},
		},
		{
			sentence: "tools that a search adds are read",
			provider: "anthropic",
			body: `{"model":"M","tools":[{"type":"tool_search","execution":"client","description":"d","parameters":{"type":"object"}}],"input":[{"role":"user","content":"x"},{"type":"tool_search_call","call_id":"c1","execution":"client","arguments":{"goal":"g"}},` +
				`{"type":"tool_search_output","call_id":"c1","execution":"client","tools":[{"type":"function","name":"found","parameters":{"type":"object"}}]}]}`,
			sent: []string{`"name":"found"`, `"name":"tool_search"`, `"tool_use_id":"c1"`},
		},
		{
			sentence: "an image in a tool's output follows in a user message",
			provider: "xai",
			body: withInput(
				call + `{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"t"},{"type":"input_image","image_url":"https://x.example/i.png"}]}`,
			),
			sent: []string{
				`{"role":"tool","tool_call_id":"c1","content":"t"},{"role":"user","content":`,
				`"image_url":{"url":"https://x.example/i.png"}`,
			},
		},
		{
			sentence: "an image in a tool's output stays there",
			provider: "bedrock",
			body: withInput(
				call + `{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"t"},{"type":"input_image","image_url":"data:image/png;base64,AAAA"}]}`,
			),
			sent: []string{`"toolResult":{"toolUseId":"c1","content":[{"text":"t"},{"image":{"format":"png","source":{"bytes":"AAAA"}}}]`},
		},
		{
			sentence: "an image in a tool's output stays there",
			provider: "anthropic",
			body: withInput(
				call + `{"type":"function_call_output","call_id":"c1","output":[{"type":"input_text","text":"t"},{"type":"input_image","image_url":"https://x.example/i.png"}]}`,
			),
			sent: []string{`"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"t"},{"type":"image"`},
		},
		{
			sentence: "fields that the provider does not accept are left out",
			provider: "mistral",
			omits: []string{
				"client_metadata",
				"include.reasoning.encrypted_content",
				"input.reasoning",
				"prompt_cache_key",
				"reasoning.effort",
				"reasoning.summary",
				"stream_options",
				"text.verbosity",
			},
			body: `{"model":"M","include":["reasoning.encrypted_content"],"client_metadata":{"a":"b"},"stream_options":{"include_obfuscation":true},"reasoning":{"effort":"high","summary":"auto"},"text":{"verbosity":"low"},"prompt_cache_key":"k",` +
				`"input":[{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA"},{"role":"developer","content":"d"},{"role":"user","content":"x"}]}`,
			sent: []string{
				`{"role":"system","content":"d"}`,
			},
			unsent: []string{"gAAA", "metadata", "verbosity", "cache_key", "effort"},
			gives:  []string{`"usage":{"input_tokens":3`, `"output_tokens":2`},
		},
		{
			sentence: "an effort turns on thinking",
			provider: "anthropic",
			body:     asksResponses(`"reasoning":{"effort":"low"},"max_output_tokens":100`),
			sent:     []string{`"max_tokens":1124`, `"budget_tokens":1024`},
		},
		{
			sentence: "the cache key is sent to providers that accept it",
			provider: "openai",
			path:     "/v1/ide/chat/completions",
			body:     asksResponses(`"prompt_cache_key":"k","text":{"verbosity":"low"},"reasoning":{"effort":"low"}`),
			sent:     []string{`"prompt_cache_key":"k"`, `"verbosity":"low"`, `"reasoning_effort":"low"`},
		},
		{
			sentence: "parallel calls are turned off",
			provider: "anthropic",
			body:     asksResponses(`"parallel_tool_calls":false,"tools":[{"type":"function","name":"f","parameters":{}}]`),
			sent:     []string{`"disable_parallel_tool_use":true`},
		},
		{
			sentence: "parallel calls are turned off",
			provider: "mistral",
			body:     asksResponses(`"parallel_tool_calls":false,"tools":[{"type":"function","name":"f","parameters":{}}]`),
			unsent:   []string{"parallel"},
			omits:    []string{"parallel_tool_calls"},
		},
	}
	for _, p := range []string{"openai", "azure-openai", "anthropic", "mistral"} {
		for name, body := range map[string]string{
			"web_search": asksResponses(`"tools":[{"type":"web_search"}]`), "file_search": asksResponses(`"tools":[{"type":"file_search"}]`), "code_interpreter": asksResponses(`"tools":[{"type":"code_interpreter"}]`),
			"computer_use": asksResponses(`"tools":[{"type":"computer_use_preview"}]`), "mcp": asksResponses(`"tools":[{"type":"mcp"}]`), "store": asksResponses(`"store":true`),
			"previous_response_id": asksResponses(`"previous_response_id":"resp_1"`), "background": asksResponses(`"background":true`), "service_tier": asksResponses(`"service_tier":"priority"`),
			"a file part": withInput(`{"role":"user","content":[{"type":"input_file","file_id":"f"}]}`),
		} {
			if name == "a file part" && strings.Contains(p, "openai") { // they take files: TestWhatIsRefusedOutrightIsRefusedOnEveryProvider
				continue
			}
			rulings = append(rulings, ruling{sentence: name + " is refused", provider: p, body: body, refused: `"code":"unsupported_parameter"`})
		}
	}
	for _, p := range []string{"anthropic", "mistral", "gemini"} {
		rulings = append(
			rulings,
			ruling{sentence: "any other tool is refused", provider: p, body: asksResponses(`"tools":[{"type":"brand_new"}]`), refused: "brand_new"},
			ruling{
				sentence: "an unknown item is refused",
				provider: p,
				body:     withInput(`{"role":"user","content":"x"},{"type":"brand_new","content":"y"}`),
				refused:  "brand_new",
			},
		)
	}
	for i := range rulings {
		if rulings[i].path == "" {
			rulings[i].path = "/v1/responses"
		}
	}
	tryAll(t, rulings)
}

// callsOne is an answer of Anthropic's API with one call.
func callsOne(name, input string) string {
	return `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"toolu_1","name":"` + name + `","input":` + input + `}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":2}}`
}

// callsInPieces is the same as a stream.
func callsInPieces(name string, input ...string) string {
	s := `event: message_start` + "\n" + `data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":1}}}` + "\n\n" +
		`event: content_block_start` + "\n" + `data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"` + name + `","input":{}}}` + "\n\n"
	for _, in := range input {
		s += `event: content_block_delta` + "\n" + `data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":` + in + `}}` + "\n\n"
	}
	return s + `event: content_block_stop` + "\n" + `data: {"type":"content_block_stop","index":0}` + "\n\n" +
		`event: message_delta` + "\n" + `data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":2}}` + "\n\n" +
		`event: message_stop` + "\n" + `data: {"type":"message_stop"}` + "\n\n"
}

func TestCallsComeBackUnderTheirOwnNames(t *testing.T) {
	for _, c := range []struct{ name, tools, called, input, want string }{
		{"of a function", `{"type":"function","name":"f","parameters":{"type":"object"}}`, "f", `{"a":1}`, `"type":"function_call"|"call_id":"toolu_1"|"name":"f"|"arguments":"{\"a\":1}"`},
		{"of a custom tool", `{"type":"custom","name":"sql"}`, "sql", `{"input":"SELECT 1"}`, `"type":"custom_tool_call"|"call_id":"toolu_1"|"name":"sql"|"input":"SELECT 1"`},
		{"of a tool in a namespace", `{"type":"namespace","name":"crm","description":"d","tools":[{"type":"function","name":"get","parameters":{"type":"object"}}]}`, "crm__get", `{"a":1}`, `"type":"function_call"|"name":"get"|"namespace":"crm"`},
		{"of the search for tools", `{"type":"tool_search","execution":"client","description":"d","parameters":{"type":"object"}}`, "tool_search", `{"goal":"g"}`, `"type":"tool_search_call"|"execution":"client"|"arguments":{"goal":"g"}`},
	} {
		for _, streamed := range []bool{false, true} {
			t.Run(c.name+streamedName(streamed), func(t *testing.T) {
				raw, body := buildWhole(
					200,
					"application/json",
					callsOne(c.called, c.input),
				), `{"model":"gpt-test","max_output_tokens":50,"input":"x","tools":[`+c.tools+`]}`
				if streamed {
					half := len(c.input) / 2
					raw = stream(callsInPieces(c.called, quoteText(c.input[:half]), quoteText(c.input[half:])))
					body = strings.Replace(body, "{", `{"stream":true,`, 1)
				}
				g := open(t, setup{provider: newProvider(t, "anthropic", newFake(t, says(raw)).url), chain: redacting(t, "")})
				a := g.callPath("/v1/responses", body)
				require.Equal(t, 200, a.status, a.body)
				for want := range strings.SplitSeq(c.want, "|") {
					assert.Contains(t, a.body, want)
				}
				if streamed && c.name == "of a function" {
					at := -1
					for _, ev := range []string{"response.output_item.added", "response.function_call_arguments.delta", "response.function_call_arguments.done", "response.output_item.done", "response.completed"} {
						next := strings.Index(a.body, "event: "+ev+"\n")
						assert.Greater(t, next, at, ev)
						at = next
					}
					assert.Regexp(t, `"usage":\{"input_tokens":3.*"output_tokens":2`, a.body[at:])
				}
			})
		}
	}
}

// quoteText returns a text as a JSON string.
func quoteText(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func TestNothingIsStoredWhereTheOperatorSaysSo(t *testing.T) {
	for _, typ := range []string{"openai", "azure-openai"} {
		for asked, sent := range map[string]map[bool]string{
			`{"model":"gpt-test","input":"x"}`:               {false: `{"model":"gpt-test","input":"x"}`, true: `{"store":false,"model":"gpt-test","input":"x"}`},
			`{"model":"gpt-test","input":"x","store":false}`: {false: `{"model":"gpt-test","input":"x","store":false}`, true: `{"model":"gpt-test","input":"x","store":false}`},
		} {
			for keepsNothing, want := range sent {
				up := newFake(t, answersBriefly)
				lean := upstream.NewLean(upstream.LeanOptions{})
				t.Cleanup(func() { _ = lean.Close() })
				p, err := providers.New(providers.Settings{Name: typ, APIKey: upstreamKey, BaseURL: up.url, Client: lean, NoStore: keepsNothing})
				require.NoError(t, err)
				require.Equal(t, 200, open(t, setup{provider: p}).callPath("/v1/responses", asked).status)
				assert.Equal(t, want, up.last(t).body, "%s %v", typ, keepsNothing)
			}
		}
	}
}
