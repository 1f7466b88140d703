package proxy_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/providers"
)

// callPath sends a body to an endpoint.
func (g *gate) callPath(path, body string, header ...string) answer {
	r := g.request("dev", strings.NewReader(body))
	path, query, _ := strings.Cut(path, "?")
	r.URL.Path, r.URL.RawQuery = path, query
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return g.do(r)
}

// newProvider returns a provider of a type, at a URL.
func newProvider(t testing.TB, typ, url string) route.Provider {
	return newNamedProvider(t, typ, typ, url)
}

// newNamedProvider returns a provider of a type under its own name.
func newNamedProvider(t testing.TB, name, typ, url string) route.Provider {
	t.Helper()
	lean := upstream.NewLean(upstream.LeanOptions{})
	t.Cleanup(func() { _ = lean.Close() })
	s := providers.Settings{Name: name, Type: typ, APIKey: upstreamKey, BaseURL: url, Region: "eu-central-1", Client: lean}
	if typ == "vertex" {
		s.Project = "my-project"
	}
	p, err := providers.New(s)
	require.NoError(t, err)
	return p
}

func TestEveryShapeIsAnsweredByTheMock(t *testing.T) {
	g := open(t, setup{chain: redacting(t, "")})
	for _, c := range []struct{ name, path, body, want string }{
		{"legacy", "/v1/completions", `{"model":"mock-echo","prompt":"to ann@example.com"}`, `"text":"to ann@example.com"`},
		{"legacy, streamed", "/v1/completions", `{"model":"mock-echo","prompt":"to ann@example.com","stream":true}`, "data: [DONE]"},
		{"messages", "/v1/messages", `{"model":"mock-echo","max_tokens":9,"messages":[{"role":"user","content":"to ann@example.com"}]}`, `{"type":"text","text":"to ann@example.com"}`},
		{"messages under Anthropic's own root", "/anthropic/v1/messages", `{"model":"mock-echo","max_tokens":9,"messages":[{"role":"user","content":"to ann@example.com"}]}`, `"stop_reason":"end_turn"`},
		{"messages, streamed", "/v1/messages", `{"model":"mock-echo","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"x"}]}`, "event: message_stop\n"},
		{"responses", "/v1/responses", `{"model":"mock-echo","input":"to ann@example.com"}`, `"text":"to ann@example.com"`},
		{"responses, streamed", "/v1/responses", `{"model":"mock-echo","input":"x","stream":true}`, "event: response.completed\n"},
		{"generateContent", "/v1/gen/v1beta/models/mock-echo:generateContent", `{"contents":[{"parts":[{"text":"to ann@example.com"}]}]}`, `"parts":[{"text":"to ann@example.com"}]`},
		{"generateContent, v1", "/v1/gen/v1/models/mock/mock-echo:generateContent", `{"contents":[{"parts":[{"text":"x"}]}]}`, `"finishReason":"STOP"`},
		{"generateContent under the gateway's own root", "/v1/models/mock-echo:generateContent", `{"contents":[{"parts":[{"text":"x"}]}]}`, `"finishReason":"STOP"`},
		{"generateContent, streamed", "/v1beta/models/mock-echo:streamGenerateContent?alt=sse", `{"contents":[{"parts":[{"text":"x"}]}]}`, "data: {"},
		{"the editor's chat", "/v1/ide/chat/completions", `{"model":"mock-echo-fast","messages":[{"role":"user","content":"to ann@example.com"}]}`, `"content":"to ann@example.com"`},
		{"the editor's chat with an effort", "/v1/ide/chat/completions", `{"model":"mock-echo-thinking-high","messages":[{"role":"user","content":"to ann@example.com"}]}`, `"object":"chat.completion"`},
		{"the editor's agent", "/v1/ide/chat/completions", `{"model":"mock-echo","input":"to ann@example.com"}`, `"content":"to ann@example.com"`},
		{"the editor's agent, streamed", "/v1/ide/chat/completions", `{"model":"mock-echo","input":"x","stream":true}`, "data: [DONE]"},
		{"the editor's agent, streamed, gets the usage", "/v1/ide/chat/completions", `{"model":"mock-echo","input":"x","stream":true,"stream_options":{"include_usage":true}}`, `"choices":[],"usage":{"prompt_tokens":`},
		{"embeddings", "/v1/embeddings", `{"model":"mock/text-embedding-3","input":["a","b"]}`, `"object":"embedding"`},
		{"one embedding, to a client of Google's", "/v1/gen/v1beta/models/mock/text-embedding-3:embedContent", `{"content":{"parts":[{"text":"a"}]}}`, `{"embedding":{"values":[`},
		{"embeddings, to a client of Google's", "/v1beta/models/mock/text-embedding-3:batchEmbedContents", `{"requests":[{"content":{"parts":[{"text":"a"}]}}]}`, `{"embeddings":[{"values":[`},
		{"a count of Messages", "/v1/messages/count_tokens", `{"model":"mock-echo","messages":[{"role":"user","content":"x"}]}`, `"input_tokens":`},
		{"a count of generateContent", "/v1beta/models/mock-echo:countTokens", `{"contents":[{"parts":[{"text":"x"}]}]}`, `"totalTokens":`},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := g.callPath(c.path, c.body)
			require.Equal(t, 200, a.status, a.body)
			assert.Contains(t, a.body, c.want)
			assert.NotContains(t, a.body, "{{PII_")
		})
	}
}

