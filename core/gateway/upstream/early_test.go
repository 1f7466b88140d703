package upstream_test

import (
	"bufio"
	"bytes"
	"context"
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

func TestAnAnswerBeforeTheRequestHasBeenWrittenIsRead(t *testing.T) {
	handlers := map[string]func(c net.Conn, r *bufio.Reader, over <-chan struct{}){
		"and the provider stops reading": func(c net.Conn, r *bufio.Reader, over <-chan struct{}) {
			_, _ = r.ReadByte()
			_, _ = io.WriteString(c, tooLong)
			<-over
		},
		"and the provider closes": func(c net.Conn, r *bufio.Reader, _ <-chan struct{}) {
			_, _ = r.ReadByte()
			_, _ = io.WriteString(c, tooLong)
			time.Sleep(50 * time.Millisecond)
		},
		"after an interim answer": func(c net.Conn, r *bufio.Reader, over <-chan struct{}) {
			_, _ = r.ReadByte()
			_, _ = io.WriteString(c, "HTTP/1.1 100 Continue\r\n\r\n")
			time.Sleep(300 * time.Millisecond)
			_, _ = io.WriteString(c, tooLong)
			<-over
		},
		"byte by byte": func(c net.Conn, r *bufio.Reader, over <-chan struct{}) {
			_, _ = r.ReadByte()
			time.Sleep(250 * time.Millisecond)
			for i := range len(tooLong) {
				_, _ = io.WriteString(c, tooLong[i:i+1])
				time.Sleep(time.Millisecond)
			}
			<-over
		},
	}
	for name, handle := range handlers {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, c upstream.Client) {
				before := runtime.NumGoroutine()
				over := make(chan struct{})
				p := serveRaw(t, func(conn net.Conn, r *bufio.Reader) { handle(conn, r, over) })
				req := post(p.url, strings.Repeat("x", 32<<20))
				res, body, err := callAll(c, req)
				require.NoError(t, err)
				assert.Equal(t, 413, res.Status)
				assert.JSONEq(t, `{"e":413}`, body)
				close(over)
				settled(t, before+1) // the one that accepts
			})
		})
	}
}

func TestAProviderThatClosesWithoutAnAnswerEndsTheWrite(t *testing.T) {
	both(t, func(t *testing.T, c upstream.Client) {
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
			c := newLean(t, upstream.LeanOptions{})
			p := serveRaw(t, func(conn net.Conn, r *bufio.Reader) {
				for i := 0; ; i++ {
					b, err := r.Peek(4)
					if err != nil || string(b) != "POST" {
						return
					}
					if i == 0 {
						_, _ = io.WriteString(conn, interim)
						time.Sleep(500 * time.Millisecond)
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
	both(t, func(t *testing.T, c upstream.Client) {
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
		time.Sleep(50 * time.Millisecond)
		require.NoError(t, res.Body.Close())
		assert.False(t, <-foreign, "bytes written after Do had returned were sent")
	})
}
