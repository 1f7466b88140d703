package wasm

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// breaker takes a guest that keeps failing out of service for a while, so that
// each exchange does not have to wait for its failure. After the pause the
// canary is tried; when it sings the guest serves again.
type breaker struct {
	v    *Version
	run  atomic.Int32 // faults in a row
	open atomic.Bool

	mu      sync.Mutex
	pause   time.Duration
	until   time.Duration
	kind    core.Fault
	timer   *time.Timer
	stopped bool
	probes  sync.WaitGroup
}

// tripAfter is how many faults in a row open the breaker.
const tripAfter = 5

// Pauses double from the first to the last.
const (
	firstPause = time.Second
	lastPause  = 60 * time.Second
)

func (b *breaker) allow() error {
	if !b.open.Load() {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	wait := max(b.until-now(), 0).Round(100 * time.Millisecond)
	return &Error{
		Plugin: b.v.Name, Kind: core.FaultOverload, excused: true,
		Reason: fmt.Sprintf("out of service after %d faults in a row, the last a %s; tried again in %s", tripAfter, b.kind, wait),
	}
}

func (b *breaker) succeeded() {
	if b.run.Load() != 0 {
		b.run.Store(0)
	}
}

func (b *breaker) failed(kind core.Fault) {
	if b.run.Add(1) < tripAfter {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.open.Load() {
		b.trip(kind)
	}
}

// trip opens the breaker. The caller holds the lock.
func (b *breaker) trip(kind core.Fault) {
	if b.stopped {
		return
	}
	b.kind = kind
	b.pause = min(max(2*b.pause, firstPause), lastPause)
	b.until = now() + b.pause
	b.open.Store(true)
	b.probes.Add(1)
	b.timer = time.AfterFunc(b.pause, b.probe)
}

// probe tries the canary and closes the breaker, or opens it for longer.
func (b *breaker) probe() {
	defer b.probes.Done()
	err := b.v.sing()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopped {
		return
	}
	if err != nil {
		b.trip(b.kind)
		return
	}
	b.run.Store(0)
	b.open.Store(false)
	// The pause is not forgotten at once: a guest that sings and fails again
	// would otherwise be tried every second for ever.
	b.pause /= 2
}

// stop ends the probing and waits for a probe that is under way.
func (b *breaker) stop() {
	b.mu.Lock()
	b.stopped = true
	if b.timer != nil && b.timer.Stop() {
		b.probes.Done()
	}
	b.timer = nil
	b.mu.Unlock()
	b.probes.Wait()
}

// sing puts an instance through the canary.
func (v *Version) sing() error {
	ctx := context.Background()
	i, _, err := v.pool.get(ctx, v.limits.Start)
	if err != nil {
		return err
	}
	err = i.canary(ctx)
	v.pool.put(i, err != nil)
	return err
}
