package proxy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A provider that fails after its first output may mention its own account, at any length.
func TestALateErrorOfATranslatedStreamIsToldLikeAnEarlyOne(t *testing.T) {
	const text = `data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}` + "\n\n" +
		`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` + "\n\n" +
		`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"one"}}` + "\n\n"
	failing := func(typ, message string) string {
		return `data: {"type":"error","error":{"type":"` + typ + `","message":"` + message + `"}}` + "\n\n"
	}
	for _, shape := range []struct{ name, path, body string }{
		{"chat", chatPath, `{"model":"gpt-test","stream":true,"messages":[{"role":"user","content":"hi"}]}`},
		{"completions", legacyPath, `{"model":"gpt-test","stream":true,"prompt":"hi"}`},
		{"responses", answersPath, `{"model":"gpt-test","stream":true,"input":"hi"}`},
		{"generateContent", strings.Replace(generatePath, ":generateContent", ":streamGenerateContent?alt=sse", 1), `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`},
	} {
		for name, c := range map[string]struct{ event, says, hides string }{
			"the key is refused":         {failing("authentication_error", "invalid x-api-key sk-ant-12345"), "Anthropic API error 401", "sk-ant"},
			"the provider is overloaded": {failing("overloaded_error", "node-17 is down"), "Anthropic API error 529", "node-17"},
			"a long message":             {failing("invalid_request_error", strings.Repeat("long ", 200)), "Anthropic API error 400: invalid_request_error: long", strings.Repeat("long ", 70)},
		} {
			t.Run(shape.name+", "+name, func(t *testing.T) {
				up := newFake(t, says(streamHead+chunk(text)+chunk(c.event)+chunk("")))
				g := open(t, setup{provider: newProvider(t, "anthropic", up.url)})
				a := g.callPath(shape.path, shape.body)
				assert.Equal(t, 200, a.status, a.body)
				assert.Contains(t, a.body, "one")
				assert.Contains(t, a.body, c.says)
				assert.NotContains(t, a.body, c.hides)
			})
		}
	}
}

// Messages clients of another provider, and chat requests that take the Responses API for their effort, are told no more.
func TestALateErrorIsToldAlikeToMessagesClientsAndOnTheDetour(t *testing.T) {
	of := func(typ, members string) string {
		return "event: " + typ + "\ndata: {\"type\":\"" + typ + "\"," + members + "}\n\n"
	}
	const at = `"item_id":"m","output_index":0,"content_index":0,`
	for name, c := range map[string]struct{ path, body, first, failing string }{
		"Messages": {
			"/v1/messages", `{"model":"gpt-test","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"hi"}]}`, roleEvent + textEvent("one"),
			`data: {"error":{"message":"Incorrect API key provided: sk-proj-12345","type":"invalid_request_error","code":"invalid_api_key"}}` + "\n\n",
		},
		"the detour": {
			chatPath, `{"model":"openai/gpt-5.4","stream":true,"reasoning_effort":"high","messages":[{"role":"user","content":"x"}],` + chatTool + `}`,
			of("response.created", `"sequence_number":0,"response":{"id":"r","object":"response","status":"in_progress","model":"gpt-5.4","output":[]}`) +
				of("response.output_item.added", `"sequence_number":1,"output_index":0,"item":{"id":"m","type":"message","status":"in_progress","role":"assistant","content":[]}`) +
				of("response.content_part.added", `"sequence_number":2,`+at+`"part":{"type":"output_text","text":"","annotations":[]}`) +
				of("response.output_text.delta", `"sequence_number":3,`+at+`"delta":"one"`),
			of("error", `"sequence_number":4,"code":"invalid_api_key","message":"Incorrect API key provided: sk-proj-12345","param":null`),
		},
	} {
		t.Run(name, func(t *testing.T) {
			up := newFake(t, says(streamHead+chunk(c.first)+chunk(c.failing)+chunk("")))
			a := open(t, setup{provider: newProvider(t, "openai", up.url)}).callPath(c.path, c.body)
			assert.Equal(t, 200, a.status, a.body)
			assert.Contains(t, a.body, "one")
			assert.Contains(t, a.body, "OpenAI API error 401")
			assert.NotContains(t, a.body, "sk-proj")
		})
	}
}

func TestACodeOfAProviderIsFoundWhereItPutsIt(t *testing.T) {
	for name, c := range map[string]struct{ kind, raw, code, says string }{
		"in a header": {
			"bedrock", buildWhole(400, "application/json", `{"message":"too many images"}`, "x-amzn-ErrorType: ValidationException:http://internal.amazon.com/x"),
			"ValidationException", "Bedrock API error 400: ValidationException: too many images",
		},
		"as a number": {"openai", buildWhole(400, "application/json", `{"error":{"message":"no such key","code":1211}}`), "1211", "OpenAI API error 400: 1211: no such key"},
	} {
		t.Run(name, func(t *testing.T) {
			g := open(t, setup{provider: newProvider(t, c.kind, newFake(t, says(c.raw)).url)})
			a := g.post("dev", chatBody("hi", false))
			e := errorOf(t, a)
			assert.Equal(t, 400, a.status)
			assert.Equal(t, c.code, e["code"])
			assert.Equal(t, c.says, e["message"])
		})
	}
}

