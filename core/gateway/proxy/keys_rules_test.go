package proxy_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Clients of Messages send the gateway API key as a bearer token; a client signed
// in through a vendor subscription cannot be pointed at a custom base URL.
func TestAMessagesClientSendsTheGatewaysKey(t *testing.T) {
	const body = `{"model":"gpt-test","max_tokens":9,"messages":[{"role":"user","content":"x"}]}`
	const oauth = "sk-ant-oat01-subscription"
	up := newFake(t, answersBriefly)
	g := open(t, setup{provider: newProvider(t, "anthropic", up.url)})
	for _, c := range []struct {
		name   string
		header []string
		status int
	}{
		{"as a bearer token", []string{"Authorization", "Bearer " + g.key["dev"]}, 200},
		{"as x-api-key, which the vendor's own clients send", []string{"Authorization", "", "x-api-key", g.key["dev"]}, 200},
		{"the token of a vendor's subscription", []string{"Authorization", "Bearer " + oauth, "Anthropic-Beta", "oauth-2025-04-20"}, 401},
		{"the vendor's own key", []string{"Authorization", "", "x-api-key", "sk-ant-api03-own"}, 401},
		{"the token of a subscription beside the gateway's key", []string{"Authorization", "Bearer " + oauth, "x-api-key", g.key["dev"]}, 401},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := len(up.requests())
			a := g.callPath("/v1/messages", body, c.header...)
			assert.Equal(t, c.status, a.status, a.body)
			if c.status == 401 {
				assert.Contains(t, a.body, `{"type":"error","error":{"type":"authentication_error"`)
				assert.NotContains(t, a.body, oauth)
				assert.Len(t, up.requests(), before, "no provider is called")
				return
			}
			got := up.last(t).header
			assert.Equal(t, upstreamKey, got.Get("X-Api-Key"))
			assert.Empty(t, got.Get("Authorization"), "the gateway's key is not forwarded")
		})
	}
	g.end()
	assert.NotContains(t, g.lines.String(), oauth)
}

// Scopes that the specification does not list: every call of a model needs completions:write, and every list of models
// models:read.
func TestEachPathAsksForItsScope(t *testing.T) {
	g := open(t, setup{})
	for _, c := range []struct{ method, path, body, scope string }{
		{http.MethodPost, "/v1/chat/completions", chat("x"), "completions:write"},
		{http.MethodPost, "/v1/completions", `{"model":"mock-echo","prompt":"x"}`, "completions:write"},
		{http.MethodPost, "/v1/messages", `{"model":"mock-echo","max_tokens":1,"messages":[{"role":"user","content":"x"}]}`, "completions:write"},
		{http.MethodPost, "/anthropic/v1/messages", `{"model":"mock-echo","max_tokens":1,"messages":[{"role":"user","content":"x"}]}`, "completions:write"},
		{http.MethodPost, "/v1/messages/count_tokens", `{"model":"mock-echo","messages":[{"role":"user","content":"x"}]}`, "completions:write"},
		{http.MethodPost, "/v1/responses", `{"model":"mock-echo","input":"x"}`, "completions:write"},
		{http.MethodPost, compactPath, `{"model":"mock-echo","input":"x"}`, "completions:write"},
		{http.MethodPost, "/v1/gen/v1beta/models/mock-echo:generateContent", `{"contents":[{"parts":[{"text":"x"}]}]}`, "completions:write"},
		{http.MethodPost, "/v1/gen/v1/models/mock-echo:streamGenerateContent", `{"contents":[{"parts":[{"text":"x"}]}]}`, "completions:write"},
		{http.MethodPost, "/v1beta/models/mock-echo:countTokens", `{"contents":[{"parts":[{"text":"x"}]}]}`, "completions:write"},
		{http.MethodPost, "/v1/models/mock-echo:generateContent", `{"contents":[{"parts":[{"text":"x"}]}]}`, "completions:write"},
		{http.MethodPost, "/v1/budget/estimate", `{"model":"mock-echo"}`, "completions:write"},
		{http.MethodPost, "/v1/ide/chat/completions", chat("x"), "completions:write"},
		{http.MethodPost, "/v1/ide/chat/completions", chat("x"), "models:read"},
		{http.MethodGet, "/v1/models", "", "models:read"},
		{http.MethodGet, "/v1/gen/v1beta/models", "", "models:read"},
		{http.MethodGet, "/v1beta/models", "", "models:read"},
	} {
		t.Run(c.method+" "+c.path, func(t *testing.T) {
			without := map[string]string{"completions:write": "models", "models:read": "chat"}[c.scope]
			for key, status := range map[string]int{without: 403, "": 401} {
				r := g.request(key, strings.NewReader(c.body))
				r.Method, r.URL.Path = c.method, c.path
				a := g.do(r)
				require.Equal(t, status, a.status, a.body)
				if status == 403 {
					assert.Contains(t, a.body, c.scope, "the scope is named")
				}
			}
		})
	}
}
