package upstream_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

const tooLong = "HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 9\r\n\r\n{\"e\":413}"

// earlyExchange is what a provider that answers early knows about its client.
type earlyExchange struct {
	t        *testing.T
	client   *reads
	lean     bool
	answered chan struct{} // closed when Do has returned
	over     chan struct{} // closed when the client has read the whole answer
}

func TestAnAnswerBeforeTheRequestHasBeenWrittenIsRead(t *testing.T) {
	handlers := map[string]func(c net.Conn, r *bufio.Reader, e *earlyExchange){
		"and the provider stops reading": func(c net.Conn, r *bufio.Reader, e *earlyExchange) {
			_, _ = r.ReadByte()
			_, _ = io.WriteString(c, tooLong)
			<-e.over
		},
		"and the provider closes": func(c net.Conn, r *bufio.Reader, e *earlyExchange) {
			_, _ = r.ReadByte()
			_, _ = io.WriteString(c, tooLong)
			if !e.lean {
				<-e.answered // net/http must have read the answer before the reset; Lean finds it after one
			}
		},
		"after an interim answer": func(c net.Conn, r *bufio.Reader, e *earlyExchange) {
			_, _ = r.ReadByte()
			n, _ := io.WriteString(c, "HTTP/1.1 100 Continue\r\n\r\n")
			e.client.awaitRead(e.t, n)
			_, _ = io.WriteString(c, tooLong)
			<-e.over
		},
		"byte by byte": func(c net.Conn, r *bufio.Reader, e *earlyExchange) {
			_, _ = r.ReadByte()
			for i := range len(tooLong) {
				e.client.awaitRead(e.t, i)
				_, _ = io.WriteString(c, tooLong[i:i+1])
			}
			<-e.over
		},
	}
	for name, handle := range handlers {
		t.Run(name, func(t *testing.T) {
			bothFollowed(t, nil, func(t *testing.T, c upstream.Client, client *reads) {
				before := runtime.NumGoroutine()
				_, lean := c.(*upstream.Lean)
				e := &earlyExchange{t: t, client: client, lean: lean, answered: make(chan struct{}), over: make(chan struct{})}
				p := serveRaw(t, func(conn net.Conn, r *bufio.Reader) { handle(conn, r, e) })
				ctx, cancel := context.WithTimeout(context.Background(), generous)
				defer cancel()
				res, err := c.Do(ctx, post(p.url, strings.Repeat("x", 32<<20)))
				require.NoError(t, err)
				close(e.answered)
				body, err := io.ReadAll(res.Body)
				require.NoError(t, errors.Join(err, res.Body.Close()))
				assert.Equal(t, 413, res.Status)
				assert.JSONEq(t, `{"e":413}`, string(body))
				close(e.over)
				checkGoroutines(t, before+1) // the goroutine that accepts
			})
		})
	}
}

func TestAProviderThatClosesWithoutAnAnswerEndsTheWrite(t *testing.T) {
	runOnBoth(t, func(t *testing.T, c upstream.Client) {
		p := serveRaw(t, func(_ net.Conn, r *bufio.Reader) { _, _ = r.ReadByte() })
		_, _, err := callAll(c, post(p.url, strings.Repeat("x", 32<<20)))
		var e *upstream.Error
		require.ErrorAs(t, err, &e)
		assert.False(t, e.Timeout)
		assert.False(t, e.Unsent)
		assert.Contains(t, []upstream.Phase{upstream.PhaseWrite, upstream.PhaseFirstByte}, e.Phase)
	})
}

func TestASlowReaderGetsTheWholeRequest(t *testing.T) {
	const size = 16 << 20
	for name, interim := range map[string]string{"in silence": "", "after an interim answer": "HTTP/1.1 100 Continue\r\n\r\n", "after beginning its answer": "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n"} {
		t.Run(name, func(t *testing.T) {
			c, client := followedLean(t, nil)
			p := serveRaw(t, func(conn net.Conn, r *bufio.Reader) {
				for i := 0; ; i++ {
					b, err := r.Peek(4)
					if err != nil || string(b) != "POST" {
						return
					}
					if i == 0 {
						client.awaitRead(t, 0) // the client listens for an early answer
						_, _ = io.WriteString(conn, interim)
						client.awaitBytes(t, len(interim))
					}
					_, body, ok := readRequest(r)
					if !ok || len(body) != size {
						return
					}
					if i > 0 || !strings.Contains(interim, "200") {
						_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n")
					}
					_, _ = io.WriteString(conn, "complete")
				}
			})
			for range 2 {
				req := post(p.url, strings.Repeat("x", size))
				req.Timeouts = upstream.Timeouts{FirstByte: generous, Idle: generous}
				_, body, err := callAll(c, req)
				require.NoError(t, err)
				assert.Equal(t, "complete", body)
			}
			assert.EqualValues(t, 1, p.conns.Load())
		})
	}
}

func TestTheRequestsBodyIsTheCallersAgainWhenDoReturns(t *testing.T) {
	const size = 16 << 20
	runOnBoth(t, func(t *testing.T, c upstream.Client) {
		foreign := make(chan bool, 1)
		returned := make(chan struct{})
		p := serveRaw(t, func(conn net.Conn, r *bufio.Reader) {
			_, _ = r.Peek(1)
			_, _ = io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\nContent-Length: 100\r\n\r\n")
			<-returned
			b, _ := io.ReadAll(r)
			foreign <- bytes.Contains(b, []byte("yyyy"))
		})
		req := post(p.url, strings.Repeat("x", size))
		ctx, cancel := context.WithTimeout(context.Background(), generous)
		defer cancel()
		res, err := c.Do(ctx, req)
		require.NoError(t, err)
		copy(req.Body, strings.Repeat("y", size))
		close(returned)
		// Only bytes that arrive would reveal a write that continued.
		time.Sleep(50 * time.Millisecond)
		require.NoError(t, res.Body.Close())
		assert.False(t, <-foreign, "bytes written after Do had returned were sent")
	})
}
