package upstream_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// drip answers with n bytes, one at a time, with pauses.
func drip(n int) func(net.Conn, *bufio.Reader) {
	return func(conn net.Conn, r *bufio.Reader) {
		for {
			if _, _, ok := readRequest(r); !ok {
				return
			}
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
			pace := time.NewTicker(10 * time.Millisecond)
			for range n {
				<-pace.C
				if _, err := io.WriteString(conn, "1\r\nx\r\n"); err != nil {
					break
				}
			}
			pace.Stop()
			_, _ = io.WriteString(conn, "0\r\n\r\n")
		}
	}
}

func TestAnAnswerThatDripsEndsWithTheTotalTime(t *testing.T) {
	runOnBoth(t, func(t *testing.T, c upstream.Client) {
		p := serveRaw(t, drip(1000))
		for _, limits := range []upstream.Timeouts{
			{Total: 100 * time.Millisecond},
			{FirstByte: generous, Idle: generous, Total: 100 * time.Millisecond},
			{FirstByte: generous, Idle: 60 * time.Millisecond, Total: 100 * time.Millisecond},
		} {
			req := post(p.url, "{}")
			req.Timeouts = limits
			_, body, err := callAll(c, req)
			require.ErrorIs(t, err, upstream.ErrTotal)
			require.ErrorIs(t, err, os.ErrDeadlineExceeded)
			assert.True(t, failure(t, err, upstream.PhaseBody).Timeout)
			assert.Less(t, len(body), 1000)
		}
	})
}

func TestTheTotalTimeCoversEachPhase(t *testing.T) {
	const short = 50 * time.Millisecond
	for name, s := range stalls() {
		t.Run(name, func(t *testing.T) {
			runOnBoth(t, func(t *testing.T, c upstream.Client) {
				reached, over := make(chan int, 10), make(chan struct{})
				defer close(over)
				p := serveRaw(t, s.handle(reached, over))
				u := *p.url
				u.Scheme = s.scheme
				body := make([]byte, s.body)
				req := post(&u, string(body))
				req.Timeouts = upstream.Timeouts{Connect: generous, FirstByte: generous, Idle: generous, Total: short}
				ctx, cancel := context.WithTimeout(context.Background(), generous)
				defer cancel()
				err := stuck(ctx, c, req)
				require.ErrorIs(t, err, os.ErrDeadlineExceeded)
				require.NotErrorIs(t, err, context.DeadlineExceeded)
			})
		})
	}
}

func TestTheTotalTimeOfACallIsItsOwn(t *testing.T) {
	runOnBoth(t, func(t *testing.T, c upstream.Client) {
		p := serveRaw(t, drip(20))
		req := post(p.url, "{}")
		req.Timeouts = upstream.Timeouts{Total: 3 * time.Second} // 15 times what a call takes: the machine may be busy
		for i := range 17 {                                      // of 0.2 s each, on one connection
			if i == 16 {
				req.Timeouts = upstream.Timeouts{} // no limit is left behind
			}
			_, body, err := callAll(c, req)
			require.NoError(t, err)
			assert.Len(t, body, 20)
		}
		assert.EqualValues(t, 1, p.conns.Load())
	})
}
