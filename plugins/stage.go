package plugins

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// Stage makes a link of the file, which lies in the folder: s is the link's config
// block, deps what a stage is given and may see. Where what lies there does not load, the last module of that
// file that did is used, and Problems tells; without one there is an error.
//
// A module that is loaded already, with the same settings and limits, is shared,
// so that building a chain anew costs nothing for what has not changed. Closing
// the stage lets go of it.
func (d *Dir) Stage(ctx context.Context, file string, s core.Settings, l wasm.Limits, deps core.Deps) (wasm.Plugin, error) {
	if filepath.Base(file) != file || !strings.HasSuffix(file, suffix) {
		return nil, fmt.Errorf("plugin %q: must be the name of a %s file in the plugins folder", file, suffix)
	}
	settings, err := wasm.ReadSettings(s)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the file and the line already
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	m, err := d.read(file)
	whole := err == nil
	if whole {
		var st wasm.Plugin
		if st, err = d.try(ctx, m, settings, l, &deps); err == nil {
			d.good[file] = m
			d.solved(file)
			return st, nil
		}
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("plugin %q: %w", file, context.Cause(ctx))
	}
	// The same module as before with settings that it does not take is the
	// operator's mistake, and not a broken module.
	last, ok := d.good[file]
	if ok && !(whole && last.digest == m.digest && last.beside == m.beside) {
		if st, lastErr := d.try(ctx, last, settings, l, &deps); lastErr == nil {
			d.problem(file, m.digest, last.digest, err)
			return st, nil
		}
	}
	d.problem(file, m.digest, "", err)
	return nil, fmt.Errorf("plugin %q: %w", file, err)
}

// try makes a stage of a module.
func (d *Dir) try(ctx context.Context, m module, s wasm.Settings, l wasm.Limits, deps *core.Deps) (wasm.Plugin, error) {
	config, err := s.Config()
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller names the plugin
	}
	key := versionKey{file: m.file, digest: m.digest, manifest: m.beside, config: string(config), limits: l}
	v := d.versions[key]
	if v == nil || !v.Acquire() {
		if v, err = d.load(ctx, m, config, l); err != nil {
			return nil, err
		}
		d.keep(key, v)
	}
	st, err := wasm.NewPlugin(v, wasm.Options{
		Link: deps.Name, Settings: s, State: deps.State, Answer: deps.Answer, Grant: deps.Grant, Shadow: deps.Shadow,
	})
	if err != nil {
		v.Release(ctx)
		return nil, err //nolint:wrapcheck // the caller names the plugin
	}
	return st, nil
}

func (d *Dir) load(ctx context.Context, m module, config []byte, l wasm.Limits) (*wasm.Version, error) {
	o := wasm.LoadOptions{Source: m.source, Name: m.file, Manifest: m.manifest, Config: config, Limits: l, Cache: d.cache}
	if d.o.Log != nil {
		o.Log = func(level abi.Level, text string, dropped int) { d.o.Log(m.file, level, text, dropped) }
	}
	return wasm.Load(ctx, o) //nolint:wrapcheck // the caller names the plugin
}

// keep remembers a version without holding it, and forgets those that have
// closed.
func (d *Dir) keep(key versionKey, v *wasm.Version) {
	for k, old := range d.versions {
		select {
		case <-old.Closed():
			delete(d.versions, k)
		default:
		}
	}
	d.versions[key] = v
	d.state.Lock()
	defer d.state.Unlock()
	d.live = append(d.live, v)
}
