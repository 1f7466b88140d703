package main_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// judgeServer speaks OpenAI's chat API like a server of Llama Guard, and counts its calls.
func judgeServer(t *testing.T) (url string, calls *atomic.Int64, down *atomic.Bool) {
	calls, down = new(atomic.Int64), new(atomic.Bool)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Model    string
			Messages []struct{ Role, Content string }
		}
		b, _ := io.ReadAll(r.Body)
		if json.Unmarshal(b, &in) != nil || in.Model != "llama-guard3" || len(in.Messages) == 0 || r.Header.Get("Authorization") != "Bearer "+canary {
			http.Error(w, "bad call", http.StatusBadRequest)
			return
		}
		calls.Add(1)
		verdict := "safe"
		switch text := in.Messages[len(in.Messages)-1].Content; {
		case down.Load():
			http.Error(w, `{"error":{"message":"out of order"}}`, http.StatusUnprocessableEntity)
			return
		case strings.Contains(text, "FORBIDDEN"):
			verdict = `unsafe\nS9`
		case strings.Contains(text, "GARBLED"):
			verdict = "I would rather not say"
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"id":"j","object":"chat.completion","created":1,"model":"llama-guard3","choices":[{"index":0,"message":{"role":"assistant",`+
			`"content":"%s"},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":10,"total_tokens":110}}`, verdict)
	}))
	t.Cleanup(s.Close)
	return s.URL, calls, down
}

func TestAJudgeModelGuardsARunningGateway(t *testing.T) {
	t.Parallel()
	url, calls, down := judgeServer(t)
	s, up := newAdminSite(t), newUpstream(t)
	text := configText(up.URL, `  - stage: pii
  - {stage: guardrail, config: {detectors: [{type: keywords, words: [never], action: block}]}}
  - {stage: ratelimit, config: {limits: [{per: [tenant], requests: 5, period: 1h}]}}
  - {stage: budget, config: {least_output_tokens: 0}}
  - {guard: judge, timeout: 20s, config: {model: llama-guard3, template: llama_guard}}
`)
	text += "pricing:\n  - {provider: guards, model: \"llama-guard*\", inputPricePerMillion: 10, outputPricePerMillion: 100}\n"
	text = strings.Replace(text, "providers:\n", "providers:\n  guards: {type: openai, api_key: "+canary+", base_url: \""+url+"\"}\n", 1)
	text = strings.Replace(text, "routes:\n", "routes:\n  - {model_pattern: \"llama-guard*\", providers: [{provider: guards}]}\n", 1)
	s.write("gateway.yaml", []byte(text))
	f := s.run("validate", "--config", "gateway.yaml")
	require.Zero(t, f.code, f.err)
	g := s.serve("--config", "gateway.yaml")
	c := g.client(testKey)
	const filler = "This text is long enough that the verdict on it is remembered. "

	a := c.chat(t, "gpt-4o", filler)
	require.Equal(t, 200, a.status, a.body)
	n := calls.Load()
	eventually(t, "the calls are booked", func() bool { return len(g.costs()) == 3 })
	var judged int
	for _, c := range g.costs() {
		if c.Total == "0.002" { // 100 tokens at 10, 10 at 100 dollars per million
			judged++
		}
	}
	assert.Equal(t, 2, judged, "%+v", g.costs())
	assert.Equal(t, int64(2), n, "once about the request, once about the answer")

	a = c.chat(t, "gpt-4o", filler)
	require.Equal(t, 200, a.status, a.body)
	assert.Equal(t, n+1, calls.Load(), "the request is remembered, the answer is new")

	a = c.chat(t, "gpt-4o", "FORBIDDEN")
	assert.Equal(t, 400, a.status)
	assert.Equal(t, "content_filter", a.code())

	a = c.chat(t, "gpt-4o", "GARBLED")
	assert.Equal(t, 503, a.status)
	assert.Equal(t, "guard_unavailable", a.code())

	down.Store(true)
	a = c.chat(t, "gpt-4o", "hello")
	assert.Equal(t, 503, a.status)
	assert.Equal(t, "guard_unavailable", a.code())
	g.stop()
	assert.NotContains(t, g.out.String()+g.errs.String(), canary)
	// Five of the client, and those of the judge: none of them passed another guard or counted against the limit of requests.
	assert.Equal(t, 5+int(calls.Load()), s.countAuditEvents("GATEWAY_RESPONSE"))
}

