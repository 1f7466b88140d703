package proxy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A provider that fails behind its first output speaks of its own account, and at any length.
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
			"its key is refused": {failing("authentication_error", "invalid x-api-key sk-ant-12345"), "Anthropic API error 401", "sk-ant"},
			"it is overloaded":   {failing("overloaded_error", "node-17 is down"), "Anthropic API error 529", "node-17"},
			"it has a long text": {failing("invalid_request_error", strings.Repeat("long ", 200)), "Anthropic API error 400: invalid_request_error: long", strings.Repeat("long ", 70)},
		} {
			t.Run(shape.name+", "+name, func(t *testing.T) {
				up := newFake(t, says(streamHead+chunk(text)+chunk(c.event)+chunk("")))
				g := open(t, setup{provider: provided(t, "anthropic", up.url)})
				a := g.to(shape.path, shape.body)
				assert.Equal(t, 200, a.status, a.body)
				assert.Contains(t, a.body, "one")
				assert.Contains(t, a.body, c.says)
				assert.NotContains(t, a.body, c.hides)
			})
		}
	}
}

func TestACodeOfAProviderIsFoundWhereItPutsIt(t *testing.T) {
	for name, c := range map[string]struct{ kind, raw, code, says string }{
		"in a header": {
			"bedrock", whole(400, "application/json", `{"message":"too many images"}`, "x-amzn-ErrorType: ValidationException:http://internal.amazon.com/x"),
			"ValidationException", "Bedrock API error 400: ValidationException: too many images",
		},
		"as a number": {"openai", whole(400, "application/json", `{"error":{"message":"no such key","code":1211}}`), "1211", "OpenAI API error 400: 1211: no such key"},
	} {
		t.Run(name, func(t *testing.T) {
			g := open(t, setup{provider: provided(t, c.kind, newFake(t, says(c.raw)).url)})
			a := g.post("dev", chatBody("hi", false))
			e := errorOf(t, a)
			assert.Equal(t, 400, a.status)
			assert.Equal(t, c.code, e["code"])
			assert.Equal(t, c.says, e["message"])
		})
	}
}
