package upstream_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// generous is far longer than any step of these tests takes, so that a hang fails the test and a slow machine does not.
const generous = 30 * time.Second

// provider is a server that sends exactly what a test scripts.
type provider struct {
	url   *url.URL
	conns atomic.Int64 // connections accepted
	mu    sync.Mutex
	open  map[net.Conn]bool
	wg    sync.WaitGroup
}

// serveRaw runs handle for each connection and closes it afterwards.
func serveRaw(t testing.TB, handle func(c net.Conn, r *bufio.Reader)) *provider {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	return serveOn(t, ln, "http", handle)
}

func serveOn(t testing.TB, ln net.Listener, scheme string, handle func(c net.Conn, r *bufio.Reader)) *provider {
	t.Helper()
	p := &provider{url: &url.URL{Scheme: scheme, Host: ln.Addr().String(), Path: "/v1/chat/completions"}, open: map[net.Conn]bool{}}
	p.wg.Add(1)
	go func() {
		defer p.wg.Done()
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			p.conns.Add(1)
			p.mu.Lock()
			p.open[c] = true
			p.mu.Unlock()
			p.wg.Add(1)
			go func() {
				defer p.wg.Done()
				handle(c, bufio.NewReader(c))
				_ = c.Close()
			}()
		}
	}()
	t.Cleanup(func() {
		_ = ln.Close()
		p.mu.Lock()
		for c := range p.open {
			_ = c.Close()
		}
		p.mu.Unlock()
		p.wg.Wait()
	})
	return p
}

// readRequest reads one request with its body; false at the end of the connection.
func readRequest(r *bufio.Reader) (*http.Request, []byte, bool) {
	req, err := http.ReadRequest(r)
	if err != nil {
		return nil, nil, false
	}
	b, err := io.ReadAll(req.Body)
	return req, b, err == nil
}

// answerAlways answers every request with the same bytes, on connections that stay open.
func answerAlways(answer string) func(net.Conn, *bufio.Reader) {
	return func(c net.Conn, r *bufio.Reader) {
		for {
			if _, _, ok := readRequest(r); !ok {
				return
			}
			if _, err := io.WriteString(c, answer); err != nil {
				return
			}
		}
	}
}

// answerOnce answers the first request and closes.
func answerOnce(answer string) func(net.Conn, *bufio.Reader) {
	return func(c net.Conn, r *bufio.Reader) {
		if _, _, ok := readRequest(r); ok {
			_, _ = io.WriteString(c, answer)
		}
	}
}

// awaitClose waits until the peer has closed the connection.
func awaitClose(r *bufio.Reader) { _, _ = io.Copy(io.Discard, r) }

func newLean(t testing.TB, o upstream.LeanOptions) *upstream.Lean {
	t.Helper()
	l := upstream.NewLean(o)
	t.Cleanup(func() { assert.NoError(t, l.Close()) })
	return l
}

func newTransport(t testing.TB, o upstream.TransportOptions) *upstream.Transport {
	t.Helper()
	c, err := upstream.NewTransport(o)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	return c
}

// runOnBoth runs a test against both transports.
func runOnBoth(t *testing.T, f func(t *testing.T, c upstream.Client)) {
	t.Helper()
	t.Run("lean", func(t *testing.T) { f(t, newLean(t, upstream.LeanOptions{})) })
	t.Run("transport", func(t *testing.T) { f(t, newTransport(t, upstream.TransportOptions{})) })
}

func post(u *url.URL, body string) *upstream.Request {
	return &upstream.Request{
		Method: "POST",
		URL:    u,
		Header: []upstream.Field{{Name: "Content-Type", Value: "application/json"}},
		Body:   []byte(body),
	}
}

// callAll sends a request and reads the whole answer.
func callAll(c upstream.Client, req *upstream.Request) (*upstream.Response, string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), generous)
	defer cancel()
	res, err := c.Do(ctx, req)
	if err != nil {
		return nil, "", err
	}
	b, err := io.ReadAll(res.Body)
	return res, string(b), errors.Join(err, res.Body.Close())
}

// failure asserts that err is an *Error of the phase and returns it.
func failure(t testing.TB, err error, phase upstream.Phase) *upstream.Error {
	t.Helper()
	var e *upstream.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, phase.String(), e.Phase.String(), "%v", err)
	return e
}

// checkGoroutines asserts that the number of goroutines returns to its previous value.
func checkGoroutines(t testing.TB, before int) {
	t.Helper()
	looking := 1 // Eventually runs its condition in a separate goroutine
	if !assert.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+looking }, generous, 5*time.Millisecond) {
		buf := make([]byte, 64<<10)
		t.Fatalf("leaked goroutines:\n%s", buf[:runtime.Stack(buf, true)])
	}
}

func chunks(parts ...string) string {
	var b strings.Builder
	b.WriteString("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
	for _, p := range parts {
		b.WriteString(strings.ToUpper(hex(len(p))) + "\r\n" + p + "\r\n")
	}
	return b.String() + "0\r\n\r\n"
}

func hex(n int) string {
	const digits = "0123456789abcdef"
	if n < 16 {
		return digits[n : n+1]
	}
	return hex(n/16) + digits[n%16:n%16+1]
}
