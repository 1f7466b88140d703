package proxy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Some servers say why an answer has finished and close the stream without its end, such as text-generation-inference
// until 2.1.2. Such an answer is whole: the client gets the end of its own shape.
func TestATranslatedStreamThatLacksOnlyItsEndIsWhole(t *testing.T) {
	chat := stream(roleEvent, textEvent("one"), stopEvent, usageEvent)
	messages := strings.NewReplacer("event: message_stop\n", ": ", `data: {"type":"message_stop"}`, ": ").Replace(messagesSay("one", true))
	for _, c := range []struct{ name, provider, raw, path, body, end string }{
		{
			"chat for messages", "openai", chat, "/v1/messages",
			`{"model":"gpt-test","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"x"}]}`, `{"type":"message_stop"}`,
		},
		{
			"chat for generateContent", "openai", chat, "/v1/gen/v1beta/models/gpt-test:streamGenerateContent?alt=sse",
			`{"contents":[{"role":"user","parts":[{"text":"x"}]}]}`, `"finishReason":"STOP"`,
		},
		{
			"chat for responses", "mistral", chat, "/v1/responses",
			`{"model":"gpt-test","stream":true,"input":"x"}`, `"type":"response.completed"`,
		},
		{"chat for completions", "openai", chat, "/v1/completions", `{"model":"gpt-test","stream":true,"prompt":"x"}`, "data: [DONE]"},
		{
			"two prompts", "openai", chat, "/v1/completions",
			`{"model":"gpt-test","stream":true,"prompt":["x","y"]}`, "data: [DONE]",
		},
		{
			"messages for chat", "anthropic", messages, "/v1/chat/completions",
			`{"model":"gpt-test","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"x"}]}`,
			`"total_tokens":10`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			up := newFake(t, says(c.raw))
			g := open(t, setup{provider: newProvider(t, c.provider, up.url), chain: redacting(t, "")})
			a := g.postTo(c.path, "dev", c.body)
			require.NoError(t, a.err)
			require.Equal(t, 200, a.status, a.body)
			assert.Contains(t, a.body, "one")
			assert.Contains(t, a.body, c.end)
			assert.NotContains(t, a.body, `"error":{`)
			res := g.outcome()
			assert.Equal(t, "served", res["outcome"])
			assert.Equal(t, true, res["complete"])
		})
	}
}

func TestATranslatedStreamOfWhichAChoiceHasNotFinishedHasNoEnd(t *testing.T) {
	second := strings.ReplaceAll(textEvent("two"), `"index":0`, `"index":1`)
	up := newFake(t, says(stream(roleEvent, textEvent("one"), second, stopEvent)))
	g := open(t, setup{provider: newProvider(t, "openai", up.url)})
	a := g.postTo("/v1/completions", "dev", `{"model":"gpt-test","stream":true,"n":2,"prompt":"x"}`)
	require.Equal(t, 200, a.status, a.body)
	assert.NotContains(t, a.body, "[DONE]")
	assert.NotEqual(t, true, g.outcome()["complete"])
}

func TestAClientOfAnotherShapeIsToldOfAnErrorInPlaceOfAStream(t *testing.T) {
	up := newFake(t, says(buildWhole(200, "application/json", `{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`)))
	g := open(t, setup{provider: newProvider(t, "anthropic", up.url)})
	a := g.post("dev", chatStream("hi"))
	require.Equal(t, 429, a.status, a.body)
	assert.Equal(t, "rate_limit_error", errorOf(t, a)["code"])
	assert.Contains(t, a.body, "slow down")
}
