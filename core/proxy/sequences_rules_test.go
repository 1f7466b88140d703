package proxy_test

import (
	"strings"
	"testing"
)

// conversation are the pieces of a conversation with tools in one shape.
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
		path: "/v1/messages", open: `{"model":"M","max_tokens":9,"messages":[`, shut: `],"tools":[{"name":"f","input_schema":{"type":"object"}}]}`, user: `{"role":"user","content":"x"}`,
		call:   `{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{}}]}`,
		result: `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"r"}]}`,
		picture: func(data string) string {
			return `{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + data + `"}}]}`
		},
	},
	"responses": {
		path: "/v1/responses", open: `{"model":"M","input":[`, shut: `],"tools":[{"type":"function","name":"f","parameters":{}}]}`, user: `{"role":"user","content":"x"}`,
		call:   `{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"}`,
		result: `{"type":"function_call_output","call_id":"c1","output":"r"}`,
		picture: func(data string) string {
			return `{"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,` + data + `"}]}`
		},
	},
	"generateContent": {
		path: "/v1/gen/v1beta/models/M:generateContent", open: `{"contents":[`, shut: `],"tools":[{"functionDeclarations":[{"name":"f","parameters":{"type":"OBJECT"}}]}]}`, user: `{"role":"user","parts":[{"text":"x"}]}`,
		call:   `{"role":"model","parts":[{"functionCall":{"id":"c1","name":"f","args":{}}}]}`,
		result: `{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"f","response":{"output":"r"}}}]}`,
		picture: func(data string) string {
			return `{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"` + data + `"}}]}`
		},
	},
}

// own is the provider whose shape is the client's: what passes through is the
// provider's to refuse.
var own = map[string][]string{"chat": {"openai", "xai"}, "messages": {"anthropic"}, "responses": {"openai"}, "generateContent": {"gemini"}}

// impossible tool sequences, base64 that is none: a clear error in
// the client's shape.
func TestConversationsThatNoProviderTakesAreRefusedInEveryShape(t *testing.T) {
	for shape, c := range conversations {
		for _, p := range []string{"openai", "anthropic", "gemini", "bedrock", "xai", "ollama"} {
			if strings.Contains(strings.Join(own[shape], " "), p) {
				continue
			}
			seen := func(parts ...string) string { return c.open + strings.Join(parts, ",") + c.shut }
			for name, r := range map[string]ruling{
				"a result first":              {body: seen(c.result, c.user), refused: "without one"},
				"a result before its call":    {body: seen(c.user, c.result, c.call), refused: "without one"},
				"a result given twice":        {body: seen(c.user, c.call, c.result, c.result), refused: "twice"},
				"a call without a result":     {body: seen(c.user, c.call, c.user), refused: "no result"},
				"a call at the end":           {body: seen(c.user, c.call), refused: "no result"},
				"two calls of one id":         {body: seen(c.user, c.call, c.call, c.result), refused: "same id"},
				"a call and its result":       {body: seen(c.user, c.call, c.result), sent: []string{"f"}},
				"a picture that is no base64": {body: seen(c.picture("@@@@")), refused: "base64"},
				"a picture of an odd length":  {body: seen(c.picture("AAAAA")), refused: "base64"},
			} {
				r.provider, r.path = p, c.path
				t.Run(shape+", "+p+", "+name, r.try)
			}
		}
	}
}

// oversized images: a clear error in the client's shape.
func TestAPictureLargerThanTheProviderTakesIsRefusedInEveryShape(t *testing.T) {
	for p, most := range map[string]int{"anthropic": 10 << 20, "bedrock": 5 << 20, "xai": (20<<20 + 2) / 3 * 4} {
		for shape, c := range conversations {
			if strings.Contains(strings.Join(own[shape], " "), p) {
				continue
			}
			for about, r := range map[string]ruling{
				"larger":        {body: c.open + c.picture(strings.Repeat("A", most+4)) + c.shut, refused: "larger"},
				"just as large": {body: c.open + c.picture(strings.Repeat("A", most)) + c.shut, sent: []string{"image"}},
			} {
				if p == "xai" && shape != "messages" {
					continue // one shape will do
				}
				r.provider, r.path, r.maxBody = p, c.path, 32<<20
				t.Run(shape+", "+p+", "+about, r.try)
			}
		}
	}
}
