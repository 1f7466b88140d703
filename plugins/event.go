package plugins

import "slices"

// Types of events, as the audit log names them.
const (
	EventLoaded    = "PLUGIN_LOADED"    // a version serves
	EventRefused   = "PLUGIN_REFUSED"   // what lies in the folder cannot be used
	EventCandidate = "PLUGIN_CANDIDATE" // a new version is tried beside the one that serves
	EventPromoted  = "PLUGIN_PROMOTED"  // a candidate has taken the place of what served
	EventHeld      = "PLUGIN_HELD"      // a candidate waits for an operator
	EventWithdrawn = "PLUGIN_WITHDRAWN" // a file was taken away, and nothing serves in its place
)

// Event is one turn in the life of a file.
type Event struct {
	Type, File string
	// Digest is that of the version which the event is about, Before of the one
	// that served before it or goes on serving; either may be empty.
	Digest, Before string
	Version        string // as the manifest says; may be empty
	Reason         string
}

// maxEvents bounds what nobody takes.
const maxEvents = 1000

// tell notes an event. d.state is held.
func (d *Dir) tell(e Event) {
	if len(d.events) < maxEvents {
		d.events = append(d.events, e)
	}
}

// Events takes what has happened since the last call, in order.
func (d *Dir) Events() []Event {
	d.state.Lock()
	defer d.state.Unlock()
	out := slices.Clone(d.events)
	d.events = d.events[:0]
	return out
}