func TestAStreamWithoutSSEIsOneJSONArray(t *testing.T) {
	g := open(t, setup{})
	a := g.callPath("/v1beta/models/mock-echo:streamGenerateContent", `{"contents":[{"parts":[{"text":"a longer text in several pieces"}]}]}`)
	require.Equal(t, 200, a.status)
	assert.Contains(t, a.header.Get("Content-Type"), "application/json")
	var list []struct {
		Candidates []struct {
			Content struct{ Parts []struct{ Text string } }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(a.body), &list))
	text := ""
	for _, e := range list {
		for _, p := range e.Candidates[0].Content.Parts {
			text += p.Text
		}
	}
	assert.Equal(t, "a longer text in several pieces", text)
	assert.Greater(t, len(list), 3)
}

func TestEachPromptOfALegacyRequestIsACallAndAChoice(t *testing.T) {
	g := open(t, setup{})
	for name, body := range map[string]string{
		"whole":    `{"model":"mock-echo","prompt":["one","two","three"]}`,
		"streamed": `{"model":"mock-echo","prompt":["one","two","three"],"stream":true}`,
	} {
		t.Run(name, func(t *testing.T) {
			a := g.callPath("/v1/completions", body)
			require.Equal(t, 200, a.status, a.body)
			for i, want := range []string{`"text":"one","index":0`, `"text":"two","index":1`, `"text":"three","index":2`} {
				assert.Contains(t, a.body, want, "choice %d", i)
			}
			assert.Equal(t, 1, strings.Count(a.body+"data: [DONE]", "data: [DONE]")-strings.Count(name, "streamed"))
		})
	}
}

