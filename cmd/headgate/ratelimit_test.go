package main_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/state/statetest"
)

func TestTheStatusTellsTheRateLimitsInForce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.configure(
		"",
		"  - {stage: ratelimit, config: {global_requests_per_second: 500, default_per_key_requests_per_second: 2, default_per_key_tokens_per_minute: 9000}}\n",
	)
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

func TestGatewaysWithOneFileShareTheLimitOfAKey(t *testing.T) {
	t.Parallel()
	redis := statetest.StartRedis(t)
	const chain = "  - {stage: ratelimit, config: {limits: [{per: [key], requests: 2, period: 24h}]}}\n"
	var statuses []int
	for range 2 { // each with its own database
		c := serveLimited(t, "", redis.URL, "", chain).client(testKey)
		for range 2 {
			a, err := c.try("mock-echo", "hello")
			require.NoError(t, err)
			statuses = append(statuses, a.status)
		}
	}
	assert.Equal(t, []int{200, 200, 429, 429}, statuses)
}

func TestAKeyThatIsReplacedInTheFileGoesOnWithItsCount(t *testing.T) {
	t.Parallel()
	redis := statetest.StartRedis(t)
	const other = "gw_another-key-of-the-same-name"
	const chain = "  - {stage: ratelimit, config: {limits: [{per: [key], requests: 2, period: 24h}]}}\n"
	s := newSite(t)
	text := configText("", chain) + "state: {url: \"" + redis.URL + "\"}\n"
	s.write("gateway.yaml", []byte(text))
	g := s.serve("--config", "gateway.yaml")
	for range 2 {
		require.Equal(t, 200, g.client(testKey).chat(t, "mock-echo", "hello").status)
	}
	g.stop()
	require.Contains(t, text, testKey)
	s.write("gateway.yaml", []byte(strings.ReplaceAll(text, testKey, other)))
	for _, at := range []*site{s, newSite(t)} { // the second gateway has never seen the old key
		at.write("gateway.yaml", []byte(strings.ReplaceAll(text, testKey, other)))
		a, err := at.serve("--config", "gateway.yaml").client(other).try("mock-echo", "hello")
		require.NoError(t, err)
		assert.Equal(t, 429, a.status)
	}
}
