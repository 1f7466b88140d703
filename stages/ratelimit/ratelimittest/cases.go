package ratelimittest

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/core/records/state/statetest"
)

// Cases are what a rate limit does, each with every kind of state.
var Cases = []Case{
	{"a limit is counted for whom it says", testSharing},
	{"the headers are OpenAI's", checkHeaders},
	{"a refusal says which limit and when to try again", checkRefusals},
	{"tokens are settled by what was used", testSettlement},
	{"a count of tokens takes no tokens", testUncountedTasks},
	{"a place comes free however the exchange ends", testFreedPlaces},
	{"without its state the stage fails", testMissingState},
	{"settings that make no sense are refused", testSettings},
	{"a thousand at once get no more than the limit", testThousandRequests},
	{"a model is counted once however it is spelled", testSpellings},
	{"Azure's prefix may be short or long", testAzureNames},
	{"two limits of one name are refused", testDuplicates},
	{"a rotated key is limited under each of its ids", testRotatedKeys},
}

func testSharing(t *testing.T, build Builder) {
	for name, c := range map[string]struct {
		config string
		want   map[who]bool // after alice has used up her one request
	}{
		"for each key": {
			"limits: [{per: [key], requests: 1, period: 1h}]",
			map[who]bool{alice: false, bob: true, carol: true},
		},
		"for each tenant": {
			"limits: [{per: [tenant], requests: 1, period: 1h}]",
			map[who]bool{alice: false, bob: false, carol: true},
		},
		"for each model": {
			"limits: [{per: [model], requests: 1, period: 1h}]",
			map[who]bool{alice: false, bob: true, carol: false},
		},
		"for all": {"limits: [{requests: 1, period: 1h}]", map[who]bool{alice: false, bob: false, carol: false}},
		"for each key and model": {
			"limits: [{per: [key, model], requests: 1, period: 1h}]",
			map[who]bool{alice: false, {"acme", "alice", "gpt-b"}: true},
		},
		"for some tenants": {
			"limits: [{requests: 1, period: 1h, tenants: [acme]}]",
			map[who]bool{alice: false, bob: false, carol: true},
		},
		"for some models": {
			"limits: [{requests: 1, period: 1h, models: ['*-a']}]",
			map[who]bool{alice: false, bob: true, carol: false},
		},
		"for some keys": {
			"limits: [{requests: 1, period: 1h, keys: ['*o*', alice]}]",
			map[who]bool{alice: false, bob: false, carol: false},
		},
		"by the short form for all": {"global_requests_per_second: 1", map[who]bool{alice: false, carol: false}},
		"by the short form for keys": {
			"default_per_key_requests_per_second: 1", map[who]bool{alice: false, bob: true},
		},
		"for no one": {"{}", map[who]bool{alice: true}},
	} {
		t.Run(name, func(t *testing.T) {
			runStates(t, func(t *testing.T, s core.State) {
				for w, want := range c.want {
					b := newBench(t, build, keyed{s, w.tenant + w.key + w.model}, c.config)
					require.True(t, b.passes(alice))
					assert.Equal(t, want, b.passes(w), "%v", w)
				}
			})
		})
	}
}

func checkHeaders(t *testing.T, build Builder) {
	runStates(t, func(t *testing.T, s core.State) {
		b := newBench(t, build, s, "limits: [{per: [key], requests: 6, tokens: 6000, period: 1m}, {requests: 600, period: 1m}]")
		x, d := b.begin(alice, `,"max_tokens":581`)
		require.Equal(t, core.Pass, d.Action)
		assert.Equal(t, "6", findHeader(x, "x-ratelimit-limit-requests"), "the tighter of two")
		assert.Equal(t, "5", findHeader(x, "x-ratelimit-remaining-requests"))
		reset, err := time.ParseDuration(findHeader(x, "x-ratelimit-reset-requests"))
		require.NoError(t, err)
		assert.InDelta(t, 10, reset.Seconds(), 1)
		assert.Equal(t, "6000", findHeader(x, "x-ratelimit-limit-tokens"))
		assert.Equal(t, "5399", findHeader(x, "x-ratelimit-remaining-tokens"), "581 of the answer and a quarter of 83 bytes")
		b.end(x, 0)
	})
}

func checkRefusals(t *testing.T, build Builder) {
	for name, c := range map[string]struct {
		config, more, text string
		wait               time.Duration
	}{
		"requests": {
			"limits: [{per: [key], requests: 1, period: 10m}]",
			"", "1 request in 10m for each key; try again in 10m", 10 * time.Minute,
		},
		"tokens": {
			"limits: [{tokens: 300, period: 10m}]",
			`,"max_tokens":200`, "300 tokens in 10m for all; try again in ", 4*time.Minute + 40*time.Second,
		},
		"the same time": {
			"limits: [{per: [tenant, model], concurrent: 1}]",
			"", "1 request at the same time for each tenant and model", time.Second,
		},
		"the worst one": {
			"limits: [{requests: 1, period: 1m}, {per: [key], requests: 1, period: 1h}]",
			"", "1 request in 1h0m for each key", time.Hour,
		},
		"too many ever": {"limits: [{tokens: 300, period: 10m}]", `,"max_tokens":400`, "may take 4", 10 * time.Minute},
		"several":       {"limits: [{tokens: 300, period: 10m}]", `,"max_tokens":200,"n":3`, "may take 6", 10 * time.Minute},
		"without bounds": {
			"limits: [{tokens: 300, period: 10m}]",
			`,"max_tokens":9223372036854775807,"n":2147483647`, "may take ", 10 * time.Minute,
		},
	} {
		t.Run(name, func(t *testing.T) {
			runStates(t, func(t *testing.T, s core.State) {
				b := newBench(t, build, s, c.config)
				first, _ := b.begin(alice, c.more)
				x, d := b.begin(alice, c.more)
				require.Equal(t, core.Block, d.Action)
				require.NotNil(t, d.Err)
				assert.False(t, d.Fault)
				assert.Contains(t, d.Err.Public, c.text)
				assert.InDelta(t, c.wait.Seconds(), d.Err.RetryAfter.Seconds(), 5)
				assert.Equal(t, core.CodeRateLimit, d.Err.Code)
				assert.Equal(t, strings.HasPrefix(c.text, "may take"), d.Err.NoRetry, "a request that can never pass is not retried")
				b.end(x, 0)
				b.end(first, 0)
			})
		})
	}
}

