package wasm

import (
	"slices"
	"time"
)

// pruneLater schedules the pruning of idle instances. The caller holds the lock.
func (p *pool) pruneLater() {
	if len(p.idle) > minIdle && p.timer == nil {
		p.timer = time.AfterFunc(idleTime, p.prune)
	}
}

// prune closes the instances that have been idle since the previous prune: those at the bottom of the stack.
func (p *pool) prune() {
	p.mu.Lock()
	p.timer = nil
	if p.closed {
		p.mu.Unlock()
		return
	}
	n := 0
	for n < len(p.idle)-minIdle && p.idle[n].old {
		n++
	}
	gone := slices.Clone(p.idle[:n])
	p.idle = slices.Delete(p.idle, 0, n)
	for _, i := range p.idle {
		i.old = true
	}
	p.pruneLater()
	p.mu.Unlock()
	for _, i := range gone {
		i.close()
	}
}

// shut refuses new calls and closes idle instances. The returned channel is closed
// when the last call has returned.
func (p *pool) shut() <-chan struct{} {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return p.drained
	}
	p.closed = true
	idle := p.idle
	p.idle = nil
	p.waiting.clear(func(w *waiter) { close(w.ch) })
	if p.timer != nil {
		p.timer.Stop()
	}
	p.signalDrained()
	p.mu.Unlock()
	for _, i := range idle {
		i.close()
	}
	return p.drained
}
