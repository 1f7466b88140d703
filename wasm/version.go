package wasm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
	"github.com/headgate-dev/headgate/wasm/meter"
)

// Version is one module, loaded with one configuration: what a link of a chain
// calls. It has a runtime of its own, so that closing it gives everything back.
// It is counted: it closes when its last user lets go.
type Version struct {
	// Name is the plugin's file, Digest the SHA-256 of the module in hex.
	Name, Digest string
	Manifest     Manifest

	limits       Limits
	config       []byte
	configurable bool
	log          guestLog
	cache        wazero.CompilationCache
	runtime      wazero.Runtime
	compiled     wazero.CompiledModule
	pool         *pool
	breaker      breaker
	closing      atomic.Bool
	usual        atomic.Uint32 // memory of an instance after the canary

	mu     sync.Mutex
	refs   int
	closed chan struct{}

	calls, bytes, findings atomic.Uint64
	faults                 [core.FaultOverload + 1]atomic.Uint64
	live, memory           atomic.Int64
}

// LoadOptions says what to load and how.
type LoadOptions struct {
	// Source is the module as it was read. It is not kept.
	Source []byte
	// Name is the file's name, for messages.
	Name string
	// Manifest is used when the module holds none; nil: there is none.
	Manifest *Manifest
	// Config is given to the guest, as JSON; empty: {}.
	Config []byte
	Limits Limits
	// Cache keeps compiled code on disk and compiles in a child process; nil:
	// neither.
	Cache *Cache
	Log   LogFunc
}

// Load makes a version that is ready to serve, or says why the module is
// refused. It holds one reference, the caller's.
func Load(ctx context.Context, o LoadOptions) (*Version, error) {
	limits, err := o.Limits.filled()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(o.Source)
	m, err := meter.Rewrite(o.Source, limits.meter())
	if err != nil {
		return nil, fmt.Errorf("check the module: %w", err)
	}
	manifest, err := manifestOf(m, o.Manifest)
	if err != nil {
		return nil, err
	}
	if manifest.MinMemory > limits.Memory {
		return nil, fmt.Errorf("the module needs %d bytes of memory, its limit is %d", manifest.MinMemory, limits.Memory)
	}
	configurable, err := checkExports(m.Exports)
	if err != nil {
		return nil, err
	}
	if len(o.Config) > 0 && !configurable {
		return nil, errors.New("there are settings for the module, but it takes none: it does not export hg_configure")
	}
	v := &Version{
		Name: o.Name, Digest: hex.EncodeToString(sum[:]), Manifest: *manifest,
		limits: limits, config: o.Config, configurable: configurable,
		log: guestLog{to: o.Log}, refs: 1, closed: make(chan struct{}),
	}
	v.breaker.v = v
	v.pool = newPool(v, limits.Instances)
	if err = v.start(ctx, m, o.Cache); err != nil {
		v.stop(ctx)
		return nil, err
	}
	return v, nil
}

// manifestOf takes the manifest out of the module, or the one beside it.
func manifestOf(m *meter.Module, beside *Manifest) (*Manifest, error) {
	if section, ok := m.Custom[abi.ManifestSection]; ok {
		return ParseManifest(section)
	}
	if beside == nil {
		return nil, ErrNoManifest
	}
	if err := beside.Check(); err != nil {
		return nil, err
	}
	return beside, nil
}

// start compiles the module, links it, and puts the first instance through the
// canary.
func (v *Version) start(ctx context.Context, m *meter.Module, cache *Cache) error {
	config := wazero.NewRuntimeConfigCompiler().
		WithMemoryLimitPages(uint32(v.limits.Memory / pageSize)).
		WithDebugInfoEnabled(false)
	if cache != nil {
		if err := cache.fill(ctx, m.Bytes); err != nil {
			return fmt.Errorf("compile the module: %w", err)
		}
		var err error
		if v.cache, err = cache.open(); err != nil {
			return fmt.Errorf("open the cache of compiled modules: %w", err)
		}
		config = config.WithCompilationCache(v.cache)
	}
	v.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	if err := link(ctx, v.runtime, m.Imports, v.Manifest.Capabilities); err != nil {
		return err
	}
	var err error
	if v.compiled, err = v.runtime.CompileModule(ctx, m.Bytes); err != nil {
		return fmt.Errorf("compile the module: %s", printable(err.Error(), 200))
	}
	i, err := v.newInstance(ctx, loadTime)
	if err != nil {
		return fmt.Errorf("start the module: %w", err)
	}
	if err = i.canary(ctx); err != nil {
		i.close()
		return fmt.Errorf("try the module: %w", err)
	}
	v.usual.Store(i.measure())
	v.pool.mu.Lock()
	v.pool.busy++
	v.pool.mu.Unlock()
	v.pool.put(i, false)
	return nil
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

// outgrown reports that an instance has grown so far beyond its usual size that
// a new one is better.
func (v *Version) outgrown(size uint32) bool {
	usual := v.usual.Load()
	return usual > 0 && uint64(size) > 4*uint64(usual)
}

// acquire takes an instance and gives its calls their time. Standing in line
// counts; the time to make an instance does not.
func (v *Version) acquire(ctx context.Context, timeout time.Duration) (*instance, error) {
	if ctx.Err() != nil {
		return nil, v.canceled(ctx)
	}
	if err := v.breaker.allow(); err != nil {
		v.faults[core.FaultOverload].Add(1)
		return nil, err
	}
	i, waited, err := v.pool.get(ctx, timeout)
	if err != nil {
		v.failed(err)
		return nil, err
	}
	i.call.arm(ctx, timeout-waited)
	return i, nil
}

// canceled is the answer to a caller whose context has ended.
func (v *Version) canceled(ctx context.Context) *Error {
	return &Error{
		Plugin: v.Name, Kind: core.FaultTimeout, Reason: "the request was canceled", Err: context.Cause(ctx),
		excused: true, left: errors.Is(ctx.Err(), context.Canceled),
	}
}

// release gives an instance back and counts how its call ended.
func (v *Version) release(i *instance, err error) {
	i.call.disarm()
	if err != nil {
		v.failed(err)
	} else {
		v.breaker.succeeded()
	}
	v.pool.put(i, err != nil)
}

// failed counts a fault, for the statistics and for the breaker.
func (v *Version) failed(err error) {
	var e *Error
	if !errors.As(err, &e) || e.left {
		return
	}
	v.faults[e.Kind].Add(1)
	if !e.excused {
		v.breaker.failed(e.Kind)
	}
}

// Detect asks the guest about one text, whole or a piece as flags say, and
// appends what it found.
func (v *Version) Detect(ctx context.Context, dst []Match, text string, flags uint32) ([]Match, error) {
	if text == "" {
		return dst, nil
	}
	i, err := v.acquire(ctx, budget{v.limits.Timeout}.of(len(text)))
	if err != nil {
		return dst, err
	}
	got, err := i.detect(text, flags)
	dst = append(dst, got...)
	v.findings.Add(uint64(len(got)))
	v.release(i, err)
	return dst, err
}
