package token

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// numberTokens returns a fetch whose tokens are counted, and live for an hour.
func numberTokens(n *atomic.Int32) Fetch {
	return func(context.Context) (Token, error) {
		return Token{Value: "token " + string('0'+n.Add(1)), Expires: time.Now().Add(time.Hour)}, nil
	}
}

// pass lets time pass on the clock of the bubble.
func pass(d time.Duration) { <-time.After(d) }

func get(t *testing.T, c *Cache) string {
	t.Helper()
	v, err := c.Get(context.Background())
	require.NoError(t, err)
	return v
}

func TestAThousandCallsWaitForOneFetch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var fetches atomic.Int32
		release := make(chan struct{})
		c := NewCache(func(context.Context) (Token, error) {
			fetches.Add(1)
			<-release
			return Token{Value: "t", Expires: time.Now().Add(time.Hour)}, nil
		})
		var calls sync.WaitGroup
		for range 1000 {
			calls.Go(func() {
				v, err := c.Get(context.Background())
				assert.NoError(t, err)
				assert.Equal(t, "t", v)
			})
		}
		synctest.Wait()
		close(release)
		calls.Wait()
		assert.EqualValues(t, 1, fetches.Load())
	})
}

func TestAThousandCallsOverHoursFetchOncePerLifetime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var fetches atomic.Int32
		c := NewCache(numberTokens(&fetches))
		for range 1000 {
			var calls sync.WaitGroup
			for range 10 {
				calls.Go(func() { assert.NotEmpty(t, get(t, c)) })
			}
			calls.Wait()
			pass(time.Minute) // in the bubble
			synctest.Wait()
		}
		// 1,000 minutes with a refresh 4 minutes before the end of each hour.
		assert.LessOrEqual(t, fetches.Load(), int32(1000/56+1))
	})
}

func TestATokenIsRefreshedBeforeItExpiresWithoutAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var fetches atomic.Int32
		stuck := make(chan struct{})
		c := NewCache(func(ctx context.Context) (Token, error) {
			if fetches.Load() > 0 {
				<-stuck
			}
			return numberTokens(&fetches)(ctx)
		})
		assert.Equal(t, "token 1", get(t, c))
		pass(57 * time.Minute)
		assert.Equal(t, "token 1", get(t, c), "the current one is valid, so nobody waits for the refresh")
		close(stuck)
		synctest.Wait()
		assert.Equal(t, "token 2", get(t, c))
	})
}

func TestARefreshThatFailsCostsNothingWhileTheTokenIsValid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var fetches atomic.Int32
		c := NewCache(func(ctx context.Context) (Token, error) {
			if n := fetches.Load(); n > 0 {
				fetches.Add(1)
				return Token{}, &Error{Reason: "down"}
			}
			return numberTokens(&fetches)(ctx)
		})
		get(t, c)
		pass(57 * time.Minute)
		for range 60 { // one minute
			assert.Equal(t, "token 1", get(t, c))
			pass(time.Second)
			synctest.Wait()
		}
		assert.LessOrEqual(t, fetches.Load(), int32(8), "asked once in ten seconds")
		pass(3 * time.Minute)
		_, err := c.Get(context.Background())
		require.EqualError(t, err, "no access token: down", "now it has expired")
	})
}

func TestAFailureAnswersTheCallsOfASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var fetches atomic.Int32
		c := NewCache(func(context.Context) (Token, error) {
			fetches.Add(1)
			return Token{}, &Error{Reason: "down"}
		})
		for range 100 {
			_, err := c.Get(context.Background())
			require.Error(t, err)
		}
		assert.EqualValues(t, 1, fetches.Load())
		pass(grudge)
		_, err := c.Get(context.Background())
		require.Error(t, err)
		assert.EqualValues(t, 2, fetches.Load())
	})
}

func TestACallerThatLeavesDoesNotEndTheFetchOfTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		c := NewCache(func(ctx context.Context) (Token, error) {
			select {
			case <-release:
			case <-ctx.Done():
			}
			return Token{Value: "t", Expires: time.Now().Add(time.Hour)}, ctx.Err()
		})
		ctx, leave := context.WithCancel(context.Background())
		left := make(chan error)
		go func() {
			_, err := c.Get(ctx)
			left <- err
		}()
		synctest.Wait()
		leave()
		require.ErrorIs(t, <-left, context.Canceled)
		close(release)
		assert.Equal(t, "t", get(t, c))
	})
}

func TestAFetchThatNeverEndsIsAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewCache(func(ctx context.Context) (Token, error) {
			<-ctx.Done()
			return Token{}, describeFailure("the service", ctx.Err())
		})
		_, err := c.Get(context.Background())
		require.EqualError(t, err, "no access token: the service did not answer in time")
	})
}

func TestARefusedTokenIsNotUsedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var fetches atomic.Int32
		c := NewCache(numberTokens(&fetches))
		get(t, c)
		c.Drop("token 1")
		assert.Equal(t, "token 1", get(t, c), "a new one would fare no better")
		pass(2 * time.Minute)
		c.Drop("another")
		assert.Equal(t, "token 1", get(t, c))
		c.Drop("token 1")
		assert.Equal(t, "token 2", get(t, c))
	})
}

func TestAnAnswerWithoutAValidTokenIsAFailure(t *testing.T) {
	for _, bad := range []Token{{}, {Value: "t", Expires: time.Unix(1, 0)}} {
		_, err := NewCache(func(context.Context) (Token, error) { return bad, nil }).Get(context.Background())
		require.EqualError(t, err, "no access token: the identity service returned no valid token")
	}
	forever := NewCache(func(context.Context) (Token, error) { return Token{Value: "t"}, nil })
	assert.Equal(t, "t", get(t, forever))
	assert.Equal(t, "t", get(t, forever))
	require.ErrorIs(t, describeFailure("x", &Error{Reason: "y", Err: errors.ErrUnsupported}), errors.ErrUnsupported)
}

func BenchmarkGet(b *testing.B) {
	c := NewCache(func(context.Context) (Token, error) {
		return Token{Value: "t", Expires: time.Now().Add(time.Hour)}, nil
	})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			_, _ = c.Get(context.Background())
		}
	})
}
