package proxy_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/providers/mcp"
)

var journeyToken = regexp.MustCompile(`\{\{PII_EMAIL_[0-9a-f]+\}\}`)

// journeyModel is a model that calls a tool with the first address that it reads, and writes about all addresses once it has a result.
func journeyModel(c net.Conn, r sent) {
	tokens := journeyToken.FindAllString(r.body, -1)
	streamed := strings.Contains(r.body, `"stream":true`)
	event := func(delta, finish string) string {
		return "data: " + fmt.Sprintf(`{"id":"a","object":"chat.completion.chunk","created":1,"model":"gpt-test","choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`, delta, finish) + "\n\n"
	}
	message, finish := "", `"stop"`
	var events string
	if strings.Contains(r.body, `"role":"tool"`) {
		text := quote("Wrote to " + tokens[0] + ", the answer came from " + tokens[len(tokens)-1] + ".")
		message = `{"role":"assistant","content":` + text + `}`
		half := len(text) / 2
		events = event(`{"content":`+text[:half]+`"}`, "null") + event(`{"content":"`+text[half:]+`}`, "null")
	} else {
		args := quote(`{"text":"to ` + tokens[0] + `"}`)
		head := `{"index":0,"id":"call_1","type":"function","function":{"name":"trusted__mail","arguments":`
		message, finish = `{"role":"assistant","content":null,"tool_calls":[`+strings.Replace(head, `"index":0,`, "", 1)+args+`}}]}`, `"tool_calls"`
		events = event(`{"tool_calls":[`+head+`""}}]}`, "null") + event(`{"tool_calls":[{"index":0,"function":{"arguments":`+args+`}}]}`, "null")
	}
	if streamed {
		_, _ = io.WriteString(c, sseOf(events, event("{}", finish), "data: [DONE]\n\n"))
		return
	}
	_, _ = io.WriteString(c, buildWhole(200, "application/json", `{"id":"a","object":"chat.completion","created":1,"model":"gpt-test","choices":[{"index":0,"message":`+
		message+`,"finish_reason":`+finish+`}],"usage":{"prompt_tokens":9,"completion_tokens":9,"total_tokens":18}}`))
}

// journeyArguments returns the arguments of the call in an answer to the client.
func journeyArguments(t *testing.T, body string, streamed bool) (args string) {
	t.Helper()
	type calls []struct{ Function struct{ Arguments string } }
	for line := range strings.Lines(body) {
		if streamed {
			if line, _ = strings.CutPrefix(line, "data: "); !strings.HasPrefix(line, "{") {
				continue
			}
		}
		var doc struct {
			Choices []struct {
				Message, Delta struct {
					ToolCalls calls `json:"tool_calls"`
				}
			}
		}
		require.NoError(t, json.Unmarshal([]byte(line), &doc), line)
		for _, c := range append(doc.Choices[0].Message.ToolCalls, doc.Choices[0].Delta.ToolCalls...) {
			args += c.Function.Arguments
		}
	}
	return args
}

// journeySays returns the text of an answer to the client.
func journeySays(t *testing.T, body string) (text string) {
	t.Helper()
	for line := range strings.Lines(body) {
		line, _ = strings.CutPrefix(line, "data: ")
		var doc struct {
			Choices []struct{ Message, Delta struct{ Content string } }
		}
		if json.Unmarshal([]byte(line), &doc) == nil && len(doc.Choices) > 0 {
			text += doc.Choices[0].Message.Content + doc.Choices[0].Delta.Content
		}
	}
	return text
}

