package admin

import "time"

// Plugin is one file of the plugins folder that a link has asked for.
type Plugin struct {
	File string `json:"file"`
	// Name, Version and Digest are of what serves; empty when nothing does.
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Digest  string `json:"digest"`
	// State is live; old, when what lies in the folder cannot be used and an earlier version serves; refused; or unused,
	// when no link of the chain asks for it.
	State  string `json:"state"`
	Trust  string `json:"trust"`
	Reason string `json:"reason,omitempty"` // why what lies in the folder does not serve
	// Calls, Findings and Faults are counts of the digest since the start. MeanMicros is the mean time of a call, of a sample.
	Calls        uint64            `json:"calls"`
	Findings     uint64            `json:"findings"`
	Faults       map[string]uint64 `json:"faults"`
	MeanMicros   float64           `json:"meanMicros"`
	OutOfService bool              `json:"outOfService"`
	Candidate    *PluginCandidate  `json:"candidate,omitempty"`
	// Process is set for a plugin that is a process of its own.
	Process *PluginProcess `json:"process,omitempty"`
}

// PluginProcess is how the process of a plugin does.
type PluginProcess struct {
	Link     string            `json:"link"`
	Version  string            `json:"version"`
	State    string            `json:"state"` // running, restarting, out_of_service
	Restarts uint64            `json:"restarts"`
	Calls    uint64            `json:"calls"`
	BusyMs   int64             `json:"busyMs"` // of all calls
	Faults   map[string]uint64 `json:"faults"` // by outcome
}

// PluginCandidate is a newer version that is tried beside the one that serves.
type PluginCandidate struct {
	Version string    `json:"version,omitempty"`
	Digest  string    `json:"digest"`
	State   string    `json:"state"` // shadow, held or promoted
	Since   time.Time `json:"since"`
	Reason  string    `json:"reason,omitempty"` // why it is held
	// Calls are comparisons. Skipped ones could not be compared.
	Calls          int64                  `json:"calls"`
	Agreed         int64                  `json:"agreed"`
	Skipped        int64                  `json:"skipped"`
	Diverged       map[string]int64       `json:"diverged"` // by kind: action, edits, findings, rest
	Labels         map[string]PluginLabel `json:"labels,omitempty"`
	Faults         map[string]int64       `json:"faults"`
	MeanMicros     float64                `json:"meanMicros"`
	LiveMeanMicros float64                `json:"liveMeanMicros"`
}

// PluginLabel is how often a label was found by each.
type PluginLabel struct {
	Live      int64 `json:"live"`
	Candidate int64 `json:"candidate"`
}
