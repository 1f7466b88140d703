package upstream_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

const okAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

func TestAConnectionThatItsServerClosedWhileIdleIsNotUsedAgain(t *testing.T) {
	bothFollowed(t, nil, func(t *testing.T, c upstream.Client, client *reads) {
		p := serveRaw(t, func(conn net.Conn, r *bufio.Reader) {
			if _, _, ok := readRequest(r); ok {
				_, _ = io.WriteString(conn, okAnswer)
			}
			_ = conn.Close()
		})
		for range 5 {
			_, body, err := callAll(c, post(p.url, "{}"))
			require.NoError(t, err)
			assert.Equal(t, "ok", body)
			_, lean := c.(*upstream.Lean)
			client.awaitEnd(t, !lean) // Lean checks when it next needs the connection
		}
		assert.EqualValues(t, 5, p.conns.Load())
	})
}

func TestBytesThatNobodyAskedForEndTheConnection(t *testing.T) {
	for name, s := range map[string]stray{
		"with the answer":  {pieces: []string{forgedAnswer}, joined: true},
		"after the answer": {pieces: []string{forgedAnswer}, late: true},
		"a single byte":    {pieces: []string{"\n"}, joined: true},
	} {
		t.Run(name, func(t *testing.T) {
			runOnBoth(t, func(t *testing.T, c upstream.Client) { callBesideStrays(t, c, s, serveRaw) })
		})
	}
}

func TestARequestThatMayHaveArrivedIsNotSentAgain(t *testing.T) {
	runOnBoth(t, func(t *testing.T, c upstream.Client) {
		var requests atomic.Int64
		p := serveRaw(t, func(conn net.Conn, r *bufio.Reader) {
			for i := 0; ; i++ {
				if _, _, ok := readRequest(r); !ok {
					return
				}
				requests.Add(1)
				if i == 1 {
					return // the second request of a connection arrives and is never answered
				}
				_, _ = io.WriteString(conn, okAnswer)
			}
		})
		_, _, err := callAll(c, post(p.url, "{}"))
		require.NoError(t, err)
		req := post(p.url, "{}")
		req.Header = append(req.Header, upstream.Field{Name: "Idempotency-Key", Value: "1"})
		_, _, err = callAll(c, req)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		assert.False(t, failure(t, err, upstream.PhaseFirstByte).Unsent)
		assert.EqualValues(t, 2, requests.Load())
		assert.EqualValues(t, 1, p.conns.Load())
	})
}

// deaf is a connection that accepts a number of bytes, then fails all writes from the second on.
type deaf struct {
	*net.TCPConn
	takes  int
	writes int
}

func (d *deaf) Write(p []byte) (int, error) {
	if d.writes++; d.writes == 1 {
		return d.TCPConn.Write(p)
	}
	n, err := d.TCPConn.Write(p[:d.takes])
	return n, errors.Join(err, syscall.EPIPE)
}

func TestARequestOfWhichAKeptConnectionTookNothingIsSentOnANewOne(t *testing.T) {
	for name, takes := range map[string]int{"nothing": 0, "one byte": 1} {
		t.Run(name, func(t *testing.T) {
			p := serveRaw(t, answerAlways(okAnswer))
			var dials int
			c := newLean(t, upstream.LeanOptions{Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
				if err != nil {
					return nil, err
				}
				if dials++; dials > 1 {
					return conn, nil
				}
				return &deaf{TCPConn: conn.(*net.TCPConn), takes: takes}, nil
			}})
			_, _, err := callAll(c, post(p.url, "{}"))
			require.NoError(t, err)
			req := post(p.url, "{}")
			_, body, err := callAll(c, req)
			if takes > 0 {
				assert.False(t, failure(t, err, upstream.PhaseWrite).Unsent)
				require.ErrorIs(t, err, syscall.EPIPE)
				assert.Equal(t, 1, dials)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, "ok", body)
			assert.Equal(t, 2, dials)
		})
	}
}

func TestALargeBodyIsCopiedBetweenConnectionsWithoutLoss(t *testing.T) {
	runOnBoth(t, func(t *testing.T, c upstream.Client) {
		p := serveRaw(t, func(conn net.Conn, r *bufio.Reader) {
			for {
				_, b, ok := readRequest(r)
				if !ok {
					return
				}
				_, _ = io.WriteString(conn, chunks(string(b[:len(b)/3]), string(b[len(b)/3:])))
			}
		})
		want := strings.Repeat("0123456789", 300_000)
		for range 3 {
			_, body, err := callAll(c, post(p.url, want))
			require.NoError(t, err)
			assert.Equal(t, want, body)
		}
		assert.EqualValues(t, 1, p.conns.Load())
	})
}

func TestARoomIsUsedAgainAndTheTextOfTheAnswerBeforeStays(t *testing.T) {
	runOnBoth(t, func(t *testing.T, c upstream.Client) {
		n := 0
		p := serveRaw(t, func(conn net.Conn, r *bufio.Reader) {
			for {
				if _, _, ok := readRequest(r); !ok {
					return
				}
				n++
				_, _ = io.WriteString(conn, strings.Replace(okAnswer, "\r\n\r\n", "\r\nX-Number: "+strings.Repeat("x", n)+"\r\n\r\n", 1))
			}
		})
		room, seen := new(upstream.Room), []string{}
		for range 3 {
			r := post(p.url, "{}")
			r.Room = room
			res, err := c.Do(t.Context(), r)
			require.NoError(t, err)
			b, err := io.ReadAll(res.Body)
			require.NoError(t, err)
			require.NoError(t, res.Body.Close())
			assert.Equal(t, "ok", string(b))
			seen = append(seen, res.Get("X-Number"))
		}
		assert.Equal(t, []string{"x", "xx", "xxx"}, seen)
	})
}