// A value travels from the client to a model, from the model to tools, and back. Only the client and the server that is trusted
// ever see it: the bytes that the model and the other server have received are read as they came.
func TestAValueTravelsAsAPlaceholderAndOnlyTheTrustedServerAndTheClientSeeIt(t *testing.T) {
	const value, answered = "jane.doe@example.com", "helpdesk-77@example.org"
	for name, c := range map[string]struct{ streamed, redacts bool }{
		"whole answers": {}, "streams": {streamed: true}, "whole answers, redacted": {redacts: true}, "streams, redacted": {true, true},
	} {
		t.Run(name, func(t *testing.T) {
			streamed, config := c.streamed, ""
			if c.redacts {
				config = "response: redact"
			}
			reply := toolResult("answered by " + answered + ", on behalf of " + value)
			say := says(toolJSON(reply))
			if streamed {
				say = says(toolEvents(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"asked `+value+`"}}`, reply))
			}
			model, trusted, other := newFake(t, journeyModel), newFake(t, say), newFake(t, say)
			servers := tools.Servers{}
			for server, up := range map[string]*fake{"trusted": trusted, "other": other} {
				client, err := mcp.New(mcp.Settings{URL: up.url, AllowPrivate: true})
				require.NoError(t, err)
				t.Cleanup(func() { _ = client.Close() })
				servers[server] = &tools.Server{Name: server, Upstream: client.Upstream(), Restores: server == "trusted"}
				modern(servers[server])
			}
			servers.Adopt(nil)
			g := open(t, setup{url: model.url, chain: redacting(t, config), runtime: func(rt *snapshot.Runtime) { rt.Servers = tools.NewSet(servers) }})
			head := fmt.Sprintf(`{"model":"gpt-test","stream":%t,"tools":[{"type":"function","function":{"name":"trusted__mail","parameters":{"type":"object"}}}],"messages":[`, streamed)
			ask := head + `{"role":"user","content":"Write to ` + value + `, please."}`

			// The model is asked, and calls the tool with what it has seen.
			a := g.post("dev", ask+"]}")
			require.Equal(t, 200, a.status, a.body)
			first := model.last(t).body
			assert.NotContains(t, first, value)
			token := journeyToken.FindString(first)
			require.NotEmpty(t, token)
			args := journeyArguments(t, a.body, streamed)
			assert.JSONEq(t, `{"text":"to `+value+`"}`, args, "the client reads its own value")

			// The client calls the tool at both servers.
			call := fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{%s,"name":"mail","arguments":%s}}`, meta, args)
			var results string
			for _, server := range []string{"trusted", "other"} {
				a = g.postTo("/mcp/"+server, "dev", call, "Content-Type", "application/json", "Accept", "application/json, text/event-stream",
					"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "mail")
				require.Equal(t, 200, a.status, a.body)
				results = a.body
			}
			text := "answered by " + answered + ", on behalf of " + value
			if c.redacts {
				assert.NotContains(t, results, value)
				assert.NotContains(t, results, answered)
				assert.Contains(t, results, token, "the same placeholder for a value that a tool says")
				text = "answered by " + journeyToken.FindString(strings.ReplaceAll(results, token, "")) + ", on behalf of " + token
			} else {
				assert.Contains(t, results, text)
			}
			assert.Contains(t, trusted.last(t).body, `"text":"to `+value+`"`, "the trusted server gets the value")
			assert.NotContains(t, other.last(t).body, value)
			assert.Contains(t, other.last(t).body, `"text":"to `+token+`"`, "the other server gets the model's placeholder")

			// The client returns the result, with what it has read of it, and the model answers.
			a = g.post("dev", ask+`,{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"trusted__mail","arguments":`+
				quote(args)+`}}]},{"role":"tool","tool_call_id":"call_1","content":`+quote(text)+`}]}`)
			require.Equal(t, 200, a.status, a.body)
			last := model.last(t).body
			assert.NotContains(t, last, value)
			assert.NotContains(t, last, answered, "nor does the model see what the tool has said")
			assert.GreaterOrEqual(t, strings.Count(last, token), 3, "one placeholder for one value, wherever it comes from")
			assert.Contains(t, journeySays(t, a.body), "Wrote to "+value+", the answer came from ")
			for i, r := range append(model.requests(), other.requests()...) {
				assert.NotContains(t, fmt.Sprint(r.body, r.header, r.path), value, "request %d", i)
			}
		})
	}
}
