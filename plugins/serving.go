package plugins

import (
	"github.com/headgate-dev/headgate/wasm"
)

// serving is what is in force of one file, for those who ask without waiting for
// a module that is being loaded.
type serving struct {
	name, version, digest string
	trial                 *trial
}

// serves notes that a module is what its file gives from now on. d.mu is held.
func (d *Dir) serves(f *record, m *module, v *wasm.Version) {
	was := f.live
	promoted := f.trial != nil && f.trial.m.same(m)
	f.drop()
	f.live = m
	d.solved(f.name)
	d.state.Lock()
	defer d.state.Unlock()
	d.serving[f.name] = serving{name: v.Manifest.Name, version: v.Manifest.Version, digest: m.digest}
	switch {
	case was != nil && was.same(m):
	case promoted:
		d.tell(Event{Type: EventPromoted, File: f.name, Digest: m.digest, Version: v.Manifest.Version, Before: was.digest})
	default:
		e := Event{Type: EventLoaded, File: f.name, Digest: m.digest, Version: v.Manifest.Version}
		if was != nil {
			e.Before = was.digest
		}
		d.tell(e)
	}
}

// withdrawn forgets what a file gave that was taken away. d.mu is held.
func (d *Dir) withdrawn(f *record) {
	if f.live == nil {
		return
	}
	before := f.live.digest
	f.live = nil
	d.state.Lock()
	defer d.state.Unlock()
	delete(d.serving, f.name)
	d.tell(Event{Type: EventWithdrawn, File: f.name, Before: before})
}

// drop ends the trial of a file, if there is one.
func (f *record) drop() {
	if f.trial != nil {
		f.trial.stop()
		f.trial = nil
	}
}
