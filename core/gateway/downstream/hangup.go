package downstream

import (
	"context"
	"sync"
	"sync/atomic"
)

// Hangup notifies the exchanges of one connection that their client has hung up. The goroutine that reads the
// connection calls Signal. The context that net/http provides is cancelled too, but watching it costs five allocations
// per exchange. Safe for concurrent use.
type Hangup struct {
	mu     sync.Mutex
	hungUp atomic.Bool // written under mu
	watch  func()      // the callback of the running exchange
	stop   func() bool // unwatch, bound once
	body   atomic.Int32
}

// NewHangup returns the Hangup of a new connection.
func NewHangup() *Hangup {
	h := new(Hangup)
	h.stop = h.unwatch
	return h
}

type hangupKey struct{}

// WithHangup returns ctx with h attached, for http.Server.ConnContext.
func WithHangup(ctx context.Context, h *Hangup) context.Context {
	return context.WithValue(ctx, hangupKey{}, h)
}

// FindHangup returns the Hangup of a request's connection, or nil if ctx carries none.
func FindHangup(ctx context.Context) *Hangup {
	h, _ := ctx.Value(hangupKey{}).(*Hangup)
	return h
}

// Signal records that the client has hung up, and calls the watch of the running exchange.
func (h *Hangup) Signal() {
	h.mu.Lock()
	watch := h.watch
	h.watch = nil
	h.hungUp.Store(true)
	h.mu.Unlock()
	if watch != nil {
		watch()
	}
}

func (h *Hangup) unwatch() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	watched := h.watch != nil
	h.watch = nil
	return watched
}

// NewContext returns a context of one exchange that ends when parent ends or the client hangs up. A nil Hangup returns parent.
func (h *Hangup) NewContext(parent context.Context) context.Context {
	if h == nil {
		return parent
	}
	return &hangupContext{parent, h}
}

// hangupContext ends with its parent or when the client hangs up.
type hangupContext struct {
	context.Context
	h *Hangup
}

// Err returns context.Canceled from the moment that AfterFunc calls its function.
func (c *hangupContext) Err() error {
	err := c.Context.Err()
	if err == nil && c.h.hungUp.Load() {
		err = context.Canceled
	}
	return err
}

// AfterFunc calls f once the client has hung up. Call stop once: it ends the watch, and returns false if f has been or
// is being called. Unlike context.AfterFunc it calls f in the goroutine that reads the connection, so f must not block.
func (c *hangupContext) AfterFunc(f func()) (stop func() bool) {
	c.h.mu.Lock()
	defer c.h.mu.Unlock()
	if c.h.hungUp.Load() || c.h.watch != nil { // too late, or a second watch at the same time
		return context.AfterFunc(c.Context, f)
	}
	c.h.watch = f
	return c.h.stop
}
