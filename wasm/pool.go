package wasm

import (
	"context"
	"errors"
	"sync"
	"time"
)

// pool keeps the instances of a version. It reuses the most recently used one first, so that the others can be closed when load falls. It
// never creates more than max.
type pool struct {
	v   *Version
	max int

	mu      sync.Mutex
	idle    []*instance
	busy    int
	pinned  int            // held by streamed answers, not counted as busy
	held    map[string]int // of pinned, those that exchanges of a tenant hold
	waiting queue
	closed  bool
	drained chan struct{} // closed when the pool is closed and nothing is busy
	timer   *time.Timer
}

// minIdle is the number of idle instances that are never pruned.
const minIdle = 1

// idleTime is the shortest idle time after which further instances are pruned; the longest is twice that.
const idleTime = 60 * time.Second

var errClosed = errors.New("the plugin was closed")

func newPool(v *Version, most int) *pool {
	return &pool{v: v, max: most, held: map[string]int{}, drained: make(chan struct{})}
}

// get takes an idle instance, creates one, or waits for one. A caller waits until its request's deadline: it must not fail because others
// are busy.
func (p *pool) get(ctx context.Context, tenant string) (*instance, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, p.v.newClosedError()
	}
	if n := len(p.idle); n > 0 {
		i := p.idle[n-1]
		p.idle[n-1] = nil
		p.idle = p.idle[:n-1]
		p.busy++
		p.mu.Unlock()
		return i, nil
	}
	if p.busy < p.max {
		p.busy++
		p.mu.Unlock()
		return p.createInstance(ctx)
	}
	w := &waiter{ch: make(chan *instance, 1)}
	p.waiting.add(tenant, w)
	p.mu.Unlock()
	return p.wait(ctx, tenant, w)
}

// wait completes get for a caller in the queue.
func (p *pool) wait(ctx context.Context, tenant string, w *waiter) (*instance, error) {
	began := readClock()
	defer func() { p.v.queued.Add(uint64(readClock() - began)) }()
	t := time.NewTimer(p.v.limits.Queue)
	defer t.Stop()
	var late error
	select {
	case i, ok := <-w.ch:
		return p.resolveInstance(ctx, i, ok)
	case <-t.C:
		late = p.v.newOverloadFault("no instance became free within " + p.v.limits.Queue.String())
	case <-ctx.Done():
		if late = p.v.newCanceledError(ctx); errors.Is(ctx.Err(), context.DeadlineExceeded) {
			late = p.v.newOverloadFault("no instance became free before the request's timeout")
		}
	}
	p.mu.Lock()
	left := p.waiting.remove(tenant, w)
	p.mu.Unlock()
	if left {
		return nil, late
	}
	i, ok := <-w.ch // served just before it gave up
	return p.resolveInstance(ctx, i, ok)
}

func (p *pool) resolveInstance(ctx context.Context, i *instance, ok bool) (*instance, error) {
	if !ok {
		return nil, p.v.newClosedError()
	}
	if i == nil {
		return p.createInstance(ctx)
	}
	return i, nil
}

// createInstance creates an instance for a slot that is already counted as busy.
func (p *pool) createInstance(ctx context.Context) (*instance, error) {
	i, err := p.v.newInstance(ctx, instanceTime)
	if err != nil {
		p.freeSlot()
		return nil, err
	}
	return i, nil
}

// put returns an instance to the pool. It closes an instance that failed or has grown too large.
func (p *pool) put(i *instance, failed bool) {
	if failed || p.v.isOutgrown(i.measureMemory()) {
		i.close()
		p.freeSlot()
		return
	}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		i.close()
		p.freeSlot()
		return
	}
	if p.waiting.n > 0 {
		w := p.waiting.dequeue()
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

// freeSlot frees the slot of a closed instance for the next caller in the queue, if any.
func (p *pool) freeSlot() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting.n > 0 && !p.closed {
		p.waiting.dequeue().ch <- nil
		return
	}
	p.busy--
	p.signalDrained()
}

// signalDrained signals drained if the pool is closed and no instance is in use. The caller
// holds the lock.
func (p *pool) signalDrained() {
	if p.closed && p.busy+p.pinned == 0 {
		close(p.drained)
	}
}
