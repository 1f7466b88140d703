package wasm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/tetratelabs/wazero"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
	"github.com/headgate-dev/headgate/wasm/httpwasm"
	"github.com/headgate-dev/headgate/wasm/meter"
)

// LoadOptions are the module to load and its settings.
type LoadOptions struct {
	// Source is the content of the module's file. Load does not retain it.
	Source []byte
	// Name is the name of the file, for error messages.
	Name string
	// Manifest is used if the module does not contain one. Optional.
	Manifest *Manifest
	// Config is the JSON passed to the guest as its settings. The default is {}.
	Config []byte
	Limits Limits
	// Cache keeps compiled code on disk and compiles in a child process.
	// Optional.
	Cache *Cache
	Log   LogFunc
}

// Load returns a version that is ready to serve. The error says why the module was refused. The caller owns the version's only reference.
func Load(ctx context.Context, o LoadOptions) (*Version, error) {
	limits, err := o.Limits.withDefaults()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(o.Source)
	bounds := limits.buildMeterLimits()
	bounds.OwnMemory = isRego(o.Source, o.Manifest)
	m, err := meter.Rewrite(o.Source, bounds)
	if err != nil {
		return nil, fmt.Errorf("check the module: %w", err)
	}
	manifest, err := readManifest(m, o.Manifest)
	if err != nil {
		return nil, err
	}
	if manifest.MinMemory > limits.Memory {
		return nil, fmt.Errorf("the module needs %d bytes of memory, its limit is %d", manifest.MinMemory, limits.Memory)
	}
	has, err := findHooks(m.Exports, manifest.Kind)
	if err != nil {
		return nil, err
	}
	if err = has.checkManifest(manifest); err != nil {
		return nil, err
	}
	if len(o.Config) > 0 && !has.configure {
		return nil, errNoSettings
	}
	v := &Version{
		Name: o.Name, Digest: hex.EncodeToString(sum[:]), Manifest: *manifest,
		limits: limits, depth: limits.buildMeterLimits().Depth, state: m.State, config: o.Config, has: has,
		log: guestLog{to: o.Log, most: limits.LogLines}, refs: 1, closed: make(chan struct{}),
	}
	v.breaker.init(v)
	v.pool = newPool(v, limits.Instances)
	if err = v.start(ctx, m, o.Cache); err != nil {
		v.stop(ctx)
		return nil, err
	}
	return v, nil
}

// readManifest returns the module's manifest or, if it has none, the one in a separate file. An http-wasm module needs neither: what it
// may ask for follows from its imports.
func readManifest(m *meter.Module, beside *Manifest) (*Manifest, error) {
	if section, ok := m.Custom[abi.ManifestSection]; ok {
		return ParseManifest(section)
	}
	if beside == nil && httpwasm.Speaks(m.Imports, m.Exports) {
		return buildHTTPManifest(m), nil
	}
	if beside == nil {
		return nil, ErrNoManifest
	}
	if err := beside.Check(); err != nil {
		return nil, err
	}
	return beside, nil
}

// start compiles and links the module and runs the canary on the first instance.
func (v *Version) start(ctx context.Context, m *meter.Module, cache *Cache) error {
	config := wazero.NewRuntimeConfigCompiler().
		WithMemoryLimitPages(v.limits.countGuestPages(v.Manifest.Kind)).
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
	if err := linkModule(ctx, v.runtime, m.Imports, &v.Manifest); err != nil {
		return err
	}
	var err error
	if v.compiled, err = v.runtime.CompileModule(ctx, m.Bytes); err != nil {
		return fmt.Errorf("compile the module: %s", stripControls(err.Error(), 200))
	}
	i, err := v.newInstance(ctx, v.limits.Start)
	if err != nil {
		return fmt.Errorf("start the module: %w", dropName(err))
	}
	if v.resets() {
		if v.snapshot, err = i.createSnapshot(ctx); err != nil {
			i.close()
			return fmt.Errorf("start the module: %w", dropName(err))
		}
	}
	if err = i.runCanary(ctx); err != nil {
		i.close()
		if said := new(Error); errors.As(err, &said) && said.Kind == core.FaultError {
			return fmt.Errorf("try the module: %w; its lines in the log say why, and it may want settings", dropName(err))
		}
		return fmt.Errorf("try the module: %w", dropName(err))
	}
	for _, n := range []*atomic.Uint64{&v.calls, &v.bytes, &v.findings, &v.sampled, &v.spent} {
		n.Store(0) // do not count the calls of the canary
	}
	v.usual.Store(i.measureMemory())
	if i.http != nil {
		v.buffers = i.http.features&httpwasm.BufferResponse != 0
	}
	v.pool.mu.Lock()
	v.pool.busy++
	v.pool.mu.Unlock()
	v.pool.put(i, false)
	return nil
}
