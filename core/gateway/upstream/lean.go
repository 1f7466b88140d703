package upstream

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"runtime"
	"time"
)

// LeanOptions configures a Lean client. The zero value is ready for use.
type LeanOptions struct {
	// TLS is the base of every TLS configuration; nil means the defaults of crypto/tls, with certificates verified against
	// the roots of the system. The minimum version is raised to TLS 1.2, the protocol is always http/1.1, and ServerName is
	// the URL's host unless it is set here, for all hosts.
	TLS *tls.Config
	// MaxIdlePerHost is the number of idle connections kept per scheme, host and port; 0 means 1024.
	MaxIdlePerHost int
	// IdleTimeout is how long a connection may be idle; 0 means 90 s, the value of net/http. A shorter time that the
	// server announces in Keep-Alive takes precedence.
	IdleTimeout time.Duration
	// MaxHeadBytes limits the head of an answer, including interim answers, in bytes; 0 means 64 KiB. Providers send 1 to 4 KB.
	MaxHeadBytes int
	// HeadTimeout is how long a head may take from its first byte to its last; 0 means 30 s.
	HeadTimeout time.Duration
	// Dial opens connections; nil means a net.Dialer. A connection that does not implement syscall.Conn is used for one call only.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Lean is the HTTP/1.1 client that runs in its caller's goroutine.
type Lean struct {
	opts LeanOptions
	tls  *tls.Config
	pool pool
}

var _ Client = (*Lean)(nil)

// NewLean returns a client. Close it to release its connections.
func NewLean(o LeanOptions) *Lean {
	if o.MaxIdlePerHost <= 0 {
		o.MaxIdlePerHost = 1024
	}
	if o.IdleTimeout <= 0 {
		o.IdleTimeout = 90 * time.Second
	}
	if o.MaxHeadBytes <= 0 {
		o.MaxHeadBytes = 64 << 10
	}
	if o.HeadTimeout <= 0 {
		o.HeadTimeout = 30 * time.Second
	}
	if o.Dial == nil {
		o.Dial = (&net.Dialer{}).DialContext
	}
	return &Lean{
		opts: o,
		tls:  buildTLS(o.TLS, "http/1.1"),
		pool: pool{perPeer: o.MaxIdlePerHost, limit: o.IdleTimeout, peers: make(map[peerKey]*peer)},
	}
}

// Close closes idle connections and refuses further calls.
func (l *Lean) Close() error {
	l.pool.close()
	return nil
}

// Do sends the request. It sends it a second time, on a new connection, only when a kept connection took no byte of it.
func (l *Lean) Do(ctx context.Context, req *Request) (*Response, error) {
	if err := checkRequest(req); err != nil {
		return nil, &Error{Unsent: true, Err: err}
	}
	if ctx.Err() != nil {
		e := convertContextError(ctx, 0)
		e.Unsent = true
		return nil, e
	}
	p, c, err := l.findPeer(req.URL)
	if err != nil {
		return nil, &Error{Unsent: true, Err: err}
	}
	buf := writeBuffers.Get().(*[]byte)
	defer putWriteBuffer(buf)
	if *buf, err = appendHead((*buf)[:0], req, p.host); err != nil {
		if c != nil {
			c.drop() // rare enough
		}
		return nil, &Error{Unsent: true, Err: err}
	}
	head := len(*buf)
	now := readClock()
	end := req.Timeouts.computeDeadline(now)
	if c = l.pool.findUsable(p, c, now); c != nil {
		a, e := l.call(ctx, c, req, buf, now, end)
		if e == nil {
			return &a.Response, nil
		}
		if !e.Unsent || e.Timeout || ctx.Err() != nil {
			return nil, e
		}
		*buf = (*buf)[:head]
	}
	if c, err = l.dial(ctx, p, measureTimeLeft(end, req.Timeouts.Connect)); err != nil {
		return nil, err
	}
	a, e := l.call(ctx, c, req, buf, readClock(), end)
	if e != nil {
		return nil, e
	}
	return &a.Response, nil
}

// call carries one request over a connection that it owns from now on. end is the deadline of the call.
func (l *Lean) call(ctx context.Context, c *conn, req *Request, buf *[]byte, now, end time.Time) (*answer, *Error) {
	stop := c.watch(ctx)
	c.setEnd(end)
	n, early, err := c.send(buf, req.Body, req.Timeouts.chooseWriteTimeout(), now)
	broken := err != nil
	if broken && !early && (n == 0 || isTimeout(err)) {
		return nil, c.giveUp(ctx, stop, PhaseWrite, n == 0, err)
	}
	wait := headTimeouts{head: l.opts.HeadTimeout}
	if broken {
		// The provider closed or answered before it had read everything. Its answer, if any, has arrived or is about
		// to.
		wait.from, wait.first = readClock(), earlyRead
	} else if req.Timeouts.FirstByte > 0 {
		wait.from, wait.first = readClock(), req.Timeouts.FirstByte
	}
	// Let other goroutines run first. A fast upstream has answered by then, and the first read finds the answer: a busy
	// gateway saves a system call that finds nothing, and the wait.
	runtime.Gosched()
	a, phase, rerr := c.receive(req, wait, l.opts.MaxHeadBytes)
	if rerr != nil {
		if broken && (!early || c.aborted.Load()) && !errors.Is(rerr, ErrMalformed) {
			phase, rerr = PhaseWrite, err // no answer arrived, so the failed write is the error
		}
		return nil, c.giveUp(ctx, stop, phase, false, rerr)
	}
	b := &a.body
	b.conn, b.lean, b.ctx, b.stop = c, l, ctx, stop
	b.idle, b.once = req.Timeouts.Idle, broken
	b.start()
	return a, nil
}

// earlyRead is how long an answer may still take after the provider has stopped reading the request.
const earlyRead = time.Second

// giveUp drops the connection and returns the error.
func (c *conn) giveUp(ctx context.Context, stop func() bool, phase Phase, unsent bool, err error) *Error {
	if stop != nil {
		stop()
	}
	c.drop()
	var e *Error
	switch {
	case ctx.Err() != nil || c.aborted.Load():
		e = convertContextError(ctx, phase)
	case isTimeout(err):
		e = &Error{Phase: phase, Timeout: true, Err: c.findTimeoutCause()}
	default:
		e = &Error{Phase: phase, Err: err}
	}
	e.Unsent = unsent
	return e
}
