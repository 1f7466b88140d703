package proxy

import (
	"context"
	"sync"
	"sync/atomic"
)

// Hangup tells the exchange of a connection that its client has left. The
// connection's reader calls Left. The context of net/http ends then too, but to
// watch that costs each exchange five allocations.
type Hangup struct {
	mu   sync.Mutex
	left atomic.Bool // written under mu
	tell func()      // what the running exchange wants done
	stop func() bool // forget, bound once
	body atomic.Int32
}

// NewHangup is for a new connection.
func NewHangup() *Hangup {
	h := new(Hangup)
	h.stop = h.forget
	return h
}

type hangupKey struct{}

// WithHangup makes a connection's context, for http.Server.ConnContext.
func WithHangup(ctx context.Context, h *Hangup) context.Context {
	return context.WithValue(ctx, hangupKey{}, h)
}

// Left is called when the client has left.
func (h *Hangup) Left() {
	h.mu.Lock()
	tell := h.tell
	h.tell = nil
	h.left.Store(true)
	h.mu.Unlock()
	if tell != nil {
		tell()
	}
}

func (h *Hangup) forget() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	waits := h.tell != nil
	h.tell = nil
	return waits
}

// presence is the context of an exchange whose connection has a Hangup: it lasts
// while the client is there.
type presence struct {
	context.Context
	h *Hangup
}

// present gives the context of the exchange.
func (c *call) present() context.Context {
	ctx := c.r.Context()
	if c.hangup == nil {
		return ctx
	}
	return &presence{ctx, c.hangup}
}

// Err tells the client's leaving from the moment on that AfterFunc tells it.
func (p *presence) Err() error {
	err := p.Context.Err()
	if err == nil && p.h.left.Load() {
		err = context.Canceled
	}
	return err
}

// AfterFunc calls f once the client has left. stop, to be called once, ends the
// watch, and reports false when f has been or is being called. Unlike that of package
// context it calls f in the goroutine of the connection's reader: f must not block.
func (p *presence) AfterFunc(f func()) (stop func() bool) {
	p.h.mu.Lock()
	defer p.h.mu.Unlock()
	if p.h.left.Load() || p.h.tell != nil { // too late, or the second watch at a time
		return context.AfterFunc(p.Context, f)
	}
	p.h.tell = f
	return p.h.stop
}
