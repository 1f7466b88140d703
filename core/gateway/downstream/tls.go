package downstream

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
)

// handshake starts a TLS session on the connection, and reports whether requests may follow. It logs a failure. The
// timeout for a request's head covers it: closeLate closes the socket.
func (k *conn) handshake() bool {
	if k.s.o.TLS == nil {
		return true
	}
	t := tls.Server(k.cl, k.s.o.TLS)
	if err := shakeHands(t, k.s); err != nil {
		return false
	}
	k.session = t
	state := t.ConnectionState()
	k.base.TLS = &state
	k.silent.Store(k.cl.received.Load())
	return true
}

// shakeHands completes a handshake, or logs why it failed. A client that speaks plain HTTP gets a 400.
func shakeHands(t *tls.Conn, s *Server) error {
	err := t.Handshake()
	if err == nil {
		return nil
	}
	var wrong tls.RecordHeaderError
	if errors.As(err, &wrong) && wrong.Conn != nil && looksLikeHTTP(wrong.RecordHeader) {
		_, _ = io.WriteString(wrong.Conn, "HTTP/1.0 400 Bad Request\r\n\r\nthis port expects HTTPS\n") // the client may have gone
	}
	s.o.Log.Printf("TLS handshake with %s: %v", t.RemoteAddr(), err)
	return err
}

// looksLikeHTTP reports whether a client has sent a request where TLS was expected.
func looksLikeHTTP(start [5]byte) bool {
	switch string(start[:]) {
	case "GET /", "HEAD ", "POST ", "PUT /", "OPTIO", "DELET", "PATCH":
		return true
	}
	return false
}

// read reads from the socket or the TLS session, and counts the bytes that have arrived. Under a session the client
// counts those of its records.
func (k *conn) read(p []byte) (int, error) {
	if k.session != nil {
		return k.session.Read(p)
	}
	n, err := k.cl.Conn.Read(p)
	k.cl.received.Add(int64(n))
	return n, err
}

// write sends one piece of an answer.
func (k *conn) write(p []byte) error {
	var err error
	if k.session != nil {
		_, err = k.session.Write(p)
	} else {
		_, err = k.cl.Write(p)
	}
	return err
}

// writeBoth sends two pieces of an answer, in one system call where possible.
func (k *conn) writeBoth(p, q []byte) error {
	if k.session != nil {
		return errors.Join(k.write(p), k.write(q))
	}
	both := net.Buffers{p, q}
	return k.cl.writeBuffers(&both)
}

// closeConn closes the connection. A TLS session ends with an alert, so that the client knows that the answer is
// complete.
func (k *conn) closeConn() {
	if k.session != nil {
		_ = k.session.Close() // the client may have gone
	}
	_ = k.cl.Close()
}

// closeIdle closes a connection without a running request; its reader notices. Sending the alert that ends a TLS
// session can block on a client that does not read, so a separate goroutine sends it.
func (k *conn) closeIdle() {
	switch before := k.silent.Swap(isClosing); {
	case before >= 0:
		go func() { _ = k.session.Close() }() // as above
	case before == noSession:
		_ = k.cl.Conn.Close()
	}
}

// Values of conn.silent that are not byte counts.
const (
	noSession = -1 // plain TCP, or the handshake is in progress
	isClosing = -2
)

// awaitsFirst reports whether nothing of a connection's first request has arrived.
func (k *conn) awaitsFirst() bool {
	silent := k.silent.Load()
	if silent == noSession {
		return k.cl.received.Load() == 0 || k.s.o.TLS != nil
	}
	return k.cl.received.Load() == silent
}

// bufferedTLS is a TLS session whose first bytes were read already.
type bufferedTLS struct {
	*tls.Conn
	ahead readAhead
}

// Read returns what was read before, and then reads from the session.
func (c *bufferedTLS) Read(p []byte) (int, error) {
	if len(c.ahead.left) > 0 {
		return c.ahead.readBuffered(p), nil
	}
	return c.Conn.Read(p)
}

// newSecureConn returns the connection of a TLS session for net/http.
func (k *conn) newSecureConn() net.Conn {
	return &secureConn{strictConn: strictConn{Conn: &bufferedTLS{Conn: k.session, ahead: k.detachBuffer()}}, session: k.session, s: k.s}
}
