package cachetest

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

func shareAnswers(t *testing.T, by *Subject) {
	server := statetest.StartRedis(t)
	open := func(t *testing.T) core.State {
		r, err := state.OpenRedis(context.Background(), server.URL, func(error) {})
		require.NoError(t, err)
		t.Cleanup(func() { _ = r.Close(context.Background()) })
		return r
	}
	memory := state.NewMemory(state.Options{})
	for name, stores := range map[string][2]core.State{"memory": {memory, memory}, "Redis": {open(t), open(t)}} {
		t.Run(name, func(t *testing.T) {
			one, two := NewBench(t, by, "store: shared", stores[0]), NewBench(t, by, "store: shared", stores[1])
			one.Send(Call{Body: FormatRequest("hi"), Answer: FormatAnswer("one")})
			g := two.Send(Call{Body: FormatRequest("hi"), Answer: FormatAnswer("two")})
			assert.Equal(t, "HIT", g.Cache)
			assert.Equal(t, FormatAnswer("one"), g.Text)

			events := []string{FormatDelta("a"), FormatDelta("b"), Stop, Done}
			one.Send(Call{Body: FormatStreamRequest("hi"), Events: events})
			assert.Equal(t, core.Answer, two.Send(Call{Body: FormatStreamRequest("hi"), Events: events}).Action)
			assert.Equal(t, "MISS", two.Send(Call{Tenant: "u", Body: FormatRequest("hi"), Answer: FormatAnswer("x")}).Cache)

			short := NewBench(t, by, "{store: shared, ttl: 100ms, generation: b}", stores[0])
			assert.Equal(t, "MISS", short.Send(Call{Body: FormatRequest("hi"), Answer: FormatAnswer("x")}).Cache, "another generation")
			require.Eventually(
				t,
				func() bool {
					return short.Send(Call{Body: FormatRequest("hi"), Answer: FormatAnswer("x"), Cut: true}).Cache == "MISS"
				},
				30*time.Second,
				20*time.Millisecond,
			)
		})
	}
	away := NewBench(t, by, "store: shared", open(t))
	server.Stop(t)
	g := away.Send(Call{Body: FormatRequest("hi"), Answer: FormatAnswer("x")})
	assert.Equal(t, "MISS", g.Cache, "a store that is down is a miss")
	require.Len(t, g.X.Findings, 1)
	assert.Equal(t, "cache.unavailable", g.X.Findings[0].Label)
}
