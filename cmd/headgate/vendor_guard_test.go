package main_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGuardsOfVendorsGuardARunningGateway(t *testing.T) {
	t.Parallel()
	var down atomic.Bool
	analyzer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Text, Language string }
		if json.NewDecoder(r.Body).Decode(&in) != nil || in.Language != "en" || r.Header.Get("Authorization") != "Bearer "+canary {
			http.Error(w, "bad call", http.StatusBadRequest)
			return
		}
		if down.Load() {
			http.Error(w, "out of order", http.StatusServiceUnavailable)
			return
		}
		found := []any{}
		if at := strings.Index(in.Text, "PROJECT-APOLLO"); at >= 0 {
			n := utf8.RuneCountInString(in.Text[:at])
			found = append(found, map[string]any{"entity_type": "PROJECT", "start": n, "end": n + len("PROJECT-APOLLO"), "score": 0.9})
		}
		_ = json.NewEncoder(w).Encode(found)
	}))
	defer analyzer.Close()
	classifier := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Inputs string }
		_ = json.NewDecoder(r.Body).Decode(&in)
		score := 0.1
		if strings.Contains(in.Inputs, "FORBIDDEN") {
			score = 0.99
		}
		_ = json.NewEncoder(w).Encode([]any{map[string]any{"label": "INJECTION", "score": score}, map[string]any{"label": "SAFE", "score": 1 - score}})
	}))
	defer classifier.Close()
	s, up := newSite(t), newUpstream(t)
	s.configure(up.URL, "  - stage: pii\n  - {guard: presidio, secret: "+canary+", allow_private: true, allow_raw: true, config: {url: \""+analyzer.URL+"/analyze\"}}\n"+
		"  - {guard: classifier, allow_private: true, allow_raw: true, config: {url: \""+classifier.URL+"/predict\", threshold: 0.9}}\n")
	f := s.run("validate", "--config", "gateway.yaml")
	require.Zero(t, f.code, f.err)
	g := s.serve("--config", "gateway.yaml")
	c := g.client(testKey)

	a := c.chat(t, "gpt-4o", "é: PROJECT-APOLLO")
	require.Equal(t, 200, a.status, a.body)
	assert.Equal(t, "é: PROJECT-APOLLO", a.content(), "the caller's value comes back")
	assert.Contains(t, up.last(), "{{PII_PROJECT_")
	assert.NotContains(t, up.last(), "APOLLO")

	a = c.chat(t, "gpt-4o", "FORBIDDEN")
	assert.Equal(t, 400, a.status)
	assert.Equal(t, "content_filter", a.code())

	down.Store(true)
	a = c.chat(t, "gpt-4o", "hello")
	assert.Equal(t, 503, a.status)
	assert.Equal(t, "guard_unavailable", a.code())
	g.stop()
	assert.NotContains(t, g.out.String()+g.errs.String(), canary)
}
