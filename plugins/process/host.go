package process

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Options are the plugins folder and the rules for what may run.
type Options struct {
	// Dir is the plugins folder.
	Dir string
	// Trusts returns why a file must not run if its link gives no digest, or nil. read returns the content from which the
	// digest was computed. Optional: without it, any file may run.
	Trusts func(file, digest string, read func() ([]byte, error)) error
	// Log receives the output of plugins. Optional.
	Log func(link, text string, dropped int)
}

// Host starts plugins, and shares running ones.
type Host struct {
	o Options

	making  sync.Mutex // held while a plugin is started: one at a time
	mu      sync.Mutex // guards the fields below; never held for long
	running map[string]*process
	retired map[string]Stats // by link: of processes that have ended
}

// NewHost returns a host. It starts no process.
func NewHost(o Options) *Host {
	return &Host{o: o, running: map[string]*process{}, retired: map[string]Stats{}}
}

// OpenStage returns a stage for a link that runs a plugin. It starts the plugin, unless one with the same settings
// already runs, and returns when the plugin is ready. Closing the stage releases the plugin.
func (h *Host) OpenStage(ctx context.Context, spec Spec) (*Stage, error) {
	config, err := spec.complete()
	if err != nil {
		return nil, err
	}
	h.making.Lock()
	defer h.making.Unlock()
	// A pinned file that is already running may have been removed.
	if spec.SHA256 != "" {
		if p := h.acquireProcess(spec.formatKey(spec.SHA256, config)); p != nil {
			return newStage(h, p, spec), nil
		}
	}
	exe, err := openExecutable(h.o.Dir, spec.File)
	if err != nil {
		return nil, fmt.Errorf("process plugin: %w", err)
	}
	p := &process{spec: spec, exe: exe, config: config, refs: 1, began: time.Now()}
	key := spec.formatKey(exe.digest, config)
	if spec.SHA256 == "" { // a running file was trusted when it was started
		if shared := h.acquireProcess(key); shared != nil {
			return newStage(h, shared, spec), exe.file.Close()
		}
	}
	if spec.SHA256 == "" && h.o.Trusts != nil {
		if err := h.o.Trusts(spec.File, exe.digest, exe.readBytes); err != nil {
			_ = exe.file.Close() // only read
			return nil, fmt.Errorf("process plugin: %w; or write the digest that sha256sum prints into sha256: of the link", err)
		}
	}
	p.out = new(output)
	if h.o.Log != nil {
		p.out.to = func(text string, dropped int) { h.o.Log(spec.Link, text, dropped) }
	}
	if spec.SHA256 != "" && exe.digest != spec.SHA256 {
		_ = exe.file.Close() // only read
		return nil, p.newFault(OutcomeChecksum, "the file differs from the file that `sha256` pins; its digest is %s", exe.digest)
	}
	if err := p.begin(ctx); err != nil {
		_ = exe.file.Close() // only read
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running[key] = p
	return newStage(h, p, spec), nil
}

// acquireProcess returns a running process, or nil.
func (h *Host) acquireProcess(key string) *process {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.running[key]
	if p != nil {
		p.refs++
	}
	return p
}

// release releases a process. The last release ends it.
func (h *Host) release(ctx context.Context, p *process) error {
	h.mu.Lock()
	p.refs--
	if p.refs > 0 {
		h.mu.Unlock()
		return nil
	}
	for key, q := range h.running {
		if q == p {
			delete(h.running, key)
		}
	}
	h.mu.Unlock()
	err := p.close(ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.retired[p.spec.Link] = p.stats().merge(h.retired[p.spec.Link])
	return err
}

// Stats returns the counters of the running links, by link. Counts only grow.
func (h *Host) Stats() []Stats {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []Stats
	for _, p := range h.running {
		s := p.stats()
		at := slices.IndexFunc(out, func(o Stats) bool { return o.Link == s.Link })
		if at < 0 {
			out = append(out, s.merge(h.retired[s.Link]))
			continue
		}
		// While a new runtime replaces an old one, both have a process of the link.
		if old := out[at]; s.began.After(old.began) {
			out[at] = s.merge(old)
		} else {
			out[at] = old.merge(s)
		}
	}
	slices.SortFunc(out, func(a, b Stats) int { return cmp.Compare(a.Link, b.Link) })
	return out
}
