package cache

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/core/records/state/statetest"
)

func TestTwoGatewaysShareTheAnswersOfOneStore(t *testing.T) {
	server := statetest.Redis(t)
	open := func(t *testing.T) core.State {
		r, err := state.OpenRedis(context.Background(), server.URL, func(error) {})
		require.NoError(t, err)
		t.Cleanup(func() { _ = r.Close(context.Background()) })
		return r
	}
	memory := state.NewMemory(state.Options{})
	for name, stores := range map[string][2]core.State{"memory": {memory, memory}, "Redis": {open(t), open(t)}} {
		t.Run(name, func(t *testing.T) {
			one, two := newBench(t, "store: shared", stores[0]), newBench(t, "store: shared", stores[1])
			one.send(call{body: ask("hi"), answer: says("one")})
			g := two.send(call{body: ask("hi"), answer: says("two")})
			assert.Equal(t, "HIT", g.cache)
			assert.Equal(t, says("one"), g.text)

			events := []string{delta("a"), delta("b"), stop, done}
			one.send(call{body: askStream("hi"), events: events})
			assert.Equal(t, core.Answer, two.send(call{body: askStream("hi"), events: events}).action)
			assert.Equal(t, "MISS", two.send(call{tenant: "u", body: ask("hi"), answer: says("x")}).cache)

			short := newBench(t, "{store: shared, ttl: 100ms, generation: b}", stores[0])
			assert.Equal(t, "MISS", short.send(call{body: ask("hi"), answer: says("x")}).cache, "another generation")
			require.Eventually(
				t,
				func() bool { return short.send(call{body: ask("hi"), answer: says("x"), cut: true}).cache == "MISS" },
				30*time.Second,
				20*time.Millisecond,
			)
		})
	}
	away := newBench(t, "{store: shared, shared_timeout: 50ms}", open(t))
	server.Stop(t)
	g := away.send(call{body: ask("hi"), answer: says("x")})
	assert.Equal(t, "MISS", g.cache, "a store that is down is a miss")
	require.Len(t, g.x.Findings, 1)
	assert.Equal(t, Unavailable, g.x.Findings[0].Label)
}
