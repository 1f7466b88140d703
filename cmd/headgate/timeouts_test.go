package main_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEachProviderHasItsOwnTimeouts(t *testing.T) {
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body) // a short body names no model
		if strings.Contains(string(b), "gpt-idle") {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, "{")
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
	}))
	defer slow.Close()
	s := newSite(t)
	s.write("gateway.yaml", []byte(`server: {listen: 127.0.0.1:0, metrics_listen: 127.0.0.1:0}
providers:
  first: {type: openai, api_key: k, base_url: "`+slow.URL+`", timeouts: {first_byte: 50ms}}
  idle: {type: openai, api_key: k, base_url: "`+slow.URL+`", timeouts: {idle: 50ms}}
  far: {type: openai, api_key: k, base_url: "http://192.0.2.1:9", timeouts: {connect: 50ms}}
routes: []
tenants:
  - {id: default, keys: [{name: dev, key: `+testKey+`, scopes: []}]}
chain: []
`))
	g := s.serve("--config", "gateway.yaml")
	c := g.client(testKey)
	for model, phase := range map[string]string{"first/gpt-first": "first byte", "idle/gpt-idle": "body"} {
		a := c.chat(t, model, "hi")
		assert.Equal(t, 504, a.status, a.body)
		assert.Equal(t, "upstream_timeout", a.code())
		assert.Contains(t, a.body, "("+phase+")")
	}
	a := c.chat(t, "far/gpt", "hi") // an address without a host: no answer, or none that can be reached
	assert.Contains(t, []int{502, 504}, a.status, a.body)
	c.http.CloseIdleConnections()
}
