package wasm

import (
	"context"
	"fmt"

	"github.com/headgate-dev/headgate/core"
)

// pin takes an instance out of the pool for as long as an answer streams. Such instances do not count as busy: slow answers must not
// block calls that take microseconds. They have a separate limit.
func (v *Version) pin(ctx context.Context, who caller) (*instance, error) {
	if ctx.Err() != nil {
		return nil, v.newCanceledError(ctx)
	}
	if err := v.breaker.allow(); err != nil {
		v.faults[core.FaultOverload].Add(1)
		return nil, err
	}
	i, err := v.pool.pin(ctx)
	if err != nil {
		v.countFault(err, who.key)
		return nil, err
	}
	i.caller, i.stale = who, false
	return i, nil
}

// unpin returns the instance. An instance that failed, or whose answer has unfinished parts, is closed: no other answer can use its
// leftover state.
func (v *Version) unpin(i *instance, whole bool, err error) {
	i.call.disarm()
	key := i.caller.key
	v.pool.unpin(i, err != nil || !whole)
	if err != nil || whole {
		v.countCall(err, key, false)
	}
}

// pin returns an instance without state of an earlier answer.
func (p *pool) pin(ctx context.Context) (*instance, error) {
	p.mu.Lock()
	switch most := p.v.limits.Streams; {
	case p.closed:
		p.mu.Unlock()
		return nil, p.v.newClosedError()
	case p.pinned >= most:
		p.mu.Unlock()
		return nil, p.v.newOverloadFault(fmt.Sprintf("%d answers already stream through it, which is its limit", most))
	}
	p.pinned++
	var i *instance
	if n := len(p.idle); n > 0 {
		i = p.idle[n-1]
		p.idle[n-1] = nil
		p.idle = p.idle[:n-1]
	}
	p.mu.Unlock()
	if i != nil && i.used && !i.reset() {
		i.close()
		i = nil
	}
	if i == nil {
		var err error
		if i, err = p.v.newInstance(ctx, instanceTime); err != nil {
			p.countUnpin()
			return nil, err
		}
	}
	i.used = true
	return i, nil
}

// unpin returns an instance to the pool, or closes it if it must not serve again or the pool has enough.
func (p *pool) unpin(i *instance, unfit bool) {
	unfit = p.v.isOutgrown(i.measureMemory()) || unfit
	p.mu.Lock()
	keep := !unfit && !p.closed && p.busy+len(p.idle) < p.max
	if keep {
		i.old = false
		p.idle = append(p.idle, i)
		p.pruneLater()
	}
	p.mu.Unlock()
	if !keep {
		i.close()
	}
	p.countUnpin()
}

func (p *pool) countUnpin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pinned--
	p.signalDrained()
}

func (p *pool) countStreams() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pinned
}
