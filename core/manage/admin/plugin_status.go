package admin

import "time"

// Plugin is a file of the plugins folder that a link uses.
type Plugin struct {
	File string `json:"file"`
	// Name, Version and Digest describe the active version and are empty without one.
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Digest  string `json:"digest"`
	// State is live; old, if the file in the folder is unusable and an earlier version is active; refused; or unused, if no
	// link of the chain uses it.
	State  string `json:"state"`
	Trust  string `json:"trust"`
	Reason string `json:"reason,omitempty"` // why the file in the folder is not active
	// Calls, Findings and Faults count since the start, for the digest. MeanMicros is the mean duration of sampled calls in
	// microseconds.
	Calls      uint64            `json:"calls"`
	Findings   uint64            `json:"findings"`
	Faults     map[string]uint64 `json:"faults"`
	MeanMicros float64           `json:"meanMicros"`
	// Instances hold MemoryBytes of linear memory in total at the moment.
	Instances    int              `json:"instances"`
	MemoryBytes  int64            `json:"memoryBytes"`
	Links        []PluginLink     `json:"links,omitempty"`
	OutOfService bool             `json:"outOfService"`
	Candidate    *PluginCandidate `json:"candidate,omitempty"`
	// Process is set for a plugin that runs as a process.
	Process *PluginProcess `json:"process,omitempty"`
}

// PluginLink is a link that runs a module. Links with the same module, settings and limits share its instances, so that their memory is
// that of all of them.
type PluginLink struct {
	Link        string   `json:"link"`
	Instances   int      `json:"instances"`
	MemoryBytes int64    `json:"memoryBytes"`
	SharedWith  []string `json:"sharedWith,omitempty"`
}

// PluginProcess is the state of a plugin's process.
type PluginProcess struct {
	Link     string            `json:"link"`
	Version  string            `json:"version"`
	State    string            `json:"state"` // running or restarting
	Restarts uint64            `json:"restarts"`
	Calls    uint64            `json:"calls"`
	BusyMs   int64             `json:"busyMs"` // of all calls
	Faults   map[string]uint64 `json:"faults"` // by outcome
}

// PluginCandidate is a newer version on trial beside the active one.
type PluginCandidate struct {
	Version string    `json:"version,omitempty"`
	Digest  string    `json:"digest"`
	State   string    `json:"state"` // shadow, held or promoted
	Since   time.Time `json:"since"`
	Reason  string    `json:"reason,omitempty"` // why it is on hold
	// Calls counts comparisons, Skipped the calls that could not be compared.
	Calls          int64                  `json:"calls"`
	Agreed         int64                  `json:"agreed"`
	Skipped        int64                  `json:"skipped"`
	Diverged       map[string]int64       `json:"diverged"` // by kind: action, edits, findings, rest
	Labels         map[string]PluginLabel `json:"labels,omitempty"`
	Faults         map[string]int64       `json:"faults"`
	MeanMicros     float64                `json:"meanMicros"`
	LiveMeanMicros float64                `json:"liveMeanMicros"`
}

// PluginLabel counts the findings of a label by the active version and by the candidate.
type PluginLabel struct {
	Live      int64 `json:"live"`
	Candidate int64 `json:"candidate"`
}
