package downstream

import (
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// conn is a connection whose requests are served here. While nothing of a request has come it holds no buffer.
type conn struct {
	s    *Server
	cl   *client
	base *http.Request   // what all requests of the connection have in common
	life *requestContext // of the request that is served
	res  response

	buf  *[]byte // what was read; nil: all of it was taken
	r, w int     // of buf: from where to where it was not taken yet

	head   head
	fields http.Header // of the request that is served
	size   int         // of its head
	target string      // the last one
	url    *url.URL    // that it says

	watchedSince atomic.Int64 // since when the client is not listened to; see ears
	unwatched    chan struct{}
	early        [1]byte // came while the client was listened to
	hasEarly     bool    // early holds a byte
}

func newConn(s *Server, cl *client) *conn {
	k := &conn{s: s, cl: cl, unwatched: make(chan struct{}, 1), fields: make(http.Header)}
	// The headers of net/http's connections are the same, so that a handler cannot tell who serves.
	ctx := WithHangup(s.ctx, cl.hangup)
	k.base = (&http.Request{
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, RemoteAddr: cl.RemoteAddr().String(), Header: k.fields,
	}).WithContext(withLocal(ctx, cl.LocalAddr()))
	k.res.k, k.res.header = k, make(http.Header)
	return k
}

// serve serves the connection until it ends, or gives it to net/http.
func (k *conn) serve() {
	defer k.s.running.Add(-1)
	k.cl.plain.Store(k)
	defer k.close()
	for first := true; ; first = false {
		if !first {
			k.cl.wait(forRequest)
			k.cl.hangup.ResetBody()
		}
		n, plain := k.readHead(first)
		switch {
		case n == 0 && plain:
			return
		case !plain:
			k.handOver()
			return
		}
		k.cl.wait(forNothing)
		if !k.exchange() || k.s.closing.Load() {
			return
		}
	}
}

// close closes the connection, unless it was given away, and tells of a panic.
func (k *conn) close() {
	v := recover()
	if v != nil && v != http.ErrAbortHandler { //nolint:errorlint // it is passed on by identity
		k.s.o.Log.Printf("panic serving a client: a value of type %T\n%s", v, debug.Stack())
	}
	if b := k.res.body; b != nil {
		b.end()
	}
	if k.life != nil {
		k.unwatchHangup()
		k.life.end()
	}
	k.free()
	k.res.free()
	if k.cl != nil {
		k.cl.plain.Store(nil)
		_ = k.cl.Close()
	}
}

// handOver gives the connection to net/http, with what was read of it.
func (k *conn) handOver() {
	cl := k.cl
	if k.w > k.r {
		cl.ahead = readAhead{buf: k.buf, left: (*k.buf)[k.r:k.w]}
		k.buf, k.r, k.w = nil, 0, 0
	}
	cl.plain.Store(nil)
	k.cl = nil
	k.s.handoff.give(cl)
}

// exchange serves the request whose head was read. It reports whether another may follow.
func (k *conn) exchange() bool {
	req := k.request()
	k.s.o.Handler.ServeHTTP(&k.res, req)
	again := k.res.finish()
	k.unwatchHangup()
	k.life.end()
	k.life = nil
	if k.size > mostKept {
		k.forget()
	}
	return again
}

// hangUp is called when the client has left.
func (k *conn) hangUp() {
	k.cl.hangup.Signal()
	if l := k.life; l != nil {
		l.end()
	}
}

// linger has the client read an answer whose request was not read to its end: closed at once, the connection would be
// reset, and the answer lost. The time is net/http's.
func (k *conn) linger() {
	if t, ok := k.cl.Conn.(*net.TCPConn); ok && t.CloseWrite() == nil {
		time.Sleep(500 * time.Millisecond)
	}
}