func TestARequestIsRefusedInItsOwnShape(t *testing.T) {
	g := open(t, setup{provider: newProvider(t, "groq", "http://127.0.0.1:1")})
	for _, c := range []struct {
		name, path, body string
		status           int
		want             string
	}{
		{"an unknown model, to a client of Anthropic's", "/v1/messages", `{"model":"none","max_tokens":1,"messages":[{"role":"user","content":"x"}]}`, 404, `{"type":"error","error":{"type":"not_found_error"`},
		{"an unknown model, to a client of Google's", "/v1beta/models/none:generateContent", `{"contents":[{"parts":[{"text":"x"}]}]}`, 404, `"status":"NOT_FOUND"`},
		{"an unknown method", "/v1beta/models/mock-echo:sing", `{}`, 404, `"status":"NOT_FOUND"`},
		{"a chat model asked for embeddings, to a client of Google's", "/v1beta/models/mock-echo:embedContent", `{"content":{"parts":[{"text":"a"}]}}`, 400, `"status":"INVALID_ARGUMENT"`},
		{"embeddings in Google's shape of a provider that has another", "/v1beta/models/text-embedding-3:embedContent", `{"content":{"parts":[{"text":"a"}]}}`, 404, `"status":"NOT_FOUND"`},
		{"a model without embeddings", "/v1/embeddings", `{"model":"mock-echo","input":"x"}`, 400, "text-embedding"},
		{"broken JSON, to a client of Anthropic's", "/v1/messages", `{"model":`, 400, `"type":"invalid_request_error"`},
		{"a tool that the provider would run", "/v1/responses", `{"model":"mock-echo","input":"x","tools":[{"type":"web_search"}]}`, 400, `unsupported_parameter`},
		{"extended thinking on another provider", "/v1/messages", `{"model":"gpt-test","max_tokens":2000,"thinking":{"type":"enabled","budget_tokens":1024},"messages":[{"role":"user","content":"x"}]}`, 400, "Groq"},
		{"a picture with invalid base64", "/v1/messages", `{"model":"mock-echo","max_tokens":1,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"@@@"}}]}]}`, 400, "base64"},
		{"a result without its call", "/v1/messages", `{"model":"mock-echo","max_tokens":1,"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"none","content":"x"}]}]}`, 400, "without a call"},
		{"the same in a Responses body", "/v1/responses", `{"model":"mock-echo","input":[{"type":"function_call_output","call_id":"none","output":"x"}]}`, 400, "without a call"},
		{"a refusal by the provider", "/v1/messages", `{"model":"mock-error-429","max_tokens":1,"messages":[{"role":"user","content":"x"}]}`, 429, `"type":"rate_limit_error"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := g.callPath(c.path, c.body)
			assert.Equal(t, c.status, a.status, a.body)
			assert.Contains(t, a.body, c.want)
		})
	}
}

func TestAnErrorAtTheBeginningOfATranslatedStreamIsAStatus(t *testing.T) {
	up := newFake(t, says("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"+
		"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n"))
	g := open(t, setup{provider: newProvider(t, "anthropic", up.url)})
	a := g.callPath("/v1/chat/completions", chatBody("x", true))
	assert.Equal(t, 529, a.status, a.body)
	assert.Contains(t, a.body, "Anthropic API error 529")
}

func TestAFailureAfterTheAnnouncementOfAnAnswerIsAStatus(t *testing.T) {
	const created = `data: {"type":"response.created","sequence_number":0,"response":{"id":"r","object":"response","status":"in_progress","model":"gpt-test","output":[]}}` + "\n\n"
	for name, c := range map[string]struct {
		rest   string
		status int
		want   string
	}{
		"a failure":            {`data: {"type":"response.failed","sequence_number":1,"response":{"id":"r","object":"response","status":"failed","error":{"code":"rate_limit_exceeded","message":"slow down"},"output":[]}}` + "\n\n", 429, "OpenAI API error 429: rate_limit_exceeded: slow down"},
		"an answer despite it": {`data: {"type":"response.completed","sequence_number":1,"response":{"id":"r","object":"response","status":"completed","model":"gpt-test","output":[]}}` + "\n\n", 200, created},
	} {
		for kind, chain := range map[string]func(core.Tokens) []chain.Link{"governed": redacting(t, ""), "not governed": nil} {
			t.Run(name+", "+kind, func(t *testing.T) {
				up := newFake(t, says("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"+created+c.rest))
				g := open(t, setup{chain: chain, provider: newProvider(t, "openai", up.url)})
				a := g.callPath("/v1/responses", `{"model":"gpt-test","input":"x","stream":true}`)
				assert.Equal(t, c.status, a.status, a.body)
				assert.Contains(t, a.body, c.want)
			})
		}
	}
}

func TestAnnouncementsWithoutEndAreNotKept(t *testing.T) {
	const progress = `data: {"type":"response.in_progress","sequence_number":1,"response":{"id":"r","object":"response","status":"in_progress","model":"gpt-test","output":[]}}` + "\n\n"
	for kind, chain := range map[string]func(core.Tokens) []chain.Link{"governed": redacting(t, ""), "not governed": nil} {
		t.Run(kind, func(t *testing.T) {
			heard := make(chan struct{})
			up := newFake(t, func(c net.Conn, _ sent) {
				_, _ = io.WriteString(
					c,
					"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"+strings.Repeat(progress, 1000),
				)
				select {
				case <-heard:
				case <-time.After(generous):
				}
			})
			g := open(t, setup{chain: chain, provider: newProvider(t, "openai", up.url)})
			r := g.request("dev", strings.NewReader(`{"model":"gpt-test","input":"x","stream":true}`))
			r.URL.Path = "/v1/responses"
			ctx, leave := context.WithTimeout(t.Context(), generous/2)
			defer leave()
			res, err := http.DefaultTransport.RoundTrip(r.WithContext(ctx))
			close(heard)
			require.NoError(t, err, "the head is sent although there is no output yet")
			b, _ := io.ReadAll(res.Body)
			require.NoError(t, res.Body.Close())
			assert.Equal(t, 1000, strings.Count(string(b), progress))
		})
	}
}

func TestModelsAreListedInTheClientsForm(t *testing.T) {
	g := open(t, setup{provider: newProvider(t, "anthropic", "")})
	get := func(path string, header ...string) answer {
		r := g.request("dev", nil)
		r.Method, r.URL.Path = http.MethodGet, path
		for i := 0; i < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		return g.do(r)
	}
	a := get("/v1/models", "anthropic-version", "2023-06-01")
	require.Equal(t, 200, a.status)
	assert.Contains(t, a.body, `"type":"model","id":"gpt-test"`, "the route's model is served by anthropic")
	assert.NotContains(t, a.body, "mock-echo", "no other provider's models")
	a = get("/v1/gen/v1beta/models")
	assert.Contains(t, a.body, `"name":"models/mock-echo"`)
	a = get("/v1/models", "x-goog-api-key", g.key["dev"])
	require.Equal(t, 200, a.status)
	assert.Contains(t, a.body, `"name":"models/mock-echo"`, "Google's clients ask for the same path as OpenAI's")
	assert.Contains(t, get("/v1/ide/models").body, `"id":"mock-echo"`)
}

func TestAnEstimateNeedsAModelAndHasNullsWithoutABudget(t *testing.T) {
	g := open(t, setup{})
	a := g.callPath("/v1/budget/estimate", `{"model":"mock-echo","max_tokens":10}`)
	require.Equal(t, 200, a.status)
	assert.JSONEq(
		t,
		`{"estimated_cost_usd":0,"budget_remaining_usd":null,"budget_remaining_tokens":null,"budget_remaining_pct":null,"would_exceed_budget":false}`,
		a.body,
	)
	for _, body := range []string{`{}`, `{"model":""}`, `[`, `{"model":"m","max_tokens":-1}`} {
		a := g.callPath("/v1/budget/estimate", body)
		assert.Equal(t, 400, a.status, body)
		assert.Contains(t, a.body, "invalid_request_error")
	}
}
