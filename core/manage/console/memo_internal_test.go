package console

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatTakesLongIsMadeOnceAndRenewedBesideThoseWhoAsk(t *testing.T) {
	var m memo[int64]
	var made, clock atomic.Int64
	now := func() time.Time { return time.Unix(clock.Load(), 0) }
	clock.Store(1000)
	build := func(context.Context) (int64, error) {
		clock.Add(1) // computing it takes a second
		return made.Add(1), nil
	}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			v, at, err := m.get(t.Context(), "a", now, build)
			assert.NoError(t, err)
			assert.EqualValues(t, 1, v)
			assert.EqualValues(t, 1001, at.Unix())
		})
	}
	all.Wait()
	clock.Store(1032)
	ctx, cancel := context.WithCancel(t.Context())
	v, at, err := m.get(ctx, "a", now, build)
	cancel() // the caller has returned: the background refresh continues
	require.NoError(t, err)
	assert.EqualValues(t, 1, v, "no caller waits")
	assert.EqualValues(t, 1001, at.Unix())
	require.Eventually(t, func() bool { v, _, err := m.get(t.Context(), "a", now, build); return err == nil && v == 2 }, time.Minute,
		time.Millisecond)
	other, _, err := m.get(t.Context(), "b", now, build)
	require.NoError(t, err)
	assert.EqualValues(t, 3, other)
	clock.Store(2000)
	v, _, err = m.get(t.Context(), "a", now, build)
	require.NoError(t, err)
	assert.EqualValues(t, 4, v, "an old value is computed while the caller waits")
}

func TestWhatIsQuicklyMadeIsMadeForEach(t *testing.T) {
	var m memo[int]
	at := time.Unix(1000, 0)
	for want := range 3 {
		v, _, err := m.get(t.Context(), "a", func() time.Time { return at }, func(context.Context) (int, error) { return want, nil })
		require.NoError(t, err)
		assert.Equal(t, want, v)
	}
}

func TestAnErrorIsNotKept(t *testing.T) {
	var m memo[int]
	_, _, err := m.get(t.Context(), "a", time.Now, func(context.Context) (int, error) { return 0, errors.New("away") })
	require.Error(t, err)
	v, _, err := m.get(t.Context(), "a", time.Now, func(context.Context) (int, error) { return 7, nil })
	require.NoError(t, err)
	assert.Equal(t, 7, v)
}

func TestWhatIsKeptIsBounded(t *testing.T) {
	var m memo[int]
	for i := range 3 * maxMemos {
		_, _, err := m.get(t.Context(), time.Unix(int64(i), 0).String(), time.Now, func(context.Context) (int, error) { return i, nil })
		require.NoError(t, err)
	}
	assert.LessOrEqual(t, len(m.kept), maxMemos)
}
