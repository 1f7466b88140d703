package proxy_test

import (
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

var noTimeouts upstream.Timeouts

type netConn = net.Conn

// quote writes a text as JSON does.
func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// completion is a provider's whole answer.
func completion(content string) string {
	return `{"id":"c1","object":"chat.completion","created":1,"model":"gpt-test","choices":[{"index":0,"message":{"role":"assistant","content":` +
		quote(
			content,
		) + `},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10,` +
		`"prompt_tokens_details":{"cached_tokens":2},"completion_tokens_details":{"reasoning_tokens":1}}}`
}

// toolCompletion is a whole answer that calls a tool with raw arguments.
func toolCompletion(args string) string {
	return `{"id":"c1","object":"chat.completion","created":1,"model":"gpt-test","choices":[{"index":0,"message":{"role":"assistant","content":null,` +
		`"tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":` + quote(
		args,
	) + `}}]},"finish_reason":"tool_calls"}],` +
		`"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}`
}

const (
	roleEvent = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"gpt-test","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}` + "\n\n"
	stopEvent = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"gpt-test","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	// usageEvent is only sent to clients that asked for it.
	usageEvent = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"gpt-test","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}` + "\n\n"
	doneEvent  = "data: [DONE]\n\n"
	errorEvent = `data: {"error":{"message":"the engine is on fire","type":"server_error","code":"engine_down"}}` + "\n\n"
	limitEvent = `data: {"error":{"message":"Rate limit reached","type":"requests","param":null,"code":"rate_limit_exceeded"}}` + "\n\n"
)

// textEvent carries text, spelled as it stands between quotes.
func textEvent(raw string) string {
	return `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"gpt-test","choices":[{"index":0,"delta":{"content":"` + raw + `"},"finish_reason":null}]}` + "\n\n"
}

// argsEvent carries a piece of a tool's arguments.
func argsEvent(raw string) string {
	return `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"gpt-test","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"` + raw + `"}}]},"finish_reason":null}]}` + "\n\n"
}

const callEvent = `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"gpt-test","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"f","arguments":""}}]},"finish_reason":null}]}` + "\n\n"

// heard is a streamed answer as a client reads it.
type heard struct {
	content, args string
	finish        string
	err           map[string]any
	done          bool
	usage         bool
	after         int // events after [DONE]
}

// listen parses a streamed answer as a client does.
func listen(t testing.TB, body string) (h heard) {
	t.Helper()
	for ev := range strings.Lines(body) {
		data, ok := strings.CutPrefix(strings.TrimSpace(ev), "data: ")
		if !ok {
			continue
		}
		if h.done {
			h.after++
		}
		if data == "[DONE]" {
			h.done = true
			continue
		}
		var c struct {
			Choices []struct {
				Delta struct {
					Content   string `json:"content"`
					ToolCalls []struct {
						Function struct {
							Arguments string `json:"arguments"`
						} `json:"function"`
					} `json:"tool_calls"`
				} `json:"delta"`
				FinishReason string `json:"finish_reason"`
			} `json:"choices"`
			Usage json.RawMessage `json:"usage"`
			Error map[string]any  `json:"error"`
		}
		require.NoError(t, json.Unmarshal([]byte(data), &c), "%s", ev)
		for _, x := range c.Choices {
			h.content += x.Delta.Content
			for _, k := range x.Delta.ToolCalls {
				h.args += k.Function.Arguments
			}
			h.finish += x.FinishReason
		}
		h.usage = h.usage || len(c.Usage) > 0
		if c.Error != nil {
			h.err = c.Error
		}
	}
	return h
}

// parseWhole returns the text and the tool arguments of a whole answer.
func parseWhole(t testing.TB, body string) (content, args string) {
	t.Helper()
	var v struct {
		Choices []struct {
			Message struct {
				Content   *string `json:"content"`
				ToolCalls []struct {
					Function struct {
						Arguments string `json:"arguments"`
					} `json:"function"`
				} `json:"tool_calls"`
			} `json:"message"`
		} `json:"choices"`
	}
	require.NoError(t, json.Unmarshal([]byte(body), &v), body)
	require.NotEmpty(t, v.Choices, body)
	m := v.Choices[0].Message
	if m.Content != nil {
		content = *m.Content
	}
	if len(m.ToolCalls) > 0 {
		args = m.ToolCalls[0].Function.Arguments
	}
	return content, args
}

// escapeAll writes every character as a \u escape.
func escapeAll(s string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, "\\u%04x", r)
	}
	return b.String()
}
