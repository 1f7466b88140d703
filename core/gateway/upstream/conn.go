package upstream

import (
	"context"
	"io"
	"net"
	"sync/atomic"
	"syscall"
	"time"
)

// readSize is the size of a connection's read buffer in bytes: a head and a short answer in one read. Larger pieces of
// a body are read straight into the caller's memory.
const readSize = 8 << 10

// conn is a connection to a provider. One goroutine owns it: that of the call, or none while it is in the pool. Only abort
// and the early watch touch it from elsewhere.
type conn struct {
	peer *peer
	nc   net.Conn         // what is read and written: raw, or TLS over it
	raw  net.Conn         // the socket
	seal *records         // between TLS and the socket; nil without TLS
	ctl  syscall.RawConn  // of the socket; nil when it has none, then the connection is used once
	peek func(fd uintptr) // bound once, for ctl.Control
	open bool             // what peek found: open and silent

	buf  []byte // read buffer; buf[r:w] was received and not yet used
	r, w int

	readBy  time.Time // the read deadline that is set; zero: none
	writeBy time.Time
	end     time.Time // of the call's total time; zero: none
	vec     [2][]byte
	bufs    net.Buffers
	early   *earlyReader

	fields  []Field // scratch for parsing
	used    bool    // it has carried a call before
	idleAt  time.Time
	idleFor time.Duration // how long it may be idle

	aborted atomic.Bool
	abort   func() // bound once, for context.AfterFunc
}

func newConn(p *peer, raw, nc net.Conn, seal *records) *conn {
	c := &conn{peer: p, nc: nc, raw: raw, seal: seal, buf: make([]byte, readSize)}
	if s, ok := raw.(syscall.Conn); ok {
		if ctl, err := s.SyscallConn(); err == nil {
			c.ctl = ctl
		}
	}
	c.peek = func(fd uintptr) { c.open = isSilentSocket(fd) }
	// Closing is better than setting a deadline: no later deadline can replace it, the provider learns at once that it
	// may stop generating, and nothing leaks if a caller forgets to close the body.
	c.abort = func() {
		c.aborted.Store(true)
		_ = c.raw.Close()
	}
	return c
}

// watch closes the connection when ctx ends. The function that it returns stops the watch, and returns false if the
// context ended first; then the connection must not be used again. It is nil for a context that cannot end.
func (c *conn) watch(ctx context.Context) (stop func() bool) {
	if own, ok := ctx.(afterFuncer); ok {
		return own.AfterFunc(c.abort)
	}
	if ctx.Done() == nil {
		return nil
	}
	return context.AfterFunc(ctx, c.abort)
}

// afterFuncer is a context that implements AfterFunc itself, which package context recognizes. Calling it directly can
// save an allocation.
type afterFuncer interface {
	AfterFunc(f func()) (stop func() bool)
}

// drop closes the socket without TLS close_notify, which could block.
func (c *conn) drop() { _ = c.raw.Close() }

// isSilent reports whether the connection is open and has sent nothing since its last answer. Unsolicited bytes would
// be taken for the answer to the next request, of another tenant, and every later answer would go to the wrong caller
// too. So no connection is reused without this check, however short it was idle; the check costs a system call.
func (c *conn) isSilent() bool {
	if c.ctl == nil || c.r != c.w || c.aborted.Load() {
		return false
	}
	c.open = false
	if err := c.ctl.Control(c.peek); err != nil || !c.open {
		return false
	}
	return c.seal == nil || c.seal.isSilent(c.nc, c.buf[:1])
}

// setReadDeadline sets the read deadline; the zero time means none.
func (c *conn) setReadDeadline(t time.Time) {
	if t = c.limitToEnd(t); t.Equal(c.readBy) {
		return
	}
	c.readBy = t
	_ = c.nc.SetReadDeadline(t) // fails only on a closed connection, which the read reports
}

// slack is the fraction of a limit by which a deadline may be late. A deadline already within that range is not set
// again: on a busy connection that saves two timer operations per call.
const slack = 20

// setReadTimeout sets the read deadline to after from, late by at most a twentieth of limit.
func (c *conn) setReadTimeout(from time.Time, limit time.Duration) {
	if d := c.readBy.Sub(from); d < limit || d > limit+limit/slack {
		c.setReadDeadline(from.Add(limit + limit/slack))
	}
}

// setWriteDeadline sets the write deadline.
func (c *conn) setWriteDeadline(t time.Time) {
	if t = c.limitToEnd(t); t.Equal(c.writeBy) {
		return
	}
	c.writeBy = t
	_ = c.nc.SetWriteDeadline(t)
}

// reserve makes space for at least one more byte after buf[r:w], growing the buffer up to limit. It returns false if
// limit bytes are already there.
func (c *conn) reserve(limit int) bool {
	if c.r == c.w {
		c.r, c.w = 0, 0
	}
	if c.w < len(c.buf) {
		return true
	}
	if c.r > 0 {
		c.w = copy(c.buf, c.buf[c.r:c.w])
		c.r = 0
		return true
	}
	if len(c.buf) >= limit {
		return false
	}
	grown := make([]byte, min(2*len(c.buf), limit))
	copy(grown, c.buf[:c.w])
	c.buf = grown
	return true
}

// fill reads once into the free part of the buffer.
func (c *conn) fill() error {
	n, err := c.read(c.buf[c.w:])
	c.w += n
	return err
}

// read is one Read that returns either bytes or an error.
func (c *conn) read(p []byte) (int, error) {
	for range 16 {
		n, err := c.nc.Read(p)
		if n > 0 {
			return n, nil // the error, if any, is returned again
		}
		if err != nil {
			return 0, err
		}
	}
	return 0, io.ErrNoProgress
}

// readWithin calls read and gives up if nothing arrives within idle; 0 means no limit. The deadline is moved only when
// less than half of it is left, and checked against the clock when it fires too early.
func (c *conn) readWithin(idle time.Duration, p []byte) (int, error) {
	if idle <= 0 {
		c.setReadDeadline(time.Time{})
		return c.read(p)
	}
	from := readClock()
	if left := c.readBy.Sub(from); left < idle/2 || left > idle {
		c.setReadDeadline(from.Add(idle))
	}
	for {
		n, err := c.read(p)
		if err == nil || !isTimeout(err) || c.aborted.Load() || c.isSpent() {
			return n, err
		}
		end := from.Add(idle)
		if !readClock().Before(end) {
			return 0, err
		}
		c.setReadDeadline(end)
	}
}
