package upstream_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// stall is a provider that stalls in one phase, and reports when it has got there and how many bytes it has sent.
type stall struct {
	phase  upstream.Phase
	scheme string
	body   int
	handle func(reached chan<- int, over <-chan struct{}) func(net.Conn, *bufio.Reader)
}

func stalls() map[string]stall {
	say := func(text string) func(reached chan<- int, over <-chan struct{}) func(net.Conn, *bufio.Reader) {
		return func(reached chan<- int, over <-chan struct{}) func(net.Conn, *bufio.Reader) {
			return func(c net.Conn, r *bufio.Reader) {
				if _, _, ok := readRequest(r); !ok {
					return
				}
				_, _ = io.WriteString(c, text)
				reached <- len(text)
				awaitClose(r)
			}
		}
	}
	return map[string]stall{
		"in the TLS handshake": {
			upstream.PhaseHandshake,
			"https",
			2,
			func(reached chan<- int, over <-chan struct{}) func(net.Conn, *bufio.Reader) {
				return func(_ net.Conn, r *bufio.Reader) {
					_, _ = r.ReadByte()
					reached <- 0
					awaitClose(r)
				}
			},
		},
		"while the request is written": {
			upstream.PhaseWrite,
			"http",
			64 << 20,
			func(reached chan<- int, over <-chan struct{}) func(net.Conn, *bufio.Reader) {
				return func(_ net.Conn, r *bufio.Reader) {
					_, _ = r.ReadByte()
					reached <- 0
					<-over // open, and not reading
				}
			},
		},
		"before the first byte":   {upstream.PhaseFirstByte, "http", 2, say("")},
		"after an interim answer": {upstream.PhaseFirstByte, "http", 2, say("HTTP/1.1 102 Processing\r\n\r\n")},
		"within the head":         {upstream.PhaseHead, "http", 2, say("HTTP/1.1 200 OK\r\nConte")},
		"within a length":         {upstream.PhaseBody, "http", 2, say("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello")},
		"within a long length":    {upstream.PhaseBody, "http", 2, say("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nhello")},
		"between two chunks":      {upstream.PhaseBody, "http", 2, say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")},
		"within an endless one":   {upstream.PhaseBody, "http", 2, say("HTTP/1.1 200 OK\r\n\r\nhello")},
	}
}

// stuck sends a request to a provider that stalls and returns the error that ends it.
func stuck(ctx context.Context, c upstream.Client, req *upstream.Request) error {
	res, err := c.Do(ctx, req)
	if err != nil {
		return err
	}
	_, err = io.ReadAll(res.Body)
	return errors.Join(err, res.Body.Close())
}

func TestTheCallersLeavingEndsTheCallInEveryPhase(t *testing.T) {
	for name, s := range stalls() {
		t.Run(name, func(t *testing.T) {
			bothFollowed(t, nil, func(t *testing.T, c upstream.Client, client *reads) {
				reached, over := make(chan int, 10), make(chan struct{})
				p := serveRaw(t, s.handle(reached, over))
				before := runtime.NumGoroutine()
				ctx, cancel := context.WithCancelCause(context.Background())
				u := *p.url
				u.Scheme = s.scheme
				req := post(&u, strings.Repeat("x", s.body))
				done := make(chan error, 1)
				go func() { done <- stuck(ctx, c, req) }()
				client.awaitRead(t, <-reached) // waiting for the answer, or for an early one
				why := errors.New("client hung up")
				cancel(why)
				select {
				case err := <-done:
					require.ErrorIs(t, err, context.Canceled)
					if _, lean := c.(*upstream.Lean); lean {
						require.ErrorIs(t, err, why)
					}
					e := failure(t, err, s.phase)
					assert.False(t, e.Timeout)
					assert.Equal(t, s.phase < upstream.PhaseWrite, e.Unsent)
				case <-time.After(generous):
					t.Fatal("the call goes on")
				}
				close(over)
				checkGoroutines(t, before)
			})
		})
	}
}

func TestEachPhaseHasItsTimeout(t *testing.T) {
	const short = 50 * time.Millisecond
	for name, s := range stalls() {
		t.Run(name, func(t *testing.T) {
			limits := map[upstream.Phase]upstream.Timeouts{
				upstream.PhaseHandshake: {Connect: short},
				upstream.PhaseWrite:     {Idle: 700 * time.Millisecond}, // longer than earlyAfter
				upstream.PhaseFirstByte: {FirstByte: short, Idle: generous},
				upstream.PhaseHead:      {},
				upstream.PhaseBody:      {FirstByte: generous, Idle: short},
			}[s.phase]
			run := func(t *testing.T, c upstream.Client) {
				reached, over := make(chan int, 10), make(chan struct{})
				p := serveRaw(t, s.handle(reached, over))
				before := runtime.NumGoroutine()
				u := *p.url
				u.Scheme = s.scheme
				req := post(&u, strings.Repeat("x", s.body))
				req.Timeouts = limits
				ctx, cancel := context.WithTimeout(context.Background(), generous)
				defer cancel()
				err := stuck(ctx, c, req)
				require.ErrorIs(t, err, os.ErrDeadlineExceeded)
				require.NotErrorIs(t, err, context.DeadlineExceeded)
				e := failure(t, err, s.phase)
				assert.True(t, e.Timeout)
				close(over)
				checkGoroutines(t, before)
			}
			t.Run("lean", func(t *testing.T) { run(t, newLean(t, upstream.LeanOptions{HeadTimeout: short})) })
			t.Run("transport", func(t *testing.T) {
				if name == "after an interim answer" {
					limits.FirstByte = 10 * short // the interim answer must be there first
				}
				run(t, newTransport(t, upstream.TransportOptions{HeadTimeout: short}))
			})
		})
	}
}

func TestTheDeadlineOfTheContextIsATimeout(t *testing.T) {
	runOnBoth(t, func(t *testing.T, c upstream.Client) {
		p := serveRaw(t, func(_ net.Conn, r *bufio.Reader) { awaitClose(r) })
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
		defer cancel()
		err := stuck(ctx, c, post(p.url, "{}"))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.True(t, failure(t, err, upstream.PhaseFirstByte).Timeout)
	})
}

func TestACallWithAnEndedContextSendsNothing(t *testing.T) {
	runOnBoth(t, func(t *testing.T, c upstream.Client) {
		p := serveRaw(t, answerAlways("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err := c.Do(ctx, post(p.url, "{}"))
		require.ErrorIs(t, err, context.Canceled)
		assert.True(t, failure(t, err, 0).Unsent)
		assert.Zero(t, p.conns.Load())
	})
}

func TestAnIdleLimitAllowsAnAnswerThatIsSlowButSteady(t *testing.T) {
	runOnBoth(t, func(t *testing.T, c upstream.Client) {
		p := serveRaw(t, func(conn net.Conn, r *bufio.Reader) {
			if _, _, ok := readRequest(r); !ok {
				return
			}
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 160\r\n\r\n")
			pace := time.NewTicker(20 * time.Millisecond)
			defer pace.Stop()
			for range 160 {
				<-pace.C
				_, _ = io.WriteString(conn, "x")
			}
		})
		req := post(p.url, "{}")
		req.Timeouts.Idle = 3 * time.Second // shorter than the whole, 150 times the gap: the machine may be busy
		_, body, err := callAll(c, req)
		require.NoError(t, err)
		assert.Equal(t, strings.Repeat("x", 160), body)
	})
}

func TestARefusedConnectionIsAnErrorOfTheDial(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	u := &url.URL{Scheme: "http", Host: ln.Addr().String()}
	require.NoError(t, ln.Close())
	runOnBoth(t, func(t *testing.T, c upstream.Client) {
		_, _, err := callAll(c, post(u, "{}"))
		e := failure(t, err, upstream.PhaseDial)
		assert.True(t, e.Unsent)
		assert.False(t, e.Timeout)
	})
}

func TestADialThatHangsEndsWithItsCallOrItsLimit(t *testing.T) {
	c := newLean(t, upstream.LeanOptions{Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	u := &url.URL{Scheme: "http", Host: "provider.test"}
	req := post(u, "{}")
	req.Timeouts.Connect = 20 * time.Millisecond
	_, err := c.Do(context.Background(), req)
	assert.True(t, failure(t, err, upstream.PhaseDial).Timeout)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)

	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err = c.Do(ctx, post(u, "{}"))
	require.ErrorIs(t, err, context.Canceled)
	assert.False(t, failure(t, err, upstream.PhaseDial).Timeout)
}

func TestAHeadThatDripsEndsAtItsLimit(t *testing.T) {
	run := func(t *testing.T, c upstream.Client) {
		p := serveRaw(t, func(conn net.Conn, r *bufio.Reader) {
			if _, _, ok := readRequest(r); !ok {
				return
			}
			pace := time.NewTicker(5 * time.Millisecond) // each byte is far within the limit, all of them are far beyond it
			defer pace.Stop()
			for _, b := range []byte("HTTP/1.1 200 OK\r\nX-Slow: " + strings.Repeat("x", 3000)) {
				if _, err := conn.Write([]byte{b}); err != nil {
					return
				}
				<-pace.C
			}
			awaitClose(r)
		})
		req := post(p.url, "{}")
		req.Timeouts = upstream.Timeouts{FirstByte: generous, Idle: generous}
		_, _, err := callAll(c, req)
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		assert.True(t, failure(t, err, upstream.PhaseHead).Timeout)
	}
	const limit = 300 * time.Millisecond
	t.Run("lean", func(t *testing.T) { run(t, newLean(t, upstream.LeanOptions{HeadTimeout: limit})) })
	t.Run("transport", func(t *testing.T) { run(t, newTransport(t, upstream.TransportOptions{HeadTimeout: limit})) })
}

// watched is a context that counts its watchers.
type watched struct {
	context.Context
	watches int
}

func (w *watched) AfterFunc(func()) (stop func() bool) {
	w.watches++
	return func() bool {
		w.watches--
		return true
	}
}

func TestNobodyWatchesTheCallerAfterTheAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		raw  string
		read bool
	}{
		"read to its end":         {raw: okAnswer, read: true},
		"closed before its end":   {raw: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello"},
		"closed, but all arrived": {raw: okAnswer},
		"broken off":              {raw: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", read: true},
	} {
		t.Run(name, func(t *testing.T) {
			p := serveRaw(t, answerAlways(c.raw))
			ctx, leave := context.WithCancel(context.Background())
			defer leave()
			w := &watched{Context: ctx}
			res, err := newLean(t, upstream.LeanOptions{}).Do(w, post(p.url, "{}"))
			require.NoError(t, err)
			if c.read {
				_, _ = io.ReadAll(res.Body)
			}
			require.NoError(t, res.Body.Close())
			assert.Zero(t, w.watches)
		})
	}
}
