package wasm

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/circuit"
)

// breaker takes a guest that keeps failing out of service for a while, so that exchanges do not each wait for its failure.
// After the pause a timer probes it with its canary, not with a client's call: when that passes, the guest serves again.
type breaker struct {
	v      *Version
	streak *circuit.Streak
	last   atomic.Int32 // core.Fault, the last one

	mu      sync.Mutex
	timer   *time.Timer
	stopped bool
	probes  sync.WaitGroup
}

// tripAfter is how many faults in a row open the breaker.
const tripAfter = 5

// Pauses double from the first to the last. A guest that passes its probe and fails again soon would otherwise be probed
// every second for ever, so the pause is halved, not forgotten, when the breaker closes.
const (
	firstPause = time.Second
	lastPause  = 60 * time.Second
)

func (b *breaker) init(v *Version) {
	b.v = v
	b.streak = circuit.NewStreak(tripAfter, circuit.Settings{Pause: firstPause, MaxPause: lastPause, KeepPause: true, Since: now})
}

func (b *breaker) allow() error {
	if b.streak.IsClosed() {
		return nil
	}
	wait := time.Duration(0) // while a probe is under way
	if s, left := b.streak.State(); s == circuit.Open {
		wait = left.Round(100 * time.Millisecond)
	}
	return &Error{
		Plugin:  b.v.Name,
		Kind:    core.FaultOverload,
		excused: true,
		Reason: fmt.Sprintf(
			"out of service after %d faults in a row, the last a %s; tried again in %s",
			tripAfter,
			core.Fault(b.last.Load()),
			wait,
		),
	}
}

func (b *breaker) succeeded() { b.streak.Count(circuit.Success) }

func (b *breaker) failed(kind core.Fault) {
	b.last.Store(int32(kind))
	if b.streak.Count(circuit.Failure) {
		b.scheduleProbe()
	}
}

// scheduleProbe starts a probe after the pause.
func (b *breaker) scheduleProbe() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopped {
		return
	}
	_, pause := b.streak.State()
	b.probes.Add(1)
	b.timer = time.AfterFunc(pause, b.probe)
}

// probe runs the canary and closes the breaker, or opens it for longer.
func (b *breaker) probe() {
	defer b.probes.Done()
	trial, ok := b.streak.Try()
	if !ok {
		return
	}
	if err := b.v.sing(); err != nil {
		trial.Trip()
		b.scheduleProbe()
		return
	}
	trial.Succeed()
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
