package main_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheStatusTellsTheRateLimitsInForce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.configure("", "  - {stage: ratelimit, config: {global_requests_per_second: 500, default_per_key_requests_per_second: 2, default_per_key_tokens_per_minute: 9000}}\n")
	g := s.serve("--config", "gateway.yaml")
	c := g.client(testKey)
	a, err := c.do("GET", "/status", nil)
	require.NoError(t, err)
	var v struct{ RateLimits map[string]any }
	require.NoError(t, json.Unmarshal([]byte(a.body), &v))
	assert.Equal(t, map[string]any{
		"enabled": true, "globalRequestsPerSecond": 500.0, "defaultPerKeyRequestsPerSecond": 2.0, "defaultPerKeyTokensPerMinute": 9000.0,
	}, v.RateLimits)

	refused := answer{}
	eventually(t, "more than two requests in a second are refused", func() bool {
		a, err := c.try("mock-echo", "hello")
		require.NoError(t, err)
		assert.Equal(t, "2", a.header.Get("X-Ratelimit-Limit-Requests"))
		refused = a
		return a.status == http.StatusTooManyRequests
	})
	assert.Equal(t, "rate_limit_exceeded", refused.code())
	assert.NotEmpty(t, refused.header.Get("Retry-After"))
}