// The judge precedes the budget: its calls are limited by the budget of the key that causes them, not the tenant's alone. A key
// without money for the judge is refused also where a judge that fails lets requests pass: otherwise callers could use up their budget to avoid the guard.
func TestAJudgeIsLimitedByTheBudgetOfTheKey(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limit, rule string
		status      int
		code        string
		judged      bool
	}{
		"a budget with room":                           {"1", "block", 200, "", true},
		"no room, and the link blocks when it fails":   {"0.001", "block", 429, "insufficient_quota", false},
		"no room, and the link passes when it fails":   {"0.001", "pass", 429, "insufficient_quota", false},
		"room for the question about the request only": {"0.008", "pass", 429, "insufficient_quota", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, calls, _ := judgeServer(t)
			s, up := newAdminSite(t), newUpstream(t)
			text := configText(up.URL, `  - {guard: judge, timeout: 20s, allow_raw: true, on_fault: `+c.rule+`, config: {model: llama-guard3, template: llama_guard, remember: 0s}}
  - {stage: budget, config: {least_output_tokens: 0}}
`)
			text += "pricing:\n  - {provider: guards, model: \"llama-guard*\", inputPricePerMillion: 10, outputPricePerMillion: 100}\n"
			text += "budgets:\n  - {name: small, tenantId: default, apiKeyId: dev, period: MONTHLY, limitUsd: " + c.limit + "}\n"
			text = strings.Replace(text, "providers:\n", "providers:\n  guards: {type: openai, api_key: "+canary+", base_url: \""+url+"\"}\n", 1)
			text = strings.Replace(text, "routes:\n", "routes:\n  - {model_pattern: \"llama-guard*\", providers: [{provider: guards}]}\n", 1)
			s.write("gateway.yaml", []byte(text))
			g := s.serve("--config", "gateway.yaml")
			a := g.client(testKey).chat(t, "gpt-4o", "hello")
			assert.Equal(t, c.status, a.status, a.body)
			assert.Equal(t, c.code, a.code())
			assert.Equal(t, c.judged, calls.Load() > 0)
			g.stop()
		})
	}
}

func TestWhatAVendorChargesIsBookedUnderTheNameOfItsLink(t *testing.T) {
	t.Parallel()
	vendor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("[]")) }))
	t.Cleanup(vendor.Close)
	s, up := newAdminSite(t), newUpstream(t)
	s.write("gateway.yaml", []byte(configText(up.URL, `  - {stage: budget, config: {least_output_tokens: 0}}
  - {guard: presidio, name: names, timeout: 20s, allow_raw: true, allow_private: true, config: {url: "`+vendor.URL+`/analyze", price_per_call: 0.25}}
`)+"budgets:\n  - {name: small, tenantId: default, apiKeyId: dev, period: MONTHLY, limitUsd: 0.3}\n"))
	g := s.serve("--config", "gateway.yaml")
	c := g.client(testKey)
	a := c.chat(t, "gpt-4o", "hello")
	require.Equal(t, 200, a.status, a.body)
	eventually(t, "the calls about the request and the answer are booked", func() bool {
		n := 0
		for _, c := range g.costs() {
			if c.Total == "0.25" && c.Model == "guard:names" && c.Provider == "presidio" {
				n++
			}
		}
		return n == 2
	})
	a = c.chat(t, "gpt-4o", "again")
	assert.Equal(t, 429, a.status, "the budget of the key is used up by its guard: %s", a.body)
	g.stop()
}
