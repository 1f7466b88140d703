package main_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatAnybodyMayRead(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.configure("", "  - stage: pii\n")
	g := s.serve("--config", "gateway.yaml")
	c := g.client("")
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for path, want := range map[string]int{"/": 302, "/try": 200, "/status": 200, "/livez": 200, "/readyz": 200, "/metrics": 404, "/v1/models": 401, "/nothing": 404} {
		a, err := c.do("GET", path, nil)
		require.NoError(t, err)
		assert.Equal(t, want, a.status, path)
		assert.Regexp(t, `^[0-9a-f]{32}$`, a.header.Get("X-Trace-Id"), path)
		if path == "/" {
			assert.Equal(t, "/try", a.header.Get("Location"))
		}
	}
	a, err := c.do("DELETE", "/v1/chat/completions", nil)
	require.NoError(t, err)
	assert.Equal(t, 405, a.status)

	for _, key := range []string{"", "gw_unknown", "headgate_pat_unknown"} {
		a, err = g.client(key).do("GET", "/status", nil)
		require.NoError(t, err)
		assert.JSONEq(t, `{"status":"ok"}`, a.body)
		a, err = g.client(key).do("GET", "/v3/api-docs/public", nil)
		require.NoError(t, err)
		assert.Equal(t, 401, a.status)
	}
	a, err = g.client(testKey).do("GET", "/v3/api-docs/public", nil)
	require.NoError(t, err)
	assert.Equal(t, 200, a.status)
	a, err = g.client(testKey).do("GET", "/status", nil)
	require.NoError(t, err)
	var doc map[string]any
	require.NoError(t, json.Unmarshal([]byte(a.body), &doc))
	for _, field := range []string{"status", "mode", "version", "uptimeSeconds", "configVersion", "providers", "routes", "region", "rateLimits", "warnings"} {
		assert.Contains(t, doc, field)
	}
	assert.Contains(t, a.body, `"toolCalls":true`)
	assert.Contains(t, a.body, `"rateLimits":{"enabled":false`)
}

func TestTheTraceIDIsGivenBackAsItCameOrReplaced(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.configure("", "  - stage: pii\n")
	g := s.serve("--config", "gateway.yaml")
	for sent, want := range map[string]string{
		"abc-123":                    `^abc-123$`,
		"order 7/a+b=c; {\"x\"} <é":  `^[0-9a-f]{32}$`,
		`order 7/a+b=c; {"x"} <i>`:   `^order 7/a\+b=c; \{"x"\} <i>$`,
		"a\tb":                       `^[0-9a-f]{32}$`,
		strings.Repeat("x", 1000):    `^[0-9a-f]{32}$`,
		strings.Repeat("x", 500):     `^x{500}$`,
		"00-4bf92f3577b34da6-01:a_b": `^00-4bf92f3577b34da6-01:a_b$`,
	} {
		r, err := http.NewRequest("POST", "http://"+g.addr+"/v1/chat/completions", strings.NewReader(`{`))
		require.NoError(t, err)
		r.Header.Set("X-Trace-Id", sent)
		res, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		assert.Regexp(t, want, res.Header.Get("X-Trace-Id"))
	}
}

func TestTheAccessLogTellsOfEachRequest(t *testing.T) {
	t.Parallel()
	s, up := newSite(t), newUpstream(t)
	s.configure(up.URL, "  - stage: pii\n")
	g := s.serve("--config", "gateway.yaml")
	require.NoError(t, g.client(testKey).checkEcho("gpt-4o", "card "+card))
	eventually(t, "the line is written", func() bool { return g.findLogLine("exchange") != nil })
	line := g.findLogLine("exchange")
	for field, want := range map[string]any{
		"tenant": "default", "model": "gpt-4o", "provider": "real", "status": 200.0, "outcome": "served", "stream": false,
		"tokens_prompt": 5.0, "tokens_completion": 7.0, "tokens_cached": 3.0, "tokens_reasoning": 2.0, "findings": 1.0,
	} {
		assert.Equal(t, want, line[field], field)
	}
	a, err := g.client("pat_0123456789abcdef0123456789").try("mock-echo", "hello")
	require.NoError(t, err)
	assert.Equal(t, http.StatusUnauthorized, a.status, "a personal access token is not a gateway key")
	assert.Equal(t, "UNAUTHORIZED", a.code())
}
