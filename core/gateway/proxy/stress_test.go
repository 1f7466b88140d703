package proxy_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/route"
)

// canary matches the marks in the texts of one request.
var canary = regexp.MustCompile(`canary-[0-9]{6}-[a-z]`)

// ownCanaries returns up to three canaries in a text that do not belong to request n.
func ownCanaries(text string, n int) (own int, others []string) {
	mark := fmt.Sprintf("canary-%06d-", n)
	for _, found := range canary.FindAllString(text, -1) {
		if strings.HasPrefix(found, mark) {
			own++
		} else if len(others) < 3 {
			others = append(others, found)
		}
	}
	return own, others
}

// echoing is a provider that echoes, in each wire, what it was sent: the canaries and placeholders of the request, many
// times over.
func echoing(t *testing.T) *httptest.Server {
	marks := regexp.MustCompile(`canary-[0-9]{6}-[a-z]|\{\{PII_[A-Z_]+_[0-9a-f]{16,24}\}\}`)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		body, n := string(b), 0
		if _, err := fmt.Sscanf(canary.FindString(body), "canary-%06d", &n); !assert.NoError(t, err) {
			return
		}
		_, others := ownCanaries(body, n)
		assert.Empty(t, others, "of another request, sent with %d", n)
		assert.NotContains(t, body, "@example.com")
		found := marks.FindAllString(body, -1)
		found = append(found[:min(6, len(found))], found[max(0, len(found)-6):]...)
		said := strings.Repeat(strings.Join(found, " ")+" ", 60)
		streamed := strings.Contains(body, `"stream":true`) || strings.Contains(r.URL.Path, ":stream")
		switch {
		case strings.HasSuffix(r.URL.Path, "/chat/completions") && streamed:
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, roleEvent)
			for len(said) > 0 {
				k := min(len(said), 97)
				_, _ = io.WriteString(w, textEvent(said[:k]))
				said = said[k:]
			}
			_, _ = io.WriteString(w, stopEvent+usageEvent+doneEvent)
		case strings.HasSuffix(r.URL.Path, "/chat/completions"):
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, completion(said))
		case strings.HasSuffix(r.URL.Path, "/v1/messages") && streamed:
			w.Header().Set("Content-Type", "text/event-stream")
			send := func(kind, rest string) {
				_, _ = fmt.Fprintf(w, "event: %s\ndata: {\"type\":%q%s}\n\n", kind, kind, rest)
			}
			send(
				"message_start",
				`,"message":{"id":"m","type":"message","role":"assistant","model":"c","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}`,
			)
			send("content_block_start", `,"index":0,"content_block":{"type":"text","text":""}`)
			for len(said) > 0 {
				k := min(len(said), 97)
				send("content_block_delta", `,"index":0,"delta":{"type":"text_delta","text":`+quote(said[:k])+`}`)
				said = said[k:]
			}
			send("content_block_stop", `,"index":0`)
			send("message_delta", `,"delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":5}`)
			send("message_stop", "")
		case strings.HasSuffix(r.URL.Path, "/v1/messages"):
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(
				w,
				`{"id":"m","type":"message","role":"assistant","model":"c","content":[{"type":"text","text":`+quote(
					said,
				)+`}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":5}}`,
			)
		case strings.HasSuffix(r.URL.Path, "/responses"):
			text := `{"type":"output_text","text":` + quote(said) + `,"annotations":[]}`
			item := `{"id":"msg_1","type":"message","status":"completed","role":"assistant","content":[` + text + `]}`
			whole := `{"id":"resp_1","object":"response","created_at":1,"status":"completed","model":"m","output":[` + item + `],"usage":{"input_tokens":1,"output_tokens":2,"total_tokens":3}}`
			if !streamed {
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, whole)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			send := func(kind, rest string) {
				_, _ = fmt.Fprintf(w, "event: %s\ndata: {\"type\":%q%s}\n\n", kind, kind, rest)
			}
			at := `,"item_id":"msg_1","output_index":0,"content_index":0`
			send("response.created", `,"response":{"id":"resp_1","object":"response","created_at":1,"status":"in_progress","model":"m","output":[]}`)
			send(
				"response.output_item.added",
				`,"output_index":0,"item":{"id":"msg_1","type":"message","status":"in_progress","role":"assistant","content":[]}`,
			)
			send("response.content_part.added", at+`,"part":{"type":"output_text","text":"","annotations":[]}`)
			for rest := said; len(rest) > 0; {
				k := min(len(rest), 97)
				send("response.output_text.delta", at+`,"delta":`+quote(rest[:k]))
				rest = rest[k:]
			}
			send("response.output_text.done", at+`,"text":`+quote(said))
			send("response.content_part.done", at+`,"part":`+text)
			send("response.output_item.done", `,"output_index":0,"item":`+item)
			send("response.completed", `,"response":`+whole)
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(
				w,
				`{"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":`+quote(
					said,
				)+`}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":2,"totalTokenCount":3}}`,
			)
		}
	}))
	t.Cleanup(srv.Close)
	return srv
}

