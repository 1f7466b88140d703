package plugins

import "slices"

// Types of events, as the audit log names them.
const (
	EventLoaded    = "PLUGIN_LOADED"    // a version serves
	EventRefused   = "PLUGIN_REFUSED"   // the file in the folder cannot be used
	EventCandidate = "PLUGIN_CANDIDATE" // a new version is tried beside the serving one
	EventPromoted  = "PLUGIN_PROMOTED"  // a candidate has replaced the serving version
	EventHeld      = "PLUGIN_HELD"      // a candidate waits for an operator
	EventWithdrawn = "PLUGIN_WITHDRAWN" // a file was removed, and nothing serves in its place
)

// Event is a change in the state of a file.
type Event struct {
	Type, File string
	// Digest is that of the version that the event is about. Before is that of the version that served before it or
	// continues to serve. Either may be empty.
	Digest, Before string
	Version        string // as the manifest says; may be empty
	Reason         string
}

// maxEvents limits how many events wait for a call of Events.
const maxEvents = 1000

// recordEvent records an event. The caller holds d.state.
func (d *Dir) recordEvent(e Event) {
	if len(d.events) < maxEvents {
		d.events = append(d.events, e)
	}
}

// Events returns the events since the last call, in order, and removes them.
func (d *Dir) Events() []Event {
	d.state.Lock()
	defer d.state.Unlock()
	out := slices.Clone(d.events)
	d.events = d.events[:0]
	return out
}
