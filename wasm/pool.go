package wasm

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// pool keeps the instances of a version: the one used last is used next, so
// that a quiet time lets the others go. It never makes more than max.
type pool struct {
	v   *Version
	max int

	mu      sync.Mutex
	idle    []*instance
	busy    int
	pinned  int // held by streamed answers, besides those that are busy
	waiters []*waiter
	closed  bool
	drained chan struct{} // closed when the pool is closed and nothing is busy
	timer   *time.Timer
}

// waiter is a caller in line. It gets an instance, or nil: leave to make one.
type waiter struct{ ch chan *instance }

// minIdle is how many idle instances are kept for ever.
const minIdle = 1

// idleTime is how long the others stay at least, and half of how long at most.
const idleTime = 60 * time.Second

var errClosed = errors.New("the plugin was closed")

func newPool(v *Version, most int) *pool {
	return &pool{v: v, max: most, drained: make(chan struct{})}
}

// get takes an instance, waits for one no longer than it may, or makes one.
func (p *pool) get(ctx context.Context, most time.Duration) (i *instance, waited time.Duration, err error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, 0, &Error{Plugin: p.v.Name, Kind: core.FaultOverload, Reason: errClosed.Error(), Err: errClosed, excused: true}
	}
	if n := len(p.idle); n > 0 {
		i = p.idle[n-1]
		p.idle[n-1] = nil
		p.idle = p.idle[:n-1]
		p.busy++
		p.mu.Unlock()
		return i, 0, nil
	}
	if p.busy < p.max {
		p.busy++
		p.mu.Unlock()
		i, err = p.make(ctx)
		return i, 0, err
	}
	w := &waiter{ch: make(chan *instance, 1)}
	p.waiters = append(p.waiters, w)
	p.mu.Unlock()

	began := now()
	t := time.NewTimer(most)
	defer t.Stop()
	select {
	case i, ok := <-w.ch:
		waited = now() - began
		i, err = p.served(ctx, i, ok)
		return i, waited, err
	case <-t.C:
		err = &Error{Plugin: p.v.Name, Kind: core.FaultOverload, Reason: "no instance came free in time", excused: true}
	case <-ctx.Done():
		err = p.v.canceled(ctx)
	}
	if p.forget(w) {
		return nil, 0, err
	}
	i, ok := <-w.ch // served at the last moment
	waited = now() - began
	i, err = p.served(ctx, i, ok)
	return i, waited, err
}

func (p *pool) served(ctx context.Context, i *instance, ok bool) (*instance, error) {
	if !ok {
		return nil, &Error{Plugin: p.v.Name, Kind: core.FaultOverload, Reason: errClosed.Error(), Err: errClosed, excused: true}
	}
	if i == nil {
		return p.make(ctx)
	}
	return i, nil
}

// forget takes a waiter out of the line and reports whether it still stood
// there.
func (p *pool) forget(w *waiter) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	k := slices.Index(p.waiters, w)
	if k < 0 {
		return false
	}
	p.waiters = slices.Delete(p.waiters, k, k+1)
	return true
}

// make makes an instance in a place that is already counted as busy.
func (p *pool) make(ctx context.Context) (*instance, error) {
	i, err := p.v.newInstance(ctx, instanceTime)
	if err != nil {
		p.gone()
		return nil, err
	}
	return i, nil
}

// put gives an instance back. One that failed, or that has grown too large, is
// closed.
func (p *pool) put(i *instance, failed bool) {
	if failed || p.v.outgrown(i.measure()) {
		i.close()
		p.gone()
		return
	}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		i.close()
		p.gone()
		return
	}
	if len(p.waiters) > 0 {
		w := p.waiters[0]
		p.waiters = slices.Delete(p.waiters, 0, 1)
		p.mu.Unlock()
		w.ch <- i
		return
	}
	p.busy--
	i.old = false
	p.idle = append(p.idle, i)
	p.pruneLater()
	p.mu.Unlock()
}

// gone takes note that a busy instance is no more.
func (p *pool) gone() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiters) > 0 && !p.closed {
		w := p.waiters[0]
		p.waiters = slices.Delete(p.waiters, 0, 1)
		w.ch <- nil
		return
	}
	p.busy--
	p.drain()
}

// drain says that the pool is closed and nothing is in use any more. The caller
// holds the lock, and has just given something back.
func (p *pool) drain() {
	if p.closed && p.busy+p.pinned == 0 {
		close(p.drained)
	}
}
