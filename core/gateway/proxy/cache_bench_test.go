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

// BenchmarkCachedExchange is BenchmarkExchange with PII and the cache: hits that are answered from memory, and misses
// that call the provider and are stored.
func BenchmarkCachedExchange(b *testing.B) {
	prompt := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 20)
	var events []string
	for range 50 {
		events = append(events, textEvent("some words "))
	}
	all := strings.Join(append(append([]string{roleEvent}, events...), stopEvent, usageEvent, doneEvent), "")
	for _, c := range []struct {
		name, body, control string
		client              *pieces
	}{
		{"hit", chat(prompt), "", &pieces{contentType: "application/json", next: repeatAnswer(completion(prompt))}},
		{"stored", chat(prompt), "no-cache", &pieces{contentType: "application/json", next: repeatAnswer(completion(prompt))}},
		{"streamed hit", chatStream(prompt), "", &pieces{contentType: "text/event-stream", next: repeatAnswer(all)}},
		{"streamed, stored", chatStream(prompt), "no-cache", &pieces{contentType: "text/event-stream", next: repeatAnswer(all)}},
	} {
		b.Run(c.name, func(b *testing.B) {
			g := open(b, setup{client: c.client, chain: caching(b, "{}", nil)})
			e := gin.New()
			g.proxy.Mount(e)
			body := bytes.NewReader(nil)
			r := httptest.NewRequest(http.MethodPost, "/v1/chat/completions", nil)
			r.Header.Set("Authorization", "Bearer "+g.key["dev"])
			if c.control != "" {
				r.Header.Set("X-Cache-Control", c.control)
			}
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
