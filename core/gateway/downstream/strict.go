package downstream

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"time"
)

// strictListener accepts the connections of net/http.
type strictListener struct {
	net.Listener
	tls *tls.Config // nil for plain TCP
	s   *Server
}

// Accept waits for the next connection.
func (l strictListener) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if l.tls == nil {
		return &strictConn{Conn: nc}, nil
	}
	t := tls.Server(nc, l.tls)
	return &secureConn{strictConn: strictConn{Conn: t}, session: t, s: l.s}, nil
}

// strictConn passes on to net/http what its framing check accepts. net/http then finds an error where the request goes
// wrong, answers 400 and closes the connection.
type strictConn struct {
	net.Conn
	framing framing
	pad     int // bytes passed to net/http before the error
	refusal atomic.Pointer[FramingError]
	closed  atomic.Bool
	tunnel  atomic.Bool // no HTTP follows: a handler has taken the connection over
}

// peeked is how many bytes of a request net/http waits for, and drops without an answer if an error comes first. It
// reads one of them while it still serves the previous request, where an error would count as a hang-up.
const peeked = 4

// Read checks what it reads.
func (c *strictConn) Read(p []byte) (int, error) {
	if c.tunnel.Load() {
		return c.Conn.Read(p)
	}
	if c.framing.err != nil {
		n := min(c.pad, len(p))
		if c.pad -= n; n > 0 {
			clear(p[:n]) // no request contains NUL
			return n, nil
		}
		return 0, c.framing.err
	}
	n, err := c.Conn.Read(p)
	passed, refused := c.framing.check(p[:n])
	if refused == nil {
		return n, err
	}
	if why := FramingError(""); errors.As(refused, &why) {
		c.refusal.Store(&why)
	}
	if c.framing.state <= inFields {
		c.pad = peeked
	}
	if passed == 0 {
		return c.Read(p)
	}
	return passed, nil
}

// badRequest is net/http's answer to a head that it could not read.
const badRequest = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request"

// Write adds the reason to net/http's answer to a refused head.
func (c *strictConn) Write(p []byte) (int, error) {
	if why := c.refusal.Load(); why != nil && string(p) == badRequest {
		if _, err := c.Conn.Write(append(bytes.Clone(p), ": "+why.Error()...)); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	return c.Conn.Write(p)
}

// Limits for reading and dropping bytes after a refusal.
const (
	refusedTime  = 500 * time.Millisecond
	refusedBytes = 256 << 10
)

// Close closes the connection. After a refusal it first reads what else the client has sent: closing at once would
// reset the connection and lose the answer.
func (c *strictConn) Close() error {
	if !c.closed.Swap(true) && c.refusal.Load() != nil {
		if w, ok := c.Conn.(interface{ CloseWrite() error }); ok {
			_ = w.CloseWrite() // the client may have gone
		}
		if cl := findClient(c.Conn); cl != nil {
			if w, ok := cl.Conn.(*net.TCPConn); ok {
				_ = w.CloseWrite() // as above
			}
			_ = cl.Conn.SetReadDeadline(time.Now().Add(refusedTime)) // as above
			_, _ = io.CopyN(io.Discard, cl.Conn, refusedBytes)       // as above
		}
	}
	return c.Conn.Close()
}

// secureConn is a strictConn over TLS.
type secureConn struct {
	strictConn
	session *tls.Conn
	s       *Server
}

// ConnectionState lets net/http set the TLS field of requests. net/http calls it before it reads.
func (c *secureConn) ConnectionState() tls.ConnectionState {
	if shakeHands(c.session, c.s) != nil {
		_ = c.Conn.Close() // the reader notices
	}
	return c.session.ConnectionState()
}
