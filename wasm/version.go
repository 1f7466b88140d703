package wasm

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/meter"
)

// Version is one module, loaded with one configuration, which links of a chain call. It has a separate runtime, so that closing it frees
// everything. It is reference-counted and closes with its last reference.
type Version struct {
	// Name is the plugin's file, Digest the SHA-256 of the module in hex.
	Name, Digest string
	Manifest     Manifest

	limits   Limits
	depth    uint32 // most frames of the guest at one time
	state    meter.State
	snapshot *snapshot // nil if instances are never reset
	config   []byte
	has      hooks
	log      guestLog
	cache    wazero.CompilationCache
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	pool     *pool
	breaker  breaker
	closing  atomic.Bool
	usual    atomic.Uint32 // memory of an instance after the canary
	buffers  bool          // an http-wasm module that reads answers as soon as it starts

	mu     sync.Mutex
	refs   int
	closed chan struct{}

	calls, bytes, findings atomic.Uint64
	sampled, spent         atomic.Uint64 // calls that were timed, and their time in ns
	ticks                  atomic.Uint64
	stalled, queued        atomic.Uint64 // ns that guests stalled in calls, and ns that callers queued
	faults                 [core.FaultCrash + 1]atomic.Uint64
	live, memory           atomic.Int64
}

// Acquire adds a reference. It returns false if the version is closed.
func (v *Version) Acquire() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.refs == 0 {
		return false
	}
	v.refs++
	return true
}

// drainTime is how long calls may continue after the last reference is released, before they are cut.
const drainTime = 30 * time.Second

// Release drops a reference. The last one closes the version: it waits for running calls, cuts them after drainTime or when ctx ends, and
// frees all memory.
func (v *Version) Release(ctx context.Context) {
	v.mu.Lock()
	v.refs--
	last := v.refs == 0
	v.mu.Unlock()
	if last {
		v.stop(ctx)
	}
}

func (v *Version) stop(ctx context.Context) {
	v.breaker.stop()
	drained := v.pool.shut()
	t := time.NewTimer(drainTime)
	defer t.Stop()
	select {
	case <-drained:
	case <-t.C:
	case <-ctx.Done():
	}
	// Running native code must not be unmapped, so wait: each guest reaches a tick within microseconds of its running time.
	v.closing.Store(true)
	<-drained
	ctx = context.WithoutCancel(ctx)
	if v.runtime != nil {
		_ = v.runtime.Close(ctx)
	}
	if v.compiled != nil {
		_ = v.compiled.Close(ctx)
	}
	if v.cache != nil {
		_ = v.cache.Close(ctx)
	}
	close(v.closed)
}

// CloseSignal returns a channel that is closed when the version has freed everything.
func (v *Version) CloseSignal() <-chan struct{} { return v.closed }
