package upstream_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

func TestClosingABodyBeforeItsEndDropsTheConnection(t *testing.T) {
	runOnBoth(t, func(t *testing.T, c upstream.Client) {
		closed := make(chan bool, 1)
		p := serveRaw(t, func(conn net.Conn, r *bufio.Reader) {
			if _, _, ok := readRequest(r); ok {
				_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello")
			}
			awaitClose(r)
			closed <- true
		})
		res, err := c.Do(context.Background(), post(p.url, "{}"))
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		select {
		case <-closed:
		case <-time.After(generous):
			t.Fatal("the connection is still open")
		}
		_, err = res.Body.Read(make([]byte, 1))
		_ = failure(t, err, upstream.PhaseBody)
		require.NoError(t, res.Body.Close())
		assert.Zero(t, res.Body.Buffered())
	})
}

func TestAnOldBodyReadsNothingOfTheNextCall(t *testing.T) {
	runOnBoth(t, func(t *testing.T, c upstream.Client) {
		p := serveRaw(t, answerAlways(okAnswer))
		first, err := c.Do(context.Background(), post(p.url, "{}"))
		require.NoError(t, err)
		_, err = io.ReadAll(first.Body)
		require.NoError(t, err)
		second, err := c.Do(context.Background(), post(p.url, "{}"))
		require.NoError(t, err)
		n, err := first.Body.Read(make([]byte, 10))
		assert.Zero(t, n)
		require.ErrorIs(t, err, io.EOF)
		require.NoError(t, first.Body.Close())
		require.NoError(t, first.Body.Close())
		b, err := io.ReadAll(second.Body)
		require.NoError(t, err)
		assert.Equal(t, "ok", string(b))
		assert.Equal(t, "2", second.Get("content-LENGTH"))
		assert.Empty(t, second.Get("X-None"))
		require.NoError(t, second.Body.Close())
		assert.EqualValues(t, 1, p.conns.Load())
	})
}

func TestTheEmptyLastChunkNeedNotBeReadForReuse(t *testing.T) {
	c := newLean(t, upstream.LeanOptions{})
	p := serveRaw(t, answerAlways(chunks("data: [DONE]\n\n")))
	for range 3 {
		res, err := c.Do(context.Background(), post(p.url, "{}"))
		require.NoError(t, err)
		_, _ = res.Body.Read(make([]byte, 14))
		require.NoError(t, res.Body.Close())
	}
	assert.EqualValues(t, 1, p.conns.Load())
}

func TestACancelAfterTheEndDoesNotHarmTheKeptConnection(t *testing.T) {
	runOnBoth(t, func(t *testing.T, c upstream.Client) {
		p := serveRaw(t, answerAlways(okAnswer))
		for range 20 {
			ctx, cancel := context.WithCancel(context.Background())
			res, err := c.Do(ctx, post(p.url, "{}"))
			require.NoError(t, err)
			_, err = io.ReadAll(res.Body)
			require.NoError(t, err)
			cancel()
			require.NoError(t, res.Body.Close())
		}
		assert.EqualValues(t, 1, p.conns.Load())
	})
}

func TestIdleConnectionsAreClosed(t *testing.T) {
	closed := make(chan bool, 100)
	handle := func(c net.Conn, r *bufio.Reader) {
		answerAlways(okAnswer)(c, r)
		closed <- true
	}
	t.Run("after the idle time", func(t *testing.T) {
		p := serveRaw(t, handle)
		c := newLean(t, upstream.LeanOptions{IdleTimeout: 50 * time.Millisecond})
		for range 2 {
			_, _, err := callAll(c, post(p.url, "{}"))
			require.NoError(t, err)
			select {
			case <-closed:
			case <-time.After(generous):
				t.Fatal("still open")
			}
		}
	})
	t.Run("on Close", func(t *testing.T) {
		p := serveRaw(t, handle)
		c := upstream.NewLean(upstream.LeanOptions{})
		open, err := c.Do(context.Background(), post(p.url, "{}"))
		require.NoError(t, err)
		_, _, err = callAll(c, post(p.url, "{}"))
		require.NoError(t, err)
		require.NoError(t, c.Close())
		<-closed
		_, err = c.Do(context.Background(), post(p.url, "{}"))
		require.ErrorIs(t, err, upstream.ErrClosed)
		b, err := io.ReadAll(open.Body)
		require.NoError(t, err, "an answer under way can be read to its end")
		assert.Equal(t, "ok", string(b))
		<-closed
		require.NoError(t, c.Close())
	})
	t.Run("beyond the number kept", func(t *testing.T) {
		p := serveRaw(t, handle)
		c := newLean(t, upstream.LeanOptions{MaxIdlePerHost: 1})
		var open []*upstream.Response
		for range 3 {
			res, err := c.Do(context.Background(), post(p.url, "{}"))
			require.NoError(t, err)
			open = append(open, res)
		}
		for _, res := range open {
			_, err := io.ReadAll(res.Body)
			require.NoError(t, err)
		}
		<-closed
		<-closed
	})
	t.Run("after the time that the server announces", func(t *testing.T) {
		p := serveRaw(t, answerAlways("HTTP/1.1 200 OK\r\nKeep-Alive: max=5, timeout=1\r\nContent-Length: 0\r\n\r\n"))
		c := newLean(t, upstream.LeanOptions{})
		for range 2 {
			_, _, err := callAll(c, post(p.url, "{}"))
			require.NoError(t, err)
			time.Sleep(600 * time.Millisecond) // a second less one for the way, at least a half
		}
		assert.EqualValues(t, 2, p.conns.Load())
	})
}