func testSettlement(t *testing.T, build Builder) {
	runStates(t, func(t *testing.T, s core.State) {
		b := newBench(t, build, s, "limits: [{tokens: 1000, period: 10h}]")
		left := func() string {
			x, d := b.begin(alice, `,"max_tokens":1`)
			require.Equal(t, core.Pass, d.Action)
			b.end(x, 0)
			return findHeader(x, "x-ratelimit-remaining-tokens")
		}
		require.Equal(t, "980", left())
		x, d := b.begin(alice, `,"max_tokens":900`)
		require.Equal(t, core.Pass, d.Action)
		b.end(x, 100)
		assert.Equal(t, "880", left())
		x, d = b.begin(alice, `,"max_tokens":10`)
		require.Equal(t, core.Pass, d.Action)
		b.end(x, 2000) // more than estimated
		_, d = b.begin(alice, `,"max_tokens":10`)
		assert.Equal(t, core.Block, d.Action)
	})
}

func testUncountedTasks(t *testing.T, build Builder) {
	runStates(t, func(t *testing.T, s core.State) {
		b := newBench(t, build, s, "limits: [{tokens: 10, period: 1h}]")
		x := b.newRequest(alice, "")
		x.Head.Task = llm.TaskCount
		assert.Equal(t, core.Pass, b.chain.RunRequest(context.Background(), x).Action)
		b.end(x, 0)
	})
}

func testFreedPlaces(t *testing.T, build Builder) {
	runStates(t, func(t *testing.T, s core.State) {
		b := newBench(t, build, s, "limits: [{concurrent: 1}]")
		for _, kind := range []core.OutcomeKind{core.Served, core.Blocked, core.Refused, core.UpstreamErr, core.ClientGone, core.Crashed} {
			x, d := b.begin(alice, "")
			require.Equal(t, core.Pass, d.Action)
			require.False(t, b.passes(bob))
			x.Outcome.Kind = kind
			b.end(x, 0)
		}
		require.True(t, b.passes(bob))
	})
}

func testMissingState(t *testing.T, build Builder) {
	srv := statetest.StartRedis(t)
	b := newBench(t, build, newRedis(t, srv), "limits: [{requests: 1000}]")
	require.True(t, b.passes(alice))
	srv.Stop(t)
	x, d := b.begin(alice, "")
	assert.Equal(t, core.Block, d.Action)
	assert.True(t, d.Fault)
	assert.Equal(t, core.CodeGuardUnavailable, d.Err.Code)
	b.end(x, 0)
	srv.Start(t)
	assert.Eventually(t, func() bool {
		x, d := b.begin(alice, "")
		b.end(x, 0)
		return d.Action == core.Pass
	}, 20*time.Second, 50*time.Millisecond)
}

func testSettings(t *testing.T, build Builder) {
	for config, want := range map[string]string{
		"limits: [{}]":                                        "no limit is set",
		"limits: [{requests: -1}]":                            "negative",
		"limits: [{requests: 1, per: [keys]}]":                `"keys" is not one of tenant, key and model`,
		"limits: [{requests: 1, per: [key, key]}]":            "duplicate",
		"limits: [{concurrent: 1, burst: 3}]":                 "burst",
		"limits: [{requests: 1, period: 1us}]":                "period",
		"limit: []":                                           "limit",
		"global_requests_per_second: 1\nlimits: [{burst: 2}]": "limits[0]",
	} {
		_, err := build(t, config, Deps{State: state.NewMemory(state.Options{})})
		assert.ErrorContains(t, err, want, config)
	}
	_, err := build(t, "{}", Deps{})
	assert.Error(t, err)
}

func testThousandRequests(t *testing.T, build Builder) {
	runStates(t, func(t *testing.T, s core.State) {
		const requests, limit, running = 1000, 300, 40
		b := newBench(t, build, s, "limits: [{name: sum, requests: 300, period: 24h}, {per: [key], concurrent: 40}]")
		var passed, now, most atomic.Int64
		var all sync.WaitGroup
		crowded := make(chan struct{}) // closed when the first is refused; no request ends before
		refused := sync.OnceFunc(func() { close(crowded) })
		freed := make(chan struct{}, requests) // one message from each request that is through; a refused one tries again
		for range requests {
			all.Go(func() {
				for {
					x, d := b.begin(alice, "")
					if d.Action == core.Pass {
						n := now.Add(1)
						for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
						}
						passed.Add(1)
						<-crowded
						now.Add(-1)
						b.end(x, 0)
						freed <- struct{}{}
						return
					}
					b.end(x, 0)
					refused()
					if d.Err.RetryAfter > time.Minute { // the sum is used up
						freed <- struct{}{}
						return
					}
					<-freed
				}
			})
		}
		all.Wait()
		t.Logf("%d requests at once, a limit of %d and %d at the same time: %d let through, at most %d at the same time",
			requests, limit, running, passed.Load(), most.Load())
		assert.Equal(t, int64(limit), passed.Load())
		assert.LessOrEqual(t, most.Load(), int64(running))
	})
}
