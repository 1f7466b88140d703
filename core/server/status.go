package server

import "github.com/headgate-dev/headgate/core/manage/admin"

// Status is the status document of the specification.
type Status struct {
	Status        string     `json:"status"` // ok, or degraded if there are warnings
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

// Capabilities are the capabilities of a provider's models.
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

// Plugin is a file of the plugins folder that a link uses.
type Plugin = admin.Plugin
