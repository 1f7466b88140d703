package plugins

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/wasm"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// Plugin is a stage that is ready to be a link of the chain: the serving version, alone or beside a candidate. Closing
// it releases both.
type Plugin interface {
	core.StreamStage
	core.Closer
	// Version returns that of the serving module.
	Version() *wasm.Version
}

// UnusableError is the error for a file that cannot be used in its current form while no earlier version of it is loaded.
type UnusableError struct {
	File string
	Err  error
}

func (e *UnusableError) Error() string { return fmt.Sprintf("plugin %q: %v", e.File, e.Err) }

// Unwrap returns the reason.
func (e *UnusableError) Unwrap() error { return e.Err }

// Deps are the dependencies of a module and what it may read.
type Deps struct {
	Name   string // of the link
	State  core.State
	Grant  foreign.Grant
	Answer foreign.Answerer // makes replies of texts; optional
	Shadow bool             // the link's verdicts change nothing
	// Phases are those in which the link runs; 0: all that the manifest names.
	Phases core.Phases
	// Services are what the gateway offers besides.
	Services foreign.Services
}

// OpenStage returns a stage for a link that runs the file of the folder. s is the link's config block, deps is what a
// stage may use and read. If the file does not load, the last module of that file that did is used, and Problems
// reports it; without such a module the error is an Unusable.
//
// A module that is already loaded with the same settings and limits is shared, so that rebuilding a chain costs nothing
// for unchanged links. Closing the stage releases it.
func (d *Dir) OpenStage(ctx context.Context, name string, s core.Settings, l wasm.Limits, deps Deps) (Plugin, error) {
	if !isPlainFile(name) || !strings.HasSuffix(name, suffix) {
		return nil, fmt.Errorf("plugin %q: must be the name of a %s file in the plugins folder", name, suffix)
	}
	settings, err := wasm.ReadSettings(s)
	if err != nil {
		return nil, err // names the file and the line
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	f, a := d.ensureRecord(name), moduleRequest{settings: settings, limits: l, deps: deps}
	m, err := d.read(name)
	d.restoreServing(f, &m)
	if f.live != nil && d.checkLive(f.live) != nil {
		f.stopTrial()
		d.dropModule(f)
	}
	if err == nil {
		var st Plugin
		if st, err = d.buildNewest(ctx, f, &m, a); err == nil {
			return st, nil
		}
		if f.live != nil && m.equals(f.live) {
			// If the same module as before rejects the settings, the operator made a mistake; the module is not broken.
			return nil, fmt.Errorf("plugin %q: %w", name, err)
		}
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("plugin %q: %w", name, context.Cause(ctx))
	}
	var wrong *settingsError
	if f.live == nil && (errors.As(err, &wrong) || wasm.IsSettings(err)) {
		return nil, fmt.Errorf("plugin %q: %w", name, err)
	}
	f.stopTrial()
	gone := errors.Is(err, errMissing) && d.Rules().Withdraw
	if f.live != nil && !gone {
		if st, lastErr := d.buildStage(ctx, f.live, a); lastErr == nil {
			d.recordVersion(f.live, st.Version(), EventLoaded)
			d.addProblem(name, m.digest, f.live.digest, err)
			return st, nil
		}
	}
	d.addProblem(name, m.digest, "", err)
	if gone {
		d.dropModule(f)
	}
	return nil, &UnusableError{name, err}
}

// moduleRequest is what a link requests of a module.
type moduleRequest struct {
	settings wasm.Settings
	limits   wasm.Limits
	deps     Deps
	// candidate means that the module is tried beside the serving one.
	candidate bool
}

// buildNewest returns a stage of the file in the folder: as the serving version from now on, or as a candidate beside it.
// The caller holds d.mu.
func (d *Dir) buildNewest(ctx context.Context, f *record, m *module, a moduleRequest) (Plugin, error) {
	if f.live != nil && !m.equals(f.live) {
		if t, err := d.newTrial(f, m); err != nil {
			return nil, err
		} else if t != nil {
			return d.buildTrialStage(ctx, f, t, a)
		}
	}
	st, err := d.buildStage(ctx, m, a)
	if err != nil {
		return nil, err
	}
	version := st.Version().Manifest.Version
	if err = d.checkVersion(f, m.digest, version); err == nil {
		err = d.storeVersion(f, version)
	}
	if err != nil {
		return nil, errors.Join(err, st.Close(ctx))
	}
	d.setServing(f, m, st.Version())
	return st, nil
}

// buildStage returns a stage of a module.
func (d *Dir) buildStage(ctx context.Context, m *module, a moduleRequest) (Plugin, error) {
	config, err := a.settings.Config()
	if err != nil {
		return nil, &settingsError{err}
	}
	key := versionKey{file: m.file, digest: m.digest, manifest: m.beside, config: string(config), limits: a.limits}
	v := d.versions[key]
	if v == nil || !v.Acquire() {
		if v, err = d.load(ctx, m, config, a.limits); err != nil {
			return nil, err
		}
		d.rememberVersion(key, v)
	}
	st, err := wasm.NewPlugin(v, wasm.Options{
		Link:      a.deps.Name,
		Settings:  a.settings,
		State:     a.deps.State,
		Answer:    a.deps.Answer,
		Grant:     a.deps.Grant,
		Shadow:    a.deps.Shadow,
		Services:  a.deps.Services,
		Phases:    a.deps.Phases,
		Candidate: a.candidate,
	})
	if err != nil {
		v.Release(ctx)
		return nil, &settingsError{err}
	}
	return st, nil
}

// settingsError is a mistake of the operator, not a fault of the module.
type settingsError struct{ err error }

func (e *settingsError) Error() string { return e.err.Error() }

func (e *settingsError) Unwrap() error { return e.err }

func (d *Dir) load(ctx context.Context, m *module, config []byte, l wasm.Limits) (*wasm.Version, error) {
	o := wasm.LoadOptions{Source: m.source, Name: m.file, Manifest: m.manifest, Config: config, Limits: l, Cache: d.cache}
	if d.o.Log != nil {
		o.Log = func(level abi.Level, text string, dropped int) { d.o.Log(m.file, level, text, dropped) }
	}
	return wasm.Load(ctx, o) // the caller names the plugin
}

// rememberVersion remembers a version without holding a reference, and forgets versions that have closed.
func (d *Dir) rememberVersion(key versionKey, v *wasm.Version) {
	for k, old := range d.versions {
		select {
		case <-old.CloseSignal():
			delete(d.versions, k)
		default:
		}
	}
	d.versions[key] = v
	d.state.Lock()
	defer d.state.Unlock()
	d.retire() // so that it happens even if the counters are never read
	d.live = append(d.live, v)
}
