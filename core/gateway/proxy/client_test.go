package proxy_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/stretchr/testify/require"
)

// answer is a response as the client received it.
type answer struct {
	status int
	header http.Header
	body   string
	err    error // from reading the body
}

// post sends a chat completion with the key of that name.
func (g *gate) post(key, body string, header ...string) answer {
	g.t.Helper()
	return g.do(g.request(key, strings.NewReader(body), header...))
}

// postTo sends a request of any shape.
func (g *gate) postTo(path, key, body string, header ...string) answer {
	g.t.Helper()
	r := g.request(key, strings.NewReader(body), header...)
	r.URL.Path, r.URL.RawQuery, _ = strings.Cut(path, "?")
	return g.do(r)
}

func (g *gate) request(key string, body io.Reader, header ...string) *http.Request {
	g.t.Helper()
	r, err := http.NewRequest(http.MethodPost, g.url+"/v1/chat/completions", body)
	require.NoError(g.t, err)
	if k, ok := g.key[key]; ok {
		key = k
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

func (g *gate) do(r *http.Request) answer {
	g.t.Helper()
	res, err := http.DefaultTransport.RoundTrip(r)
	require.NoError(g.t, err)
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, res.Header, string(b), err}
}

// chat returns the body of a chat completion with one user message.
func chat(text string) string { return chatBody(text, false) }

func chatStream(text string) string { return chatBody(text, true) }

func chatBody(text string, streamed bool) string {
	b, _ := json.Marshal(
		map[string]any{"model": "gpt-test", "stream": streamed, "messages": []any{map[string]any{"role": "user", "content": text}}},
	)
	return string(b)
}
