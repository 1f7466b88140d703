package main_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stalling is a provider that answers as far as the model's name says, and then stalls until the call is cancelled,
// which it reports.
func stalling(t *testing.T) (url string, cancelled chan string) {
	cancelled = make(chan string, 99)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body) // a truncated body names no model
		text, streamed := string(b), strings.Contains(string(b), `"stream":true`)
		w.Header().Set("Content-Type", map[bool]string{true: "text/event-stream", false: "application/json"}[streamed])
		switch {
		case strings.Contains(text, "silent"):
		case strings.Contains(text, "stalls") && streamed:
			_, _ = io.WriteString(
				w,
				`data: {"id":"a","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"one"},"finish_reason":null}]}`+"\n\n",
			)
			w.(http.Flusher).Flush()
		case strings.Contains(text, "stalls"), strings.Contains(text, "begins"):
			_, _ = io.WriteString(w, map[bool]string{true: ": hello\n", false: "{"}[streamed])
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
		cancelled <- text
	}))
	t.Cleanup(s.Close)
	return s.URL, cancelled
}

// letGo waits until a call to the provider is cancelled.
func letGo(t *testing.T, cancelled chan string) string {
	select {
	case text := <-cancelled:
		return text
	case <-time.After(patience):
		require.FailNow(t, "the call to the provider continues")
		return ""
	}
}

// backlog returns an address that accepts no more connections.
func backlog(t *testing.T) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	return ln.Addr().String()
}

// "Time-outs for connect, first byte and idle gap, by provider."
func TestEachProviderHasItsOwnTimeouts(t *testing.T) {
	url, cancelled := stalling(t)
	s := newSite(t)
	s.write("gateway.yaml", []byte(`server: {listen: 127.0.0.1:0, metrics_listen: 127.0.0.1:0}
providers:
  first: {prefix: true, type: openai, api_key: k, base_url: "`+url+`", timeouts: {first_byte: 150ms, idle: 1h}}
  idle: {prefix: true, type: openai, api_key: k, base_url: "`+url+`", timeouts: {first_byte: 1h, idle: 150ms}}
  secure: {prefix: true, type: openai, api_key: k, base_url: "https://`+backlog(t)+`", timeouts: {connect: 150ms, first_byte: 1h, idle: 1h}}
  claude: {prefix: true, type: anthropic, api_key: k, base_url: "`+url+`", timeouts: {first_byte: 150ms, idle: 150ms}}
  mock: {}
  patient: {prefix: true, type: openai, api_key: k, base_url: "`+url+`"}
routing: {breaker: {failures: 0}}
routes:
  - {model_pattern: "next-*", providers: [{provider: first}, {provider: mock}]}
tenants:
  - {id: default, keys: [{name: dev, key: `+testKey+`, scopes: []}]}
chain: []
`))
	g := s.serve("--config", "gateway.yaml")
	c := g.client(testKey)
	post := func(t *testing.T, path, body string) answer {
		a, err := c.do("POST", path, []byte(body))
		require.NoError(t, err)
		return a
	}
	const rest = `,"max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`
	for _, x := range []struct {
		name, model, phase string
		streamed           bool
	}{
		{"no connection", "secure/gpt", "handshake", false},
		{"no connection for a stream", "secure/gpt", "handshake", true},
		{"no first byte", "first/silent", "first byte", false},
		{"no first byte of a stream", "first/silent", "first byte", true},
		{"no first byte of a translated answer", "claude/silent", "first byte", true},
		{"a gap in a body", "idle/begins", "body", false},
		{"a gap before the output of a stream", "idle/begins", "body", true},
		{"a gap in a translated body", "claude/begins", "body", false},
	} {
		t.Run(x.name, func(t *testing.T) {
			body := `{"model":"` + x.model + `"` + rest
			if x.streamed {
				body = `{"stream":true,` + body[1:]
			}
			a := post(t, "/v1/chat/completions", body)
			assert.Equal(t, 504, a.status, a.body)
			assert.Equal(t, "upstream_timeout", a.code())
			assert.Contains(t, a.body, "("+x.phase+")")
			if x.phase != "handshake" {
				letGo(t, cancelled)
			}
		})
	}
	t.Run("a gap after output is reported in the stream", func(t *testing.T) {
		a := post(t, "/v1/chat/completions", `{"stream":true,"model":"idle/stalls"`+rest)
		assert.Equal(t, 200, a.status)
		assert.Contains(t, a.body, `"content":"one"`)
		assert.Contains(t, a.body, `"code":"upstream_timeout"`)
		assert.NotContains(t, a.body, "[DONE]")
		letGo(t, cancelled)
	})
	t.Run("in the client's shape", func(t *testing.T) {
		for path, body := range map[string]string{
			"/v1/messages":  `{"model":"first/silent"` + rest,
			"/v1/responses": `{"model":"first/silent","input":"x"}`,
			"/v1/gen/v1beta/models/first/silent:generateContent": `{"contents":[{"parts":[{"text":"x"}]}]}`,
		} {
			a := post(t, path, body)
			assert.Equal(t, 504, a.status, a.body)
			assert.Contains(t, a.body, "(first byte)", path)
			letGo(t, cancelled)
		}
	})
	t.Run("the next target is called", func(t *testing.T) {
		assert.Equal(t, "hi", c.chat(t, "next-silent", "hi").content())
		letGo(t, cancelled)
	})
	t.Run("the client's hang-up cancels a call that has no limit", func(t *testing.T) {
		conn, err := net.Dial("tcp", g.addr)
		require.NoError(t, err)
		body := `{"stream":true,"model":"patient/stalls"` + rest
		r, err := http.NewRequest("POST", "http://"+g.addr+"/v1/chat/completions", strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+testKey)
		require.NoError(t, r.Write(conn))
		b := make([]byte, 1)
		_, err = conn.Read(b)
		require.NoError(t, err)
		require.NoError(t, conn.Close())
		assert.Contains(t, letGo(t, cancelled), "stalls")
	})
	c.http.CloseIdleConnections()
}
