package wasm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/circuit"
)

// breaker takes a guest that fails every call out of service for a while, so that exchanges do not each wait for its failure. Faults
// alone do not open it, because a client can write a text that causes them: after five in a row, from one key or from all, a fresh
// instance runs the canary, and only a failed canary opens the breaker. After the pause a timer runs the canary again; no client's call
// serves as the probe.
type breaker struct {
	v       *Version
	circuit *circuit.Streak // of canary results
	last    atomic.Int32    // core.Fault, the last one

	faults circuit.Faults
	rested atomic.Int64 // until when no further canary runs
	trying sync.Mutex   // held while a canary runs

	mu      sync.Mutex
	timer   *time.Timer
	stopped bool
	probes  sync.WaitGroup
}

// tripAfter is the number of consecutive faults that trigger a canary.
const tripAfter = 5

// canaryRest is the minimum time between two canaries, so that a client that causes faults cannot cause a canary every five calls.
const canaryRest = 200 * time.Millisecond

// Pauses double from the first to the last. A guest that passes its probe and fails again soon would otherwise be probed
// every second forever, so the pause is halved rather than reset when the breaker closes.
const (
	firstPause = time.Second
	lastPause  = 60 * time.Second
)

func (b *breaker) init(v *Version) {
	b.v = v
	b.faults.Init(tripAfter)
	b.circuit = circuit.NewStreak(1, circuit.Settings{Pause: firstPause, MaxPause: lastPause, KeepPause: true, Since: readClock})
}

func (b *breaker) allow() error {
	if b.circuit.IsClosed() {
		return nil
	}
	wait := time.Duration(0) // while a probe is under way
	if s, left := b.circuit.State(); s == circuit.Open {
		wait = left.Round(100 * time.Millisecond)
	}
	return &Error{
		Plugin:  b.v.Name,
		Kind:    core.FaultOverload,
		excused: true,
		Reason: fmt.Sprintf(
			"out of service: after %d faults in a row, the last a %s, it failed its canary too; tried again in %s",
			tripAfter,
			core.Fault(b.last.Load()),
			wait,
		),
	}
}

// countSuccess counts a successful call by a key.
func (b *breaker) countSuccess(key string) { b.faults.CountSuccess(key) }

// countFault counts a fault in a call by a key and runs the canary after tripAfter faults in a row.
func (b *breaker) countFault(kind core.Fault, key string) {
	b.last.Store(int32(kind))
	if b.faults.CountFault(key) {
		b.checkHealth()
	}
}

// checkHealth runs the canary, and opens the breaker if it fails. The caller's own call has just failed.
func (b *breaker) checkHealth() {
	if int64(readClock()) < b.rested.Load() || !b.trying.TryLock() {
		return
	}
	defer b.trying.Unlock()
	if !b.circuit.IsClosed() || !b.beginProbe() {
		return
	}
	defer b.probes.Done()
	b.faults.Reset()
	err := b.v.runCanary()
	b.rested.Store(int64(readClock() + canaryRest))
	if err != nil && !isExcused(err) && b.circuit.Count(circuit.Failure) {
		b.scheduleProbe()
	}
}

// beginProbe makes stop wait for a canary. It returns false if the version is closing.
func (b *breaker) beginProbe() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.stopped {
		b.probes.Add(1)
	}
	return !b.stopped
}

// scheduleProbe starts a probe after the pause.
func (b *breaker) scheduleProbe() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopped {
		return
	}
	_, pause := b.circuit.State()
	b.probes.Add(1)
	b.timer = time.AfterFunc(pause, b.probe)
}

// probe runs the canary and closes the breaker, or opens it for longer.
func (b *breaker) probe() {
	defer b.probes.Done()
	trial, ok := b.circuit.Try()
	if !ok {
		return
	}
	if err := b.v.runCanary(); err != nil {
		trial.Trip()
		b.scheduleProbe()
		return
	}
	trial.Succeed()
}

// stop stops the probing and waits for a running probe.
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

// runCanary runs the canary on a new instance: it has seen no client's text that could have broken it, and does not wait for the
// instances that serve.
func (v *Version) runCanary() error {
	ctx := context.Background()
	i, err := v.newInstance(ctx, v.limits.Start)
	if err != nil {
		return err
	}
	defer i.close()
	return i.runCanary(ctx)
}

// isExcused reports whether an error says nothing about the guest's health.
func isExcused(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.excused
}
