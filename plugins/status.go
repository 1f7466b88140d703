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
	StateLive    = "live"    // the file in the folder serves
	StateOld     = "old"     // the file in the folder cannot be used; the previous version keeps serving
	StateRefused = "refused" // nothing serves
)

// States of a candidate.
const (
	StateShadow   = "shadow"   // it runs in a trial
	StateHeld     = "held"     // it waits for an operator
	StatePromoted = "promoted" // it replaces the serving version when the chain is next rebuilt
)

// Status describes one file that a link has requested.
type Status struct {
	File, State string
	// Name, Version and Digest describe the serving module; empty if no module serves.
	Name, Version, Digest string
	Trust                 Trust
	// Reason says why the file in the folder does not serve, or is "" if it does.
	Reason string
	// Stats are those of the serving module, whatever its settings; zero if no module serves.
	Stats wasm.Stats
	// Candidate is tried beside the serving module. Optional.
	Candidate *CandidateStatus
}

// CandidateStatus is the progress of a trial.
type CandidateStatus struct {
	Version, Digest string
	State           string // StateShadow, StateHeld or StatePromoted
	Since           time.Time
	Reason          string // why it is held
	// Calls counts comparisons: bodies, and parts of streamed answers. Skipped counts what could not be compared,
	// because the client left or the serving version failed.
	Calls, Agreed, Skipped int64
	Diverged               map[string]int64 // by kind
	Labels                 map[string]LabelCount
	Faults                 map[core.Fault]int64
	// Time is the candidate's mean time for a comparison, LiveTime that of the serving version.
	Time, LiveTime time.Duration
}

// Status lists the files that links have requested, by name.
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
			out[i].Candidate = t.describeStatus()
		}
	}
	return out
}
