package state_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/state"
)

func TestWhatWasAskedForLongestAgoMakesRoom(t *testing.T) {
	ctx := context.Background()
	m := state.NewMemory(state.Options{Bytes: 16 * 4096}) // 4096 to a shard
	require.NoError(t, m.Set(ctx, "kept", make([]byte, 100), time.Hour))
	for i := range 10000 {
		require.NoError(t, m.Set(ctx, fmt.Sprint(i), make([]byte, 100), time.Hour))
		_, ok, err := m.Get(ctx, "kept")
		require.NoError(t, err)
		require.True(t, ok, "it is asked for all the time")
	}
	left := 0
	for i := range 10000 {
		if _, ok, _ := m.Get(ctx, fmt.Sprint(i)); ok {
			left++
		}
	}
	assert.Greater(t, left, 16*4096/500)
	assert.Less(t, left, 16*4096/100)
	assert.ErrorIs(t, m.Set(ctx, "large", make([]byte, 5000), time.Hour), state.ErrTooLarge)
}

func TestValuesAreKeptApartUnderLoad(t *testing.T) {
	ctx := context.Background()
	m := state.NewMemory(state.Options{})
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for i := range 2000 {
				key := fmt.Sprint(g, i%50)
				assert.NoError(t, m.Set(ctx, key, []byte(key), time.Hour))
				got, ok, _ := m.Get(ctx, key)
				assert.True(t, ok)
				assert.Equal(t, key, string(got))
				if i%3 == 0 {
					assert.NoError(t, m.Delete(ctx, key))
				}
			}
		})
	}
	all.Wait()
}
