package plugins

import (
	"maps"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm"
)

// States of a file.
const (
	StateLive    = "live"    // what lies there serves
	StateOld     = "old"     // what lies there cannot be used; what did before serves on
	StateRefused = "refused" // nothing serves
)

// States of a candidate.
const (
	StateShadow   = "shadow"   // it is tried
	StateHeld     = "held"     // an operator decides
	StatePromoted = "promoted" // it takes the place of what serves with the next chain
)

// Status is what is to be said of one file that a link has asked for.
type Status struct {
	File, State string
	// Name, Version and Digest are of what serves; empty when nothing does.
	Name, Version, Digest string
	Trust                 Trust
	// Reason says why what lies in the folder does not serve; empty: it does.
	Reason string
	// Stats are of what serves, whatever its settings; zero when nothing does.
	Stats wasm.Stats
	// Candidate is tried beside it; nil: none is.
	Candidate *CandidateStatus
}

// CandidateStatus is how far a trial has come.
type CandidateStatus struct {
	Version, Digest string
	State           string // StateShadow, StateHeld or StatePromoted
	Since           time.Time
	Reason          string // why it is held
	// Calls are comparisons: bodies, and parts of streamed answers. Skipped could
	// not be compared, because the client left or what serves failed.
	Calls, Agreed, Skipped int64
	Diverged               map[string]int64 // by kind
	Labels                 map[string]LabelCount
	Faults                 map[core.Fault]int64
	// Time is the candidate's mean time for a comparison, LiveTime that of what
	// serves.
	Time, LiveTime time.Duration
}

// Status lists the files that links have asked for, by name.
func (d *Dir) Status() []Status {
	stats := map[string]wasm.Stats{}
	for _, s := range d.Stats() {
		stats[s.Name+"\x00"+s.Digest] = s
	}
	d.state.Lock()
	names := slices.Collect(maps.Keys(d.serving))
	for name := range d.problems {
		if _, ok := d.serving[name]; !ok {
			names = append(names, name)
		}
	}
	out := make([]Status, 0, len(names))
	trials := make([]*trial, 0, len(names))
	slices.Sort(names)
	for _, name := range names {
		on := d.serving[name]
		p := d.problems[name]
		s := Status{File: name, Trust: d.o.Trust, Name: on.name, Version: on.version, Digest: on.digest, Reason: p.Reason, State: StateLive}
		switch {
		case p.unplaced:
			s.State = StateUnplaced
		case on.digest == "":
			s.State = StateRefused
		case s.Reason != "" && p.Digest != on.digest:
			s.State = StateOld
		}
		s.Stats = stats[name+"\x00"+on.digest]
		out, trials = append(out, s), append(trials, on.trial)
	}
	d.state.Unlock()
	for i, t := range trials {
		if t != nil && t.state.Load() != trialEnded {
			out[i].Candidate = t.status()
		}
	}
	return out
}
