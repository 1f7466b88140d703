package upstream_test

import (
	"context"
	"crypto/tls"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// reads records what a client reads from its connections, so that a provider can wait for it.
type reads struct {
	waiting  atomic.Bool // a Read is in progress
	received atomic.Int64
	last     atomic.Pointer[readConn]
}

// readConn is a client connection whose reads are recorded.
type readConn struct {
	*net.TCPConn
	seen   *reads
	closed atomic.Bool
}

func (c *readConn) Close() error {
	c.closed.Store(true)
	return c.TCPConn.Close()
}

func (c *readConn) Read(p []byte) (int, error) {
	c.seen.waiting.Store(true)
	n, err := c.TCPConn.Read(p)
	c.seen.waiting.Store(false) // first, so that the count is never ahead of a Read that seems to wait
	c.seen.received.Add(int64(n))
	return n, err
}

func (r *reads) follow(c net.Conn) net.Conn {
	followed := &readConn{TCPConn: c.(*net.TCPConn), seen: r}
	r.last.Store(followed)
	return followed
}

// awaitEnd waits until the client has received the end of the last connection, which the provider closed, and if
// noticed is set until the client has closed it too.
func (r *reads) awaitEnd(t testing.TB, noticed bool) {
	t.Helper()
	c := r.last.Load()
	assert.Eventually(t, func() bool { return c.closed.Load() || !noticed && !upstream.IsSilent(c.TCPConn) }, generous, time.Millisecond)
}

// awaitRead waits until the client blocks in a Read, with at least n bytes read before.
func (r *reads) awaitRead(t testing.TB, n int) {
	t.Helper()
	assert.Eventually(t, func() bool { return r.received.Load() >= int64(n) && r.waiting.Load() }, generous, time.Millisecond)
}

// awaitBytes waits until the client has read n bytes.
func (r *reads) awaitBytes(t testing.TB, n int) {
	t.Helper()
	assert.Eventually(t, func() bool { return r.received.Load() >= int64(n) }, generous, time.Millisecond)
}

// followedLean returns a Lean client whose reads are recorded.
func followedLean(t testing.TB, c *tls.Config) (upstream.Client, *reads) {
	t.Helper()
	r := new(reads)
	return newLean(t, upstream.LeanOptions{TLS: c, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return r.follow(conn), nil
	}}), r
}

// bothFollowed runs a test against both transports, with their reads recorded.
func bothFollowed(t *testing.T, c *tls.Config, f func(t *testing.T, c upstream.Client, r *reads)) {
	t.Helper()
	t.Run("lean", func(t *testing.T) {
		client, r := followedLean(t, c)
		f(t, client, r)
	})
	t.Run("transport", func(t *testing.T) {
		r, client := new(reads), newTransport(t, upstream.TransportOptions{TLS: c})
		client.WrapConns(r.follow)
		f(t, client, r)
	})
}
