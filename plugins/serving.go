package plugins

import (
	"github.com/headgate-dev/headgate/wasm"
)

// serving describes the version of a file that is in force. It can be read without waiting while a module is being
// loaded.
type serving struct {
	name, version, digest, beside string
	trial                         *trial
}

// setServing records that a module serves its file from now on. The caller holds d.mu.
func (d *Dir) setServing(f *record, m *module, v *wasm.Version) {
	event := EventLoaded
	if f.trial != nil && f.trial.m.equals(m) {
		event = EventPromoted
	}
	f.stopTrial()
	f.live = m
	d.clearProblem(f.name)
	d.recordVersion(m, v, event)
	d.storeServing(m)
}

// recordVersion updates the description of a file. event is the type of the event if another version served before.
func (d *Dir) recordVersion(m *module, v *wasm.Version, event string) {
	d.state.Lock()
	defer d.state.Unlock()
	on := d.serving[m.file]
	if on.digest == m.digest && on.beside == m.beside {
		return
	}
	d.serving[m.file] = serving{name: v.Manifest.Name, version: v.Manifest.Version, digest: m.digest, beside: m.beside}
	d.recordEvent(Event{Type: event, File: m.file, Digest: m.digest, Version: v.Manifest.Version, Before: on.digest})
}

// dropModule forgets the module of a removed file. The caller holds d.mu.
func (d *Dir) dropModule(f *record) {
	if f.live == nil {
		return
	}
	before := f.live.digest
	f.live = nil
	d.state.Lock()
	defer d.state.Unlock()
	delete(d.serving, f.name)
	d.recordEvent(Event{Type: EventWithdrawn, File: f.name, Before: before})
}

// stopTrial ends the trial of a file, if any.
func (f *record) stopTrial() {
	if f.trial != nil {
		f.trial.stop()
		f.trial = nil
	}
}
