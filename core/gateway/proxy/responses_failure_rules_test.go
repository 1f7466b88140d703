package proxy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

func TestTheProvidersFailureAfterOutputIsForwardedUnchanged(t *testing.T) {
	const (
		begun = `data: {"type":"response.created","sequence_number":0,"response":{"id":"r","object":"response","status":"in_progress","model":"gpt-test","output":[]}}` + "\n\n" +
			`data: {"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"id":"m1","type":"message","status":"in_progress","role":"assistant","content":[]}}` + "\n\n" +
			`data: {"type":"response.content_part.added","sequence_number":2,"item_id":"m1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}` + "\n\n" +
			`data: {"type":"response.output_text.delta","sequence_number":3,"item_id":"m1","output_index":0,"content_index":0,"delta":"some "}` + "\n\n"
	)
	for name, failure := range map[string]string{
		"response.failed": "event: response.failed\ndata: {\"type\":\"response.failed\", \"sequence_number\":4,\"response\":{\"id\":\"r\",\"object\":\"response\",\"status\":\"failed\",\"error\":{\"code\":\"server_error\",\"message\":\"it \\u0062roke\"},\"output\":[]}}\n\n",
		"error":           "event: error\ndata: {\"type\":\"error\", \"sequence_number\":4,\"code\":\"server_error\",\"message\":\"it \\u0062roke\",\"param\":null}\n\n",
	} {
		for kind, chain := range map[string]func(core.Tokens) []chain.Link{"governed": redacting(t, ""), "not governed": nil} {
			t.Run(name+", "+kind, func(t *testing.T) {
				up := newFake(t, says(stream(begun, failure)))
				g := open(t, setup{chain: chain, provider: newProvider(t, "openai", up.url)})
				a := g.callPath("/v1/responses", `{"model":"gpt-test","input":"x","stream":true}`)
				assert.Equal(t, 200, a.status)
				assert.Contains(t, a.body, failure)
				assert.Equal(t, 1, strings.Count(a.body, "it "), "it is reported once")
				assert.Contains(t, a.body, `"delta":"some "`)
			})
		}
	}
}

func TestAnErrorEventBeforeOutputIsTheStatusThatItStandsFor(t *testing.T) {
	for body, want := range map[string]struct {
		status int
		says   string
	}{
		`"code":"rate_limit_exceeded","message":"slow down"`:             {429, "OpenAI API error 429: rate_limit_exceeded: slow down"},
		`"code":"invalid_prompt","message":"odd"`:                        {400, "OpenAI API error 400: invalid_prompt: odd"},
		`"code":"server_error","message":"the message is not disclosed"`: {500, "OpenAI API error 500"},
	} {
		for _, event := range []string{
			`{"type":"error","sequence_number":0,` + body + `,"param":null}`,
			`{"type":"response.failed","sequence_number":0,"response":{"id":"r","object":"response","status":"failed","error":{` + body + `},"output":[]}}`,
		} {
			for path, request := range map[string]string{
				"/v1/responses":        `{"model":"openai/gpt-5.4","stream":true,"input":"x"}`,
				"/v1/chat/completions": `{"model":"openai/gpt-5.4","stream":true,"reasoning_effort":"high","messages":[{"role":"user","content":"x"}],` + chatTool + `}`,
			} {
				up := newFake(t, says(stream("data: "+event+"\n\n")))
				a := open(t, setup{provider: newProvider(t, "openai", up.url)}).callPath(path, request)
				assert.Equal(t, want.status, a.status, "%s %s", path, event)
				assert.Equal(t, want.says, errorOf(t, a)["message"])
			}
		}
	}
}
