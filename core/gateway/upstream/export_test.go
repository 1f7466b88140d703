package upstream

import (
	"context"
	"net"
	"time"
)

// ReadAnswer reads one answer from nc as Lean does, and returns it with the connection's left-over bytes when the body
// has ended.
func ReadAnswer(nc net.Conn, method string) (*Response, *Leftover, error) {
	l := NewLean(LeanOptions{})
	c := newConn(&peer{}, nc, nc, nil)
	a, phase, err := c.receive(&Request{Method: method}, patience{head: time.Hour}, l.opts.MaxHeadBytes)
	if err != nil {
		return nil, nil, c.giveUp(context.Background(), nil, phase, false, err)
	}
	a.body.conn, a.body.lean, a.body.ctx = c, l, context.Background()
	a.body.start()
	return &a.Response, &Leftover{c}, nil
}

// Leftover shows what a connection holds beyond its answer.
type Leftover struct{ c *conn }

// Bytes returns what was read from the connection and belongs to no answer.
func (l *Leftover) Bytes() []byte { return l.c.buf[l.c.r:l.c.w] }
