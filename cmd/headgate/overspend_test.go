package main_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/state/statetest"
)

// metered is a provider that reads 10 tokens and writes as many as it may.
type metered struct {
	*httptest.Server
	served atomic.Int64
}

func newMetered(t *testing.T) *metered {
	t.Helper()
	m := new(metered)
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Limit int64 `json:"max_completion_tokens"`
			Old   int64 `json:"max_tokens"`
		}
		body, _ := io.ReadAll(r.Body) // a truncated body is not JSON
		if json.Unmarshal(body, &q) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		time.Sleep(20 * time.Millisecond) // the model's response time: the killed gateway must have calls in progress
		n := max(q.Limit, q.Old)
		m.served.Add(1)
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(
			w,
			`{"id":"a","object":"chat.completion","created":1,"model":"gpt-x","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":%d,"total_tokens":%d}}`,
			n,
			n+10,
		)
	}))
	t.Cleanup(m.Close)
	return m
}

// Prices of the tests' model in USD, and the cost of a request: 10 input tokens and 50 output tokens, at 1 and 2 USD
// per million.
const (
	testPricing  = "pricing:\n  - {model: \"gpt-*\", provider: real, inputPricePerMillion: 1, outputPricePerMillion: 2}\n"
	requestCost  = 10*1e-6 + 50*2e-6
	requestBound = 200*1e-6 + 50*2e-6 // more than the gateway reserves for one, which has fewer than 200 bytes
)

func serveLimited(t *testing.T, up, redis, more, chain string) *gate {
	t.Helper()
	s := newSite(t)
	s.write("gateway.yaml", []byte(configText(up, chain)+more+"state: {url: \""+redis+"\"}\n"))
	return s.serve("--config", "gateway.yaml")
}

func askFor(tokens int) []byte {
	return []byte(`{"model":"gpt-x","max_tokens":` + strconv.Itoa(tokens) + `,"messages":[{"role":"user","content":"hello"}]}`)
}

// crowd is a number of clients that send requests to two gateways until they are served or cannot be. The first gateway
// is killed once the given number was served.
type crowd struct {
	t               *testing.T
	gates           [2]*gate
	over            atomic.Bool // the reservations of the killed one have expired
	served, refused atomic.Int64
	lost            atomic.Int64
	code            string // of the refusal
}

func (c *crowd) run(clients int, killAfter int64, wait time.Duration) {
	var all sync.WaitGroup
	dead := make(chan struct{})
	for i := range clients {
		all.Go(func() { c.runMember(i, dead) })
	}
	require.Eventually(c.t, func() bool { return c.served.Load() >= killAfter }, 10*patience, time.Millisecond)
	c.gates[0].kill()
	close(dead)
	time.Sleep(wait) // until the reservations of the killed one have expired, by the clock of the Redis server
	c.over.Store(true)
	all.Wait()
}

// fill sends requests to the second gateway until it refuses, and returns the refusal. How many the crowd is served in
// its time depends on the machine; what remains after it does not.
func (c *crowd) fill(most int) (a answer) {
	c.t.Helper()
	for range most + 1 {
		var err error
		a, err = c.gates[1].client(testKey).do("POST", "/v1/chat/completions", askFor(50))
		require.NoError(c.t, err)
		if a.status != http.StatusOK {
			return a
		}
		c.served.Add(1)
	}
	require.Fail(c.t, "more was served than the limit allows")
	return a
}

func (c *crowd) runMember(i int, dead chan struct{}) {
	ways := [2]*client{c.gates[0].client(testKey), c.gates[1].client(testKey)}
	defer ways[0].http.CloseIdleConnections()
	defer ways[1].http.CloseIdleConnections()
	at := i % 2
	for {
		last := c.over.Load()
		a, err := ways[at].do("POST", "/v1/chat/completions", askFor(50))
		switch {
		case err != nil && at == 0:
			c.lost.Add(1)
			<-dead
			at = 1
		case err != nil:
			assert.NoError(c.t, err)
			return
		case a.status == http.StatusOK:
			c.served.Add(1)
			if last {
				return
			}
		default:
			if !assert.Equal(c.t, c.code, a.code(), a.body) {
				return
			}
			c.refused.Add(1)
			if last {
				return
			}
			time.Sleep(100 * time.Millisecond) // the pause before a retry: without it the clients would only load the machine
		}
	}
}

// A thousand clients spend the rest of a budget through two gateways, one of which is killed meanwhile.
func TestTwoGatewaysOnOneRedisDoNotOverspend(t *testing.T) {
	up, redis := newMetered(t), statetest.StartRedis(t)
	limit := 600 * requestCost
	config := testPricing + fmt.Sprintf("budgets:\n  - {name: all, limitUsd: %.10f}\n", limit)
	const chain = "  - {stage: budget, config: {hold: 5s, least_output_tokens: 0}}\n"
	c := &crowd{t: t, code: "insufficient_quota"}
	for i := range c.gates {
		c.gates[i] = serveLimited(t, up.URL, redis.URL, config, chain)
	}
	c.run(1000, 200, 7*time.Second)
	a := c.fill(600)
	assert.Equal(t, c.code, a.code(), a.body)
	a, err := c.gates[1].client(testKey).do("POST", "/v1/budget/estimate", []byte(`{"model":"gpt-x","max_tokens":50}`))
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, a.status, a.body)
	var e struct {
		Left  float64 `json:"budget_remaining_usd"`
		Would bool    `json:"would_exceed_budget"`
	}
	require.NoError(t, json.Unmarshal([]byte(a.body), &e))
	spent := limit - e.Left
	t.Logf(
		"1000 clients, two gateways, one killed: limit %.6f USD, spent %.6f, one request %.6f; %d served to clients, %d by the provider, %d cut off, %d refusals",
		limit,
		spent,
		requestCost,
		c.served.Load(),
		up.served.Load(),
		c.lost.Load(),
		c.refused.Load(),
	)
	assert.LessOrEqual(t, spent, limit+1e-9)
	assert.Greater(t, spent, limit-requestBound)
}

// The same for a rate limit: requests that the killed gateway let through count, and the slots that it held are
// released.
func TestTwoGatewaysOnOneRedisKeepARateLimit(t *testing.T) {
	up, redis := newMetered(t), statetest.StartRedis(t)
	const chain = "  - {stage: ratelimit, config: {lease: 5s, limits: [{per: [tenant], requests: 600, period: 24h, concurrent: 40}]}}\n"
	c := &crowd{t: t, code: "rate_limit_exceeded"}
	for i := range c.gates {
		c.gates[i] = serveLimited(t, up.URL, redis.URL, "", chain)
	}
	c.run(1000, 200, 7*time.Second)
	// All slots are free again; each request now takes one: a refusal is due to the number of requests, not to the
	// slots.
	a := c.fill(600)
	t.Logf(
		"1000 clients, two gateways, one killed: a limit of 600 requests; %d served to clients, %d by the provider, %d cut off, %d refusals",
		c.served.Load(),
		up.served.Load(),
		c.lost.Load(),
		c.refused.Load(),
	)
	// Not every request that the killed gateway let through has reached the provider.
	assert.LessOrEqual(t, up.served.Load(), int64(600))
	assert.GreaterOrEqual(t, up.served.Load(), int64(600-40))

	assert.Equal(t, http.StatusTooManyRequests, a.status)
	assert.Contains(t, a.body, "600 requests in 24h")
	assert.NotEmpty(t, a.header.Get("Retry-After"))
	assert.Equal(t, "0", a.header.Get("X-Ratelimit-Remaining-Requests"))
}
