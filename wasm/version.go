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

// Version is one module, loaded with one configuration: what a link of a chain
// calls. It has a runtime of its own, so that closing it gives everything back.
// It is counted: it closes when its last user lets go.
type Version struct {
	// Name is the plugin's file, Digest the SHA-256 of the module in hex.
	Name, Digest string
	Manifest     Manifest

	limits   Limits
	depth    uint32 // frames that the guest may have at one time
	state    meter.State
	snapshot *snapshot // nil: nothing is ever taken back
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

	mu     sync.Mutex
	refs   int
	closed chan struct{}

	calls, bytes, findings atomic.Uint64
	sampled, spent         atomic.Uint64 // calls that were timed, and their time in ns
	ticks                  atomic.Uint64
	stalled, queued        atomic.Uint64 // ns that guests stood still in a call, and that callers stood in line
	faults                 [core.FaultCrash + 1]atomic.Uint64
	live, memory           atomic.Int64
}

// Acquire adds a reference. It reports false when the version is closed.
func (v *Version) Acquire() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.refs == 0 {
		return false
	}
	v.refs++
	return true
}

// drainTime is how long calls may run on after the last reference is gone,
// before they are cut.
const drainTime = 30 * time.Second

// Release takes a reference away. The last one closes the version: it waits for
// calls that are under way, cuts them when that takes long or ctx ends, and
// gives all memory back.
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
	// Native code that is running must not be unmapped, so this waits: each
	// guest meets a tick within microseconds of its running time.
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

// Closed is closed when the version has given everything back.
func (v *Version) Closed() <-chan struct{} { return v.closed }
