package proxy_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
)

// discard is an http.ResponseWriter that keeps nothing.
type discard struct {
	h      http.Header
	failed int
}

func (d *discard) Header() http.Header         { return d.h }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
func (d *discard) WriteHeader(status int) {
	if status != http.StatusOK {
		d.failed++
	}
}
func (d *discard) Flush() {}

// BenchmarkExchange runs one exchange through everything but the network: the provider's answer comes from within the
// process, without a listener.
func BenchmarkExchange(b *testing.B) {
	prompt := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 20)
	var events []string
	for range 50 {
		events = append(events, textEvent("some words "))
	}
	all := strings.Join(append(append([]string{roleEvent}, events...), stopEvent, usageEvent, doneEvent), "")
	for _, c := range []struct {
		name, config, body string
		client             *pieces
	}{
		{"plain", "", chat(prompt), &pieces{contentType: "application/json", next: repeatAnswer(completion(prompt))}},
		{"redacting", "{}", chat(prompt), &pieces{contentType: "application/json", next: repeatAnswer(completion(prompt))}},
		{"one card", "{}", chat(prompt + card), &pieces{contentType: "application/json", next: repeatAnswer(completion(prompt))}},
		{"stream", "{}", chatStream(prompt), &pieces{contentType: "text/event-stream", next: repeatAnswer(all)}},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := setup{client: c.client}
			if c.config != "" {
				s.chain = redacting(b, c.config)
			}
			g := open(b, s)
			e := gin.New()
			g.proxy.Mount(e)
			body := bytes.NewReader(nil)
			r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", nil)
			r.Header.Set("Authorization", "Bearer "+g.key["dev"])
			r.ContentLength, r.Body = int64(len(c.body)), io.NopCloser(body)
			raw, w := []byte(c.body), &discard{h: http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				body.Reset(raw)
				clear(w.h)
				e.ServeHTTP(w, r)
			}
			if w.failed > 0 {
				b.Errorf("%d exchanges were refused", w.failed)
			}
		})
	}
}

func repeatAnswer(s string) func(string) []string {
	return func(string) []string { return []string{s} }
}
