package plugins

import (
	"github.com/headgate-dev/headgate/wasm"
)

// serving is what is in force of one file, for those who ask without waiting for
// a module that is being loaded.
type serving struct {
	name, version, digest, beside string
	trial                         *trial
}

// serves notes that a module is what its file gives from now on. d.mu is held.
func (d *Dir) serves(f *record, m *module, v *wasm.Version) {
	event := EventLoaded
	if f.trial != nil && f.trial.m.same(m) {
		event = EventPromoted
	}
	f.drop()
	f.live = m
	d.clearProblem(f.name)
	d.shows(m, v, event)
	d.keepOnDisk(m)
}

// shows keeps what is told of a file up to date. event is what it is called when
// another version serves than before.
func (d *Dir) shows(m *module, v *wasm.Version, event string) {
	d.state.Lock()
	defer d.state.Unlock()
	on := d.serving[m.file]
	if on.digest == m.digest && on.beside == m.beside {
		return
	}
	d.serving[m.file] = serving{name: v.Manifest.Name, version: v.Manifest.Version, digest: m.digest, beside: m.beside}
	d.tell(Event{Type: event, File: m.file, Digest: m.digest, Version: v.Manifest.Version, Before: on.digest})
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
