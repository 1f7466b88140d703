package main_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// upstream is a provider of the test. It echoes the last message, records requests, and holds streams in the middle
// until it is released.
type upstream struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
	goOn   chan struct{}
}

func newUpstream(t *testing.T) *upstream {
	t.Helper()
	u := &upstream{goOn: make(chan struct{})}
	u.Server = httptest.NewServer(http.HandlerFunc(u.serve))
	t.Cleanup(u.Close)
	return u
}

func (u *upstream) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // a truncated body is not JSON
	u.mu.Lock()
	u.bodies = append(u.bodies, string(body))
	u.mu.Unlock()
	var q struct {
		Model    string
		Stream   bool
		Messages []struct{ Content string }
	}
	if json.Unmarshal(body, &q) != nil || len(q.Messages) == 0 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	last := q.Messages[len(q.Messages)-1].Content
	if q.Model == "gpt-broken" { // an error that discloses secrets
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = fmt.Fprintf(w, `{"error":{"message":%q,"code":"x"}}`, last+" "+r.Header.Get("Authorization"))
		return
	}
	if !q.Stream {
		text, _ := json.Marshal(last) // a string always marshals
		_, _ = fmt.Fprintf(
			w,
			`{"id":"a","object":"chat.completion","created":1,"model":%q,"choices":[{"index":0,"message":{"role":"assistant","content":%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":7,"total_tokens":12,"prompt_tokens_details":{"cached_tokens":3},"completion_tokens_details":{"reasoning_tokens":2}}}`,
			q.Model,
			text,
		)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(delta, finish string) {
		_, _ = fmt.Fprintf(
			w,
			"data: {\"id\":\"a\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":%q,\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":%s}]}\n\n",
			q.Model,
			delta,
			finish,
		)
		w.(http.Flusher).Flush()
	}
	event(`{"role":"assistant","content":"first half, "}`, "null")
	select {
	case <-u.goOn:
	case <-r.Context().Done():
		return
	}
	event(`{"content":"second half"}`, "null")
	event(`{}`, `"stop"`)
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

// last returns the newest body that was received.
func (u *upstream) last() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.bodies) == 0 {
		return ""
	}
	return u.bodies[len(u.bodies)-1]
}
