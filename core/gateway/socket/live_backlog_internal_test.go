package socket

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNoMoreEventsAreReadWhileASessionsBacklogIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{Limits: Limits{PerKey: 1}})
		b := newBacklog(s, "t")
		require.NoError(t, b.acquire(t.Context(), 2*maxBacklog), "a large event is read by itself")
		taken := 0
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 4 {
				if assert.NoError(t, b.acquire(t.Context(), maxBacklog/2)) {
					taken++
				}
			}
		}()
		synctest.Wait()
		assert.Zero(t, taken)
		b.release(2 * maxBacklog)
		synctest.Wait()
		assert.Equal(t, 2, taken)
		b.release(maxBacklog / 2)
		synctest.Wait()
		assert.Equal(t, 3, taken)
		b.release(maxBacklog / 2)
		<-done
		b.release(maxBacklog)
		assert.Empty(t, s.kept, "everything is given back")

		require.NoError(t, b.acquire(t.Context(), maxBacklog))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, b.acquire(ctx, 1), context.Canceled, "the session has ended")
		b.release(maxBacklog)
		assert.Empty(t, s.kept)
	})
}
