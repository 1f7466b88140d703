package upstream

import (
	"context"
	"net"
	"time"
)

// ReadAnswer reads one answer from nc as Lean does, and returns it with the connection's left-over bytes once the body
// has ended.
func ReadAnswer(nc net.Conn, method string) (*Response, *Leftover, error) {
	l := NewLean(LeanOptions{})
	c := newConn(&peer{}, nc, nc, nil)
	a, phase, err := c.receive(&Request{Method: method}, headTimeouts{head: time.Hour}, l.opts.MaxHeadBytes)
	if err != nil {
		return nil, nil, c.giveUp(context.Background(), nil, phase, false, err)
	}
	a.body.conn, a.body.lean, a.body.ctx = c, l, context.Background()
	a.body.start()
	return &a.Response, &Leftover{c}, nil
}

// WrapConns has t use what wrap returns in place of each new connection. Call it before the first call.
func (t *Transport) WrapConns(wrap func(net.Conn) net.Conn) {
	t.rt.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dialForCall(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return wrap(c), nil
	}
}

// IsSilent reports whether the peer of c has neither closed the connection nor sent bytes that were not read.
func IsSilent(c *net.TCPConn) (silent bool) {
	ctl, err := c.SyscallConn()
	return err == nil && ctl.Control(func(fd uintptr) { silent = isSilentSocket(fd) }) == nil && silent
}

// Leftover exposes the bytes that a connection holds after its answer.
type Leftover struct{ c *conn }

// Bytes returns what was read from the connection and belongs to no answer.
func (l *Leftover) Bytes() []byte { return l.c.buf[l.c.r:l.c.w] }