// longPrompt returns the texts of a request: larger than the buffers that an exchange keeps, of varying size, with
// values to redact.
func longPrompt(n int) []string {
	out := make([]string, 4)
	for i := range out {
		var b strings.Builder
		for k := range 150 + 370*(n%7) {
			fmt.Fprintf(&b, "canary-%06d-%c text\n\t\"%d\" ", n, 'a'+i, k)
		}
		fmt.Fprintf(&b, "write to user%d.%d@example.com", n, i)
		out[i] = b.String()
	}
	return out
}

// buildStress returns a request of one of the shapes.
func buildStress(n int, model string) (path, body string) {
	texts := longPrompt(n)
	var messages, contents, items []any
	for i, text := range texts {
		role := []string{"user", "assistant"}[i%2]
		messages = append(messages, map[string]any{"role": role, "content": text})
		contents = append(contents, map[string]any{"role": []string{"user", "model"}[i%2], "parts": []any{map[string]any{"text": text}}})
		items = append(items, map[string]any{"type": "message", "role": "user", "content": text})
	}
	messages = append(messages, map[string]any{"role": "user", "content": texts[0]})
	user := fmt.Sprintf("canary-%06d-u", n)
	v := map[string]any{"model": model, "stream": n%2 == 0}
	switch n / 2 % 5 {
	case 0:
		path, v["messages"], v["user"] = "/v1/chat/completions", messages, user
		v["tools"] = []any{
			map[string]any{
				"type":     "function",
				"function": map[string]any{"name": user, "description": texts[1], "parameters": map[string]any{"type": "object"}},
			},
		}
	case 1:
		path, v["messages"], v["max_tokens"], v["metadata"] = "/v1/messages", messages, 9, map[string]any{"user_id": user}
	case 2:
		path, v["input"], v["user"] = "/v1/responses", items, user
	case 3:
		path, v["prompt"], v["user"] = "/v1/completions", texts, user
	default:
		path = "/v1beta/models/" + model + ":generateContent"
		v = map[string]any{"contents": contents}
		if n%2 == 0 {
			path = "/v1beta/models/" + model + ":streamGenerateContent?alt=sse"
		}
	}
	b, _ := json.Marshal(v)
	return path, string(b)
}

func TestExchangesSideBySideNeverSeeEachOther(t *testing.T) {
	up := echoing(t)
	g := open(t, setup{
		url: up.URL, chain: redacting(t, "restore: tolerant"), listens: true, maxBody: 8 << 20,
		targets: []route.Provider{newProvider(t, "anthropic", up.URL)},
	})
	const workers, rounds = 6, 10
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range rounds {
				n := w*rounds + i
				model := []string{"gpt-test", "many"}[n/10%2]
				path, body := buildStress(n, model)
				a := g.callPath(path, body)
				if !assert.Equal(t, 200, a.status, "%s: %.300s", path, a.body) {
					return
				}
				own, others := ownCanaries(a.body, n)
				assert.Positive(t, own, "%s: %.300s", path, a.body)
				assert.Empty(t, others, "%s to %s, %d", path, model, n)
				for _, other := range regexp.MustCompile(`user[0-9]+\.[0-9]@example\.com`).FindAllString(a.body, -1) {
					assert.True(t, strings.HasPrefix(other, fmt.Sprintf("user%d.", n)), "%s: %s in %d", path, other, n)
				}
			}
		})
	}
	wg.Wait()
	require.NoError(t, g.w.Sync(t.Context()))
	assert.NotContains(t, g.lines.String(), "panic")
}
