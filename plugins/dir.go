package plugins

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// Options says where plugins lie and which of them may run.
type Options struct {
	// Dir is the folder. It need not exist yet.
	Dir string
	// Trust is the rule for what may run; the zero value is TrustPinned, the
	// strictest that needs no key.
	Trust Trust
	// Keys are the public keys that count when Trust is TrustSigned.
	Keys []ed25519.PublicKey
	// CacheDir keeps compiled code; empty: nothing is kept, and each start
	// compiles anew.
	CacheDir string
	// Child compiles; without an Exe, or without a CacheDir, this process does.
	Child wasm.Child
	// Log gets what guests log, and may be nil.
	Log func(file string, level abi.Level, text string, dropped int)
}

// Dir is a folder of plugins.
type Dir struct {
	o     Options
	cache *wasm.Cache
	first snapshot // what was there when the folder was opened

	mu       sync.Mutex // held while a module is loaded: one at a time
	good     map[string]module
	versions map[versionKey]*wasm.Version
	state    sync.Mutex // guards what follows, never held for long
	problems map[string]Problem
	live     []*wasm.Version
	retired  map[string]wasm.Stats
}

// versionKey is all that makes two loaded modules differ.
type versionKey struct {
	file, digest, manifest, config string
	limits                         wasm.Limits
}

// Open looks at a folder. Modules are loaded when Stage asks for them.
func Open(o Options) (*Dir, error) {
	if o.Dir == "" {
		return nil, errors.New("open the plugins: no folder is named")
	}
	if o.Trust == TrustSigned && len(o.Keys) == 0 {
		return nil, errors.New("open the plugins: trust is signed, but there is no public key")
	}
	for _, k := range o.Keys {
		if len(k) != ed25519.PublicKeySize {
			return nil, fmt.Errorf("open the plugins: a public key has %d bytes, Ed25519 has %d", len(k), ed25519.PublicKeySize)
		}
	}
	d := &Dir{
		o: o, good: map[string]module{}, versions: map[versionKey]*wasm.Version{},
		problems: map[string]Problem{}, retired: map[string]wasm.Stats{},
	}
	if o.CacheDir != "" {
		var err error
		if d.cache, err = wasm.OpenCache(o.CacheDir, o.Child); err != nil {
			return nil, fmt.Errorf("open the plugins: %w", err)
		}
	}
	d.first = take(o.Dir)
	return d, nil
}

// Problem is a file that does not serve as it lies in the folder.
type Problem struct {
	File   string
	Digest string // of what lies there; empty: nothing does
	Reason string
	Since  time.Time
	// Serving is the digest that serves in its place; empty: none does.
	Serving string
}

// Problems lists what is wrong, by file.
func (d *Dir) Problems() []Problem {
	d.state.Lock()
	defer d.state.Unlock()
	out := make([]Problem, 0, len(d.problems))
	for _, p := range d.problems {
		out = append(out, p)
	}
	sortBy(out, func(p Problem) string { return p.File })
	return out
}

func (d *Dir) problem(file, digest, serving string, err error) {
	d.state.Lock()
	defer d.state.Unlock()
	p := Problem{File: file, Digest: digest, Reason: err.Error(), Since: time.Now(), Serving: serving}
	if old, ok := d.problems[file]; ok && old.Digest == p.Digest && old.Reason == p.Reason {
		p.Since = old.Since
	}
	d.problems[file] = p
}

func (d *Dir) solved(file string) {
	d.state.Lock()
	defer d.state.Unlock()
	delete(d.problems, file)
}

// Stage makes a link of the file, which lies in the folder: s is the link's
// config block. Where what lies there does not load, the last module of that
// file that did is used, and Problems tells; without one there is an error.
//
// A module that is loaded already, with the same settings and limits, is shared,
// so that building a chain anew costs nothing for what has not changed. Closing
// the stage lets go of it.
func (d *Dir) Stage(ctx context.Context, file string, s core.Settings, l wasm.Limits, deps core.Deps) (*wasm.Stage, error) {
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
		var st *wasm.Stage
		if st, err = d.try(ctx, m, settings, l, deps.Name); err == nil {
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
		if st, lastErr := d.try(ctx, last, settings, l, deps.Name); lastErr == nil {
			d.problem(file, m.digest, last.digest, err)
			return st, nil
		}
	}
	d.problem(file, m.digest, "", err)
	return nil, fmt.Errorf("plugin %q: %w", file, err)
}

// try makes a stage of a module.
func (d *Dir) try(ctx context.Context, m module, s wasm.Settings, l wasm.Limits, link string) (*wasm.Stage, error) {
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
	st, err := wasm.NewStage(v, link, s)
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

// Digest gives the SHA-256 of a module in hex, as plugins.lock holds it.
func Digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Close forgets what was loaded. Stages that are still open serve on; each lets
// go of its module when it is closed.
func (d *Dir) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.good)
	clear(d.versions)
	return nil
}
