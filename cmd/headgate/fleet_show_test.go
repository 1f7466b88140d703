package main_test

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/state/statetest"
	"github.com/headgate-dev/headgate/core/records/store/pgtest"
)

// steady sends requests to nodes without pause, and counts failures.
type steady struct {
	stop           chan struct{}
	all            sync.WaitGroup
	served, failed atomic.Int64
	last           atomic.Pointer[string]
}

func (s *steady) run(nodes []*gate) {
	s.stop = make(chan struct{})
	for _, n := range nodes {
		ask := n.client(testKey)
		s.all.Go(func() {
			for {
				select {
				case <-s.stop:
					return
				case <-time.After(5 * time.Millisecond):
				}
				a, err := ask.try("mock-echo", "hello")
				if err == nil && a.status == http.StatusOK {
					s.served.Add(1)
					continue
				}
				said := fmt.Sprint(a.status, a.body, err)
				s.last.Store(&said)
				s.failed.Add(1)
			}
		})
	}
}

// Three nodes and a control plane over PostgreSQL and Redis, as in docs/fleet.md.
func TestThreeNodesAndAControlPlane(t *testing.T) {
	up, redis, db := newMetered(t), statetest.StartRedis(t), pgtest.CreateSharedDatabase(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close())
	const calls = 120
	shared := "state: {url: \"" + redis.URL + "\"}\n"
	chain := "  - {stage: budget, config: {hold: 5s, least_output_tokens: 0}}\n"
	s := newSite(t)
	text := fmt.Sprintf(
		"role: control-plane\nfleet: {secret: %s}\nserver: {listen: \"%s\", metrics_listen: \"\"}\nstore: {url: \"%s\"}\n%s%s",
		fleetSecret,
		address,
		db,
		shared,
		testPricing,
	) +
		fmt.Sprintf(
			"budgets:\n  - {name: all, model: \"gpt-*\", limitUsd: %.10f}\n",
			calls*requestCost,
		) +
		"providers:\n  mock: {prefix: true}\n  real: {type: openai, api_key: " + providerKey + ", base_url: \"" + up.URL + "\"}\n" +
		"routes:\n  - {model_pattern: \"gpt-*\", providers: [{provider: real}]}\n" +
		"tenants:\n  - {id: default, keys: [{name: dev, key: " + testKey + ", scopes: []}]}\nchain:\n" + chain
	s.write("gateway.yaml", []byte(text))
	s.env = append(s.env, "HEADGATE_ADMIN_TOKEN="+ownerToken, "HEADGATE_ENCRYPTION_MASTER_PASSWORD=correct horse battery staple")
	c := s.serve("--config", "gateway.yaml")
	nodes := make([]*gate, 3)
	var started sync.WaitGroup
	for i := range nodes {
		started.Go(func() { nodes[i] = nodeOf(t, fmt.Sprint("edge-", i), address, shared) })
	}
	started.Wait()
	load := new(steady)
	load.run(nodes)

	// A route created over REST is in force on all nodes.
	began := time.Now()
	c.admin(201, "POST", "/routes", `{"model_pattern":"house-*","providers":[{"provider":"mock","model_override":"mock-echo"}]}`)
	for _, n := range nodes {
		eventually(t, "the route is in force", func() bool { return n.client(testKey).chat(t, "house-x", "hello").status == http.StatusOK })
	}
	t.Logf("a route was in force on three nodes %v after it was asked for", time.Since(began).Round(time.Millisecond))

	// The control plane is killed, and the budget is spent while it is away.
	c.kill()
	<-c.ended
	var spent, refused atomic.Int64
	var crowd sync.WaitGroup
	for i := range 24 {
		ask := nodes[i%3].client(testKey)
		crowd.Go(func() {
			for range 12 {
				a, err := ask.do("POST", "/v1/chat/completions", askFor(50))
				switch {
				case !assert.NoError(t, err):
				case a.status == http.StatusOK:
					spent.Add(1)
				case assert.Equal(t, "insufficient_quota", a.code(), a.body):
					refused.Add(1)
				}
			}
		})
	}
	crowd.Wait()
	assert.LessOrEqual(t, up.served.Load(), int64(calls), "the budget is overspent")
	assert.Greater(t, up.served.Load(), int64(calls/2))
	assert.Positive(t, refused.Load())
	t.Logf("a budget of %d requests: %d served by three nodes, %d refused", calls, up.served.Load(), refused.Load())

	// It comes back, and changes made there reach the nodes again.
	c = s.serve("--config", "gateway.yaml")
	c.admin(201, "POST", "/routes", `{"model_pattern":"late-*","providers":[{"provider":"mock","model_override":"mock-echo"}]}`)
	for _, n := range nodes {
		eventually(t, "the later route is in force", func() bool { return n.client(testKey).chat(t, "late-x", "hello").status == http.StatusOK })
	}
	close(load.stop)
	load.all.Wait()
	if last := load.last.Load(); last != nil {
		t.Log(*last)
	}
	assert.Zero(t, load.failed.Load(), "of %d requests", load.served.Load())

	// The control plane has all records of all nodes once, and all chains verify.
	want := ""
	eventually(t, "the control plane has all records", func() bool {
		sum := [3]int{}
		for _, n := range nodes {
			var one [3]int
			report := n.run("audit", "verify", "--config", "gateway.yaml", "--set", "role=gateway", "--set", "fleet.control_plane=http://"+address)
			require.Zero(t, report.code, report.out+report.err)
			_, err := fmt.Sscan(exchanges(report.out), &one[0], &one[1], &one[2])
			require.NoError(t, err, report.out)
			for i := range sum {
				sum[i] += one[i]
			}
		}
		want = fmt.Sprint(sum[0], " ", sum[1], " ", sum[2])
		all := s.run("audit", "verify", "--config", "gateway.yaml")
		require.Zero(t, all.code, all.out+all.err)
		return strings.Contains(all.out, "the audit chains of 4 nodes are intact") && exchanges(all.out) == want
	})
	t.Logf(
		"%d requests while the control plane was killed and started again, none failed; records at the control plane: %s",
		load.served.Load(),
		want,
	)
}