// A chat client of a chat provider gets the provider's stream unchanged, except for its errors.
func TestAnErrorInANativeChatStreamIsToldInTheGatewaysWords(t *testing.T) {
	for name, c := range map[string]struct{ event, code, says, hides string }{
		"the key is refused": {
			`{"error":{"message":"Incorrect API key provided: sk-proj-12345","type":"invalid_request_error","code":"invalid_api_key"}}`,
			"upstream_error", "OpenAI API error 401", "sk-proj",
		},
		"it fails": {`{"error":{"message":"node-17 is down","type":"server_error"}}`, "upstream_error", "OpenAI API error 500", "node-17"},
		"a long message": {
			`{"error":{"message":"` + strings.Repeat("long ", 200) + `","type":"invalid_request_error","code":"too_long"}}`,
			"too_long", "OpenAI API error 400: too_long: long", strings.Repeat("long ", 70),
		},
		"an error as Mistral sends it": {
			`{"object":"error","message":"Rate limit exceeded","type":"rate_limited","param":null,"code":"1300"}`,
			"1300", "OpenAI API error 429: 1300: Rate limit exceeded", `"object":"error"`,
		},
	} {
		for _, ends := range []string{"", doneEvent, textEvent("two") + doneEvent} {
			for _, chain := range []string{"", "response: redact"} {
				t.Run(name+", chain "+chain, func(t *testing.T) {
					s := setup{url: newFake(t, says(streamHead+chunk(roleEvent+textEvent("one"))+chunk("data: "+c.event+"\n\n"+ends)+chunk(""))).url}
					if chain != "" {
						s.chain = redacting(t, chain)
					}
					g := open(t, s)
					a := g.post("dev", chatStream("hi"))
					h := listen(t, a.body)
					assert.Equal(t, "one", h.content)
					require.NotNil(t, h.err, a.body)
					assert.Equal(t, c.code, h.err["code"])
					assert.Contains(t, h.err["message"], c.says)
					assert.NotContains(t, a.body, c.hides)
					assert.False(t, h.done, "the error ends the stream")
					assert.Equal(t, "upstream_error", g.outcome()["outcome"])
				})
			}
		}
	}
}

func TestErrorsOfMistralAndZhipuBeforeOutputHaveAStatus(t *testing.T) {
	for name, c := range map[string]struct {
		kind, event string
		status      int
		says        string
	}{
		"Mistral's limit":      {"mistral", `{"object":"error","message":"Rate limit exceeded","type":"rate_limited","param":null,"code":"1300"}`, 429, "Mistral API error 429: 1300: Rate limit exceeded"},
		"Mistral's capacity":   {"mistral", `{"object":"error","message":"Service tier capacity exceeded for this model.","type":"service_tier_capacity_exceeded","param":null,"code":"3505"}`, 429, "Mistral API error 429: 3505: Service tier capacity"},
		"Mistral's validation": {"mistral", `{"object":"error","message":{"detail":[{"type":"missing","loc":["body","model"],"msg":"Field required"}]},"type":"invalid_request_error","param":null,"code":null,"raw_status_code":422}`, 422, "Mistral API error 422: invalid_request_error: model: Field required"},
		"Mistral's failure":    {"mistral", `{"object":"error","message":"node-17","type":"internal_server_error","code":"1000","raw_status_code":500}`, 500, "Mistral API error 500"},
		"Zhipu's limit":        {"zhipu", `{"error":{"code":"1302","message":"Too many requests at once"}}`, 429, "Zhipu AI API error 429: 1302: Too many"},
		"Zhipu's model":        {"zhipu", `{"error":{"code":"1211","message":"The model does not exist"}}`, 400, "Zhipu AI API error 400: 1211: The model"},
		"Zhipu's filter":       {"zhipu", `{"error":{"code":"1301","message":"Unsafe content"},"contentFilter":[{"level":1,"role":"user"}]}`, 400, "Zhipu AI API error 400: 1301: Unsafe"},
		"Zhipu's key":          {"zhipu", `{"error":{"code":"1002","message":"The token 123.abc is invalid"}}`, 502, "Zhipu AI API error 401"},
		"Zhipu's failure":      {"zhipu", `{"error":{"code":"1234","message":"node-17"}}`, 500, "Zhipu AI API error 500"},
	} {
		t.Run(name, func(t *testing.T) {
			g := open(t, setup{provider: newProvider(t, c.kind, newFake(t, says(stream("data: "+c.event+"\n\n", doneEvent))).url)})
			a := g.post("dev", chatStream("hi"))
			assert.Equal(t, c.status, a.status, a.body)
			assert.Contains(t, errorOf(t, a)["message"], c.says)
			assert.NotContains(t, a.body, "node-17")
			assert.NotContains(t, a.body, "123.abc")
		})
	}
}
