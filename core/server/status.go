package server

import "time"

// Status is the gateway's status document, as the specification has it.
type Status struct {
	Status        string     `json:"status"` // ok, or degraded when there are warnings
	Mode          string     `json:"mode"`
	Version       string     `json:"version"`
	UptimeSeconds int64      `json:"uptimeSeconds"`
	ConfigVersion int64      `json:"configVersion"`
	Providers     []Provider `json:"providers"`
	Routes        []Route    `json:"routes"`
	Region        Region     `json:"region"`
	RateLimits    RateLimits `json:"rateLimits"`
	Warnings      []string   `json:"warnings"`
	Chain         []Link     `json:"chain"`
	Plugins       []Plugin   `json:"plugins"`
}

// Provider is one provider.
type Provider struct {
	Name         string       `json:"name"`
	Type         string       `json:"type"`
	Health       string       `json:"health"`
	Capabilities Capabilities `json:"capabilities"`
}

// Capabilities are those of a provider's models.
type Capabilities struct {
	Streaming         bool `json:"streaming"`
	Vision            bool `json:"vision"`
	ToolCalls         bool `json:"toolCalls"`
	StructuredOutputs bool `json:"structuredOutputs"`
	JSONMode          bool `json:"jsonMode"`
	MaxContextTokens  int  `json:"maxContextTokens"`
}

// Route is one route.
type Route struct {
	ModelPattern string   `json:"modelPattern"`
	Strategy     string   `json:"strategy"`
	Providers    []string `json:"providers"`
}

// Region is where the gateway runs.
type Region struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	RegionAware bool   `json:"regionAware"`
}

// RateLimits are the limits in force.
type RateLimits struct {
	Enabled                        bool  `json:"enabled"`
	GlobalRequestsPerSecond        int64 `json:"globalRequestsPerSecond"`
	DefaultPerKeyRequestsPerSecond int64 `json:"defaultPerKeyRequestsPerSecond"`
	DefaultPerKeyTokensPerMinute   int64 `json:"defaultPerKeyTokensPerMinute"`
}

// Link is one link of the chain.
type Link struct {
	Name    string   `json:"name"`
	Phases  []string `json:"phases"`
	Mode    string   `json:"mode"`
	OnFault string   `json:"onFault"`
}

// Plugin is one file of the plugins folder that a link has asked for.
type Plugin struct {
	File string `json:"file"`
	// Name, Version and Digest are of what serves; empty when nothing does.
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Digest  string `json:"digest"`
	// State is live; old, when what lies in the folder cannot be used and an earlier version serves; or refused.
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
	Process *Process `json:"process,omitempty"`
}

// Process is how the process of a plugin does.
type Process struct {
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
