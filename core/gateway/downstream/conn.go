package downstream

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// conn is a connection whose requests are served by this package. It holds no buffer while it waits for a request.
type conn struct {
	s       *Server
	cl      *client
	session *tls.Conn       // nil for plain TCP
	silent  atomic.Int64    // what cl had received when the session began; see awaitsFirst
	base    *http.Request   // shared by all requests of the connection
	life    *requestContext // of the current request
	res     response

	handedOver bool // net/http has the connection; cl stays, because a shutdown may be looking at it

	buf  *[]byte // bytes read and not yet consumed; nil if there are none
	r, w int     // bounds of the unconsumed bytes in buf

	head   head
	fields http.Header // of the current request
	size   int         // of the current request's head
	target string      // of the previous request
	url    *url.URL    // target, parsed

	watchedSince atomic.Int64 // the tick since which nothing watches for a hang-up; see hangupWatcher
	unwatched    chan struct{}
	early        [1]byte // a byte read while watching for a hang-up
	hasEarly     bool    // early holds a byte
}

func newConn(s *Server, cl *client) *conn {
	k := &conn{s: s, cl: cl, unwatched: make(chan struct{}, 1), fields: make(http.Header)}
	// These values are the ones net/http sets, so that a handler cannot tell which loop serves it.
	ctx := WithHangup(s.ctx, cl.hangup)
	k.base = (&http.Request{
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, RemoteAddr: cl.RemoteAddr().String(), Header: k.fields,
	}).WithContext(withLocal(ctx, cl.LocalAddr()))
	k.res.k, k.res.header = k, make(http.Header)
	k.silent.Store(noSession)
	return k
}

// serve serves the connection until it ends or is handed to net/http.
func (k *conn) serve() {
	defer k.s.running.Add(-1)
	k.cl.plain.Store(k)
	defer k.close()
	if !k.handshake() {
		return
	}
	switch {
	case k.speaksHTTP2():
		k.handOverHTTP2()
		return
	case k.s.o.NetHTTP:
		k.handOver()
		return
	}
	for first := true; ; first = false {
		if !first {
			k.cl.recordWait(forRequest)
			k.cl.hangup.ResetBodyTimeout()
		}
		n, plain := k.readHead(first)
		switch {
		case n == 0 && plain:
			return
		case !plain:
			k.handOver()
			return
		}
		k.cl.recordWait(forNothing)
		if !k.serveExchange() || k.s.closing.Load() {
			return
		}
	}
}

// close closes the connection, unless it was handed over, and logs a panic.
func (k *conn) close() {
	v := recover()
	if v != nil && v != http.ErrAbortHandler { // it is passed on by identity
		k.s.o.Log.Printf("panic serving a client: a value of type %T\n%s", v, debug.Stack())
	}
	if b := k.res.body; b != nil {
		b.end()
	}
	if k.life != nil {
		k.unwatchHangup()
		k.life.end()
	}
	k.releaseBuffer()
	k.res.free()
	if !k.handedOver {
		k.cl.plain.Store(nil)
		k.closeConn()
	}
}

// handOver passes the connection to net/http, with the unconsumed bytes.
func (k *conn) handOver() {
	cl, nc := k.cl, net.Conn(nil)
	if k.session != nil {
		nc = k.newSecureConn()
	} else {
		cl.ahead = k.detachBuffer()
		nc = &strictConn{Conn: cl}
	}
	cl.plain.Store(nil)
	k.handedOver = true
	k.s.handoff.deliver(nc)
}

// detachBuffer gives away the buffer with the unconsumed bytes.
func (k *conn) detachBuffer() (a readAhead) {
	if k.w > k.r {
		a = readAhead{buf: k.buf, left: (*k.buf)[k.r:k.w]}
		k.buf, k.r, k.w = nil, 0, 0
	}
	return a
}

// serveExchange serves the request whose head was read, and reports whether another may follow.
func (k *conn) serveExchange() bool {
	req := k.buildRequest()
	k.s.o.Handler.ServeHTTP(&k.res, req)
	again := k.res.finish()
	k.unwatchHangup()
	k.life.end()
	k.life = nil
	if k.size > maxKept {
		k.clearHead()
	}
	return again
}

// hangUp ends the current request because the client has hung up.
func (k *conn) hangUp() {
	k.cl.hangup.Signal()
	if l := k.life; l != nil {
		l.end()
	}
}

// linger gives the client time to read an answer to a request that was not read to its end: closing at once would reset
// the connection and lose the answer. The delay is that of net/http.
func (k *conn) linger() {
	if k.session != nil {
		_ = k.session.CloseWrite() // the client may have gone
	}
	if t, ok := k.cl.Conn.(*net.TCPConn); ok && t.CloseWrite() == nil {
		time.Sleep(500 * time.Millisecond)
	}
}
