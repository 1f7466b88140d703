package proxy_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// conversation holds the pieces of a conversation with tools in one shape.
type conversation struct {
	path, open, shut   string
	user, call, result string
	picture            func(data string) string
}

var conversations = map[string]conversation{
	"chat": {
		path: "/v1/chat/completions", open: `{"model":"M","messages":[`, shut: `],` + chatTool + `}`, user: `{"role":"user","content":"x"}`,
		call:   `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}`,
		result: `{"role":"tool","tool_call_id":"c1","content":"r"}`,
		picture: func(data string) string {
			return `{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + data + `"}}]}`
		},
	},
	"messages": {
		path:   "/v1/messages",
		open:   `{"model":"M","max_tokens":9,"messages":[`,
		shut:   `],"tools":[{"name":"f","input_schema":{"type":"object"}}]}`,
		user:   `{"role":"user","content":"x"}`,
		call:   `{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{}}]}`,
		result: `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"r"}]}`,
		picture: func(data string) string {
			return `{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + data + `"}}]}`
		},
	},
	"responses": {
		path:   "/v1/responses",
		open:   `{"model":"M","input":[`,
		shut:   `],"tools":[{"type":"function","name":"f","parameters":{}}]}`,
		user:   `{"role":"user","content":"x"}`,
		call:   `{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"}`,
		result: `{"type":"function_call_output","call_id":"c1","output":"r"}`,
		picture: func(data string) string {
			return `{"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,` + data + `"}]}`
		},
	},
	"generateContent": {
		path:   "/v1/gen/v1beta/models/M:generateContent",
		open:   `{"contents":[`,
		shut:   `],"tools":[{"functionDeclarations":[{"name":"f","parameters":{"type":"OBJECT"}}]}]}`,
		user:   `{"role":"user","parts":[{"text":"x"}]}`,
		call:   `{"role":"model","parts":[{"functionCall":{"id":"c1","name":"f","args":{}}}]}`,
		result: `{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"f","response":{"output":"r"}}}]}`,
		picture: func(data string) string {
			return `{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"` + data + `"}}]}`
		},
	},
}

// own are the providers that speak the client's shape: they refuse passed-through requests themselves.
var own = map[string][]string{"chat": {"openai", "xai"}, "messages": {"anthropic", "bedrock"}, "responses": {"openai"}, "generateContent": {"gemini"}}

// asks sends a conversation in a shape, and returns the answer and the provider's request, if there was one.
func (c *conversation) asks(g *gate, up *fake, model string, parts ...string) (a answer, asked string) {
	before := len(up.requests())
	body := strings.Replace(c.open+strings.Join(parts, ",")+c.shut, `"M"`, `"`+model+`"`, 1)
	a = g.callPath(strings.Replace(c.path, "/M:", "/"+model+":", 1), body)
	if all := up.requests(); len(all) > before {
		asked = all[len(all)-1].body
	}
	return a, asked
}

// Impossible tool sequences and invalid base64 get a clear error in the client's shape.
func TestConversationsThatNoProviderTakesAreRefusedInEveryShape(t *testing.T) {
	for _, p := range []string{"openai", "anthropic", "gemini", "bedrock", "xai", "ollama"} {
		up := newFake(t, answersBriefly)
		g := open(t, setup{provider: newProvider(t, p, up.url), chain: redacting(t, "")})
		for shape, c := range conversations {
			if slices.Contains(own[shape], p) {
				continue
			}
			for name, x := range map[string]struct {
				parts   []string
				refused string // in the error; "": the request is answered
			}{
				"a result first":                {[]string{c.result, c.user}, "without a call"},
				"a result before its call":      {[]string{c.user, c.result, c.call}, "without a call"},
				"a result given twice":          {[]string{c.user, c.call, c.result, c.result}, "twice"},
				"a call without a result":       {[]string{c.user, c.call, c.user}, "no result"},
				"a call at the end":             {[]string{c.user, c.call}, "no result"},
				"two calls of one id":           {[]string{c.user, c.call, c.call, c.result}, "same id"},
				"a call and its result":         {[]string{c.user, c.call, c.result}, ""},
				"an id used again":              {[]string{c.user, c.call, c.result, c.user, c.call, c.result}, ""},
				"a picture with invalid base64": {[]string{c.picture("@@@@")}, "base64"},
				"a picture of an odd length":    {[]string{c.picture("AAAAA")}, "base64"},
			} {
				t.Run(shape+", "+p+", "+name, func(t *testing.T) {
					a, asked := c.asks(g, up, p+"/"+usual[p], x.parts...)
					judgeRefused(t, shape, a, asked, x.refused)
					if name == "an id used again" && (p == "anthropic" || p == "bedrock") { // which refuses that
						assert.Equal(t, 2, strings.Count(asked, `"c1_2"`), asked)
						assert.Equal(t, 2, strings.Count(asked, `"c1"`), asked)
					}
				})
			}
		}
	}
}

// judgeRefused checks that a request was refused for a reason, in its shape and without a call, or answered if the
// reason is "".
func judgeRefused(t *testing.T, shape string, a answer, asked, reason string) {
	if reason == "" {
		assert.Equal(t, 200, a.status, a.body)
		assert.NotEmpty(t, asked)
		return
	}
	assert.Equal(t, 400, a.status, a.body)
	assert.Contains(t, a.body, cmp.Or(ownForm[shape], `"type":"invalid_request_error"`))
	assert.Contains(t, a.body, reason)
	assert.Empty(t, asked, "no provider is called")
}

// Oversized images get a clear error in the client's shape.
func TestAPictureLargerThanTheProviderTakesIsRefusedInEveryShape(t *testing.T) {
	for p, most := range map[string]int{"anthropic": 10 << 20, "bedrock": 5 << 20, "xai": (20<<20 + 2) / 3 * 4} {
		up := newFake(t, answersBriefly)
		g := open(t, setup{provider: newProvider(t, p, up.url), maxBody: 32 << 20})
		for shape, c := range conversations {
			if slices.Contains(own[shape], p) || p == "xai" && shape != "messages" { // one shape is enough for the largest limit
				continue
			}
			t.Run(shape+", "+p, func(t *testing.T) {
				a, asked := c.asks(g, up, p+"/"+usual[p], c.picture(strings.Repeat("A", most+4)))
				judgeRefused(t, shape, a, asked, "larger")
				a, asked = c.asks(g, up, p+"/"+usual[p], c.picture(strings.Repeat("A", most)))
				judgeRefused(t, shape, a, asked, "")
			})
		}
	}
}
