package main_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every test checks its gateway's logs for secrets when it ends; this one first causes many failures, with everything
// logged.
func TestNoLogHoldsAKeyOrAPrompt(t *testing.T) {
	t.Parallel()
	s, up := newSite(t), newUpstream(t)
	s.copy("plugins/trap.wasm", guest{detect: onMark(unreachable), name: canary[:6]}.bytes())
	s.configure(up.URL, "  - stage: pii\n  - {wasm: trap.wasm, for: {models: [mock-trap]}}\n")
	g := s.serve("--config", "gateway.yaml", "--set", "log.level=trace")
	c := g.client(testKey)
	post := func(key, body string) answer {
		c := g.client(key)
		a, err := c.do("POST", "/v1/chat/completions", []byte(body))
		require.NoError(t, err)
		c.http.CloseIdleConnections()
		return a
	}
	for _, x := range []struct {
		name, key, body string
		status          int
	}{
		{"served", testKey, string(chatBody("gpt-4o", canary+" "+card)), 200},
		{"a failing provider that tells all it knows", testKey, string(chatBody("gpt-broken", canary+" "+card)), 500},
		{"a failing guard", testKey, string(chatBody("mock-trap", "!"+canary+" "+card)), 503},
		{"no JSON", testKey, `{"messages": "` + canary, 400},
		{"a value of the wrong type", testKey, `{"model":"mock-echo","messages":"` + canary + `"}`, 400},
		{"a key twice", testKey, `{"model":"mock-echo","` + canary + `":1,"` + canary + `":2,"messages":[]}`, 400},
		{"a model that there is not", testKey, string(chatBody("none", canary)), 404},
		{"a wrong key", testKey + "x", string(chatBody("mock-echo", canary)), 401},
		{"a key that is none", canary, string(chatBody("mock-echo", canary)), 401},
		{"an error that was asked for", testKey, string(chatBody("mock-error-500", canary)), 500},
	} {
		a := post(x.key, x.body)
		assert.Equal(t, x.status, a.status, "%s: %s", x.name, a.body)
		assert.NotContains(t, a.body, providerKey, x.name)
		assert.NotEmpty(t, a.header.Get("X-Trace-Id"), x.name)
	}
	a, err := c.do("GET", "/"+canary+"?key="+testKey, nil)
	require.NoError(t, err)
	assert.Equal(t, http.StatusNotFound, a.status)

	status, err := c.do("GET", "/status", nil)
	require.NoError(t, err)
	c.base = "http://" + g.metrics
	metrics, err := c.do("GET", "/metrics", nil)
	require.NoError(t, err)
	for _, secret := range []string{testKey, providerKey, canary, card} {
		assert.NotContains(t, status.body, secret)
		assert.NotContains(t, metrics.body, secret)
	}
	g.stop() // which searches the log
	assert.Equal(t, 10, strings.Count(g.out.String(), `"message":"exchange"`), "a line for each request")
	assert.Contains(t, g.out.String(), testKey[:10], "a key is identified by its prefix")
}
