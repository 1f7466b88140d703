package main_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/state/statetest"
)

// A fresh Redis has no budget counters, and a node knows only its own traffic.
func TestABudgetHoldsWhenTheRedisOfAFleetBeginsAnew(t *testing.T) {
	up, server := newMetered(t), statetest.StartRedis(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close())
	const calls = 20
	shared := "state: {url: \"" + server.URL + "\"}\n"
	s := newSite(t)
	s.write(
		"gateway.yaml",
		[]byte(
			fmt.Sprintf(
				"role: control-plane\nfleet: {secret: %s}\nserver: {listen: \"%s\", metrics_listen: \"\"}\nstore: {url: \"sqlite:headgate.db\"}\n%s%s",
				fleetSecret,
				address,
				shared,
				testPricing,
			)+
				fmt.Sprintf(
					"budgets:\n  - {id: all, name: all, limitUsd: %.10f}\n",
					calls*requestCost,
				)+
				"providers:\n  mock: {prefix: true}\n  real: {type: openai, api_key: "+providerKey+", base_url: \""+up.URL+"\"}\n"+
				"routes:\n  - {model_pattern: \"gpt-*\", providers: [{provider: real}]}\n"+
				"tenants:\n  - {id: default, keys: [{name: dev, key: "+testKey+", scopes: []}]}\nchain:\n  - {stage: budget, config: {hold: 5s, least_output_tokens: 0}}\n",
		),
	)
	s.env = append(s.env, "HEADGATE_ADMIN_TOKEN="+ownerToken)
	c := s.serve("--config", "gateway.yaml")
	first := nodeOf(t, "edge-1", address, shared)
	spend := func(n *gate, most int) (served int) {
		ask := n.client(testKey)
		for range most {
			a, err := ask.do("POST", "/v1/chat/completions", askFor(50))
			require.NoError(t, err)
			if a.status != http.StatusOK {
				require.Equal(t, "insufficient_quota", a.code(), a.body)
				return served
			}
			served++
		}
		return served
	}
	require.Equal(t, calls/2, spend(first, calls/2))
	eventually(t, "the control plane has the records", func() bool {
		return c.admin(200, "GET", "/costs/summary", "")["requestCount"] == float64(calls/2)
	})

	server.Stop(t)
	server.Start(t) // empty
	o, err := redis.ParseURL(server.URL)
	require.NoError(t, err)
	r := redis.NewClient(o)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	second := nodeOf(t, "edge-2", address, shared) // which seeds its counters with zero
	eventually(t, "the counters are seeded again", func() bool {
		keys, err := r.Keys(context.Background(), "*budgets:seeded*").Result()
		return err == nil && len(keys) == 1
	})
	more := spend(second, calls) + spend(first, calls)
	assert.LessOrEqual(t, more, calls/2, "what was spent before counts")
	assert.Positive(t, more)
	assert.LessOrEqual(t, up.served.Load(), int64(calls))
}
