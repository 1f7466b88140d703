package state_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/state"
)

func TestCountersThatAreOfNoUseAnyMoreMakeRoom(t *testing.T) {
	now := time.Now()
	m := state.NewMemory(state.Options{Counters: 6400, Now: func() time.Time { return now }})
	for i := range 100_000 {
		ok, _ := take(t, m, rate(fmt.Sprint("r", i), 1, 10))
		require.True(t, ok, "a tenth of a second later nothing of it is left")
		now = now.Add(time.Millisecond)
	}
}

func TestMoreCountersThanThereIsRoomForAreAnError(t *testing.T) {
	m := state.NewMemory(state.Options{Counters: 640})
	var err error
	n := 0
	for ; err == nil && n < 10_000; n++ {
		_, err = m.Take(context.Background(), []core.Limit{spend(fmt.Sprint("s", n), 1, 10)})
	}
	require.ErrorIs(t, err, core.ErrStateFull)
	assert.Greater(t, n, 100)
	_, err = m.Take(context.Background(), []core.Limit{spend("s1", 1, 10)})
	assert.NoError(t, err, "those that are there go on")
}

func BenchmarkTakeAndSettleInMemory(b *testing.B) {
	m := state.NewMemory(state.Options{})
	ctx := context.Background()
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		limits := []core.Limit{
			{Kind: core.Rate, Key: "{acme}:k1:requests", Max: 1 << 40, Period: time.Minute},
			{Kind: core.Rate, Key: "{acme}:k1:tokens", Max: 1 << 40, Period: time.Minute},
			{Kind: core.Concurrent, Key: "{acme}:k1:concurrent", Max: 1 << 40, Period: time.Minute},
			{Kind: core.Spend, Key: "{acme}:monthly", Max: 1 << 60, Period: time.Minute, Ends: time.Now().Add(time.Hour)},
		}
		for pb.Next() {
			for i := range limits {
				limits[i].Cost, limits[i].Actual = 10, 7
			}
			if ok, err := m.Take(ctx, limits); !ok || err != nil {
				b.Error(ok, err)
			}
			if err := m.Settle(ctx, limits); err != nil {
				b.Error(err)
			}
		}
	})
}

// Room is made for one counter of a Take while others of it wait to be counted up.
func TestMakingRoomLosesNothingOfTheTakeItIsFor(t *testing.T) {
	ctx := context.Background()
	m := state.NewMemory(state.Options{Counters: 128}) // two for each lock
	for i := range 2000 {
		place, other := concurrent(fmt.Sprint("place", i), 1), concurrent(fmt.Sprint("other", i), 1)
		for _, l := range []core.Limit{concurrent(fmt.Sprint("dead", i), 1), place} {
			ok, l := take(t, m, l)
			require.True(t, ok)
			require.NoError(t, m.Settle(ctx, l))
		}
		both := []core.Limit{place, other}
		if ok, err := m.Take(ctx, both); err != nil {
			require.ErrorIs(t, err, core.ErrStateFull)
			continue
		} else if !ok {
			continue
		}
		ok, err := m.Take(ctx, []core.Limit{place})
		require.False(t, ok && err == nil, "the place is taken")
		require.NoError(t, m.Settle(ctx, both))
	}
}

func TestASpaceTakesNoRoomFromOthers(t *testing.T) {
	ctx := context.Background()
	m := state.NewMemory(state.Options{Counters: 640, SpaceCounters: 640, Bytes: 1 << 16, SpaceBytes: 1 << 16})
	greedy, modest := m.OpenSpace("greedy"), m.OpenSpace("modest")
	fill := func() (err error) {
		for n := 0; err == nil && n < 10_000; n++ {
			_, err = greedy.Take(ctx, []core.Limit{spend(fmt.Sprint("s", n), 1, 10)})
		}
		return err
	}
	require.ErrorIs(t, fill(), core.ErrStateFull)
	require.NoError(t, modest.Set(ctx, "kept", []byte("value"), time.Hour))
	for n := range 10_000 {
		require.NoError(t, greedy.Set(ctx, fmt.Sprint("v", n), make([]byte, 100), time.Hour))
	}
	for name, s := range map[string]core.State{"another space": modest, "the state itself": m} {
		ok, err := s.Take(ctx, []core.Limit{spend("s1", 10, 10)})
		require.NoError(t, err, name)
		assert.True(t, ok, "%s has a counter of that key for itself", name)
	}
	_, ok, err := modest.Get(ctx, "kept")
	require.NoError(t, err)
	assert.True(t, ok)
	_, ok, err = m.Get(ctx, "kept")
	require.NoError(t, err)
	assert.False(t, ok)
	assert.Same(t, greedy, m.OpenSpace("greedy"), "who comes back goes on with what was counted")
	hidden := onlyState{m}
	assert.Equal(t, hidden, core.OpenSpace(hidden, "x"), "a state without spaces is one space")
}

// onlyState hides that a state has spaces.
type onlyState struct{ core.State }
