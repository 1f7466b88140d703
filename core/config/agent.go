package config

import "github.com/headgate-dev/headgate/core/records/meter/money"

// Agent is an agent that clients reach by the A2A protocol, at /a2a/{name}.
type Agent struct {
	// URL is the agent's JSON-RPC endpoint. The gateway ignores the address in the agent's card.
	URL string `yaml:"url" eg:"https://agents.example.com/planner" secret:"true"`
	// CardURL is the address of the agent's card. By default the gateway looks for .well-known/agent-card.json below
	// the URL, and then at the host.
	CardURL string `yaml:"card_url" eg:"https://agents.example.com/.well-known/agent-card.json" secret:"true"`
	// Headers are sent with every message, such as a credential for the agent. The client's key is never passed on.
	Headers map[string]Secret `yaml:"headers" secret:"true"`
	// AllowPrivate lets the gateway call plain http, and addresses of this machine and of private networks.
	AllowPrivate bool `yaml:"allow_private" default:"false"`
	// Trust says whether the agent gets the values behind placeholders: `keep` leaves the placeholders in place, `restore`
	// replaces those that the caller may read.
	Trust MCPTrust `yaml:"trust" default:"keep"`
	// Access limits who may see and use the agent. Default: every key whose scopes allow it.
	Access []AgentAccess `yaml:"access"`
	// PushTo are the addresses at which clients may be notified of their tasks: these, and paths below them. The agent
	// notifies the gateway, which judges the notification and delivers it. Needs `server.public_url`. Default: no push
	// notifications.
	PushTo []string `yaml:"push_to" eg:"[https://hooks.example.com/a2a]"`
	// PricePerCall is the price in USD of a message to the agent.
	PricePerCall money.Amount `yaml:"price_per_call" default:"0" eg:"0.05"`
	// Timeouts limit the phases of a request. `total` limits streams too.
	Timeouts MCPTimeouts `yaml:"timeouts"`
	// MaxAnswer limits the bytes of one answer, all of its events together.
	MaxAnswer ByteSize `yaml:"max_answer" default:"4MiB" min:"1KiB" max:"64MiB"`
}

// AgentAccess lets some callers see and use an agent. An omitted list matches everything.
type AgentAccess struct {
	// Tenants are globs of tenant ids.
	Tenants []string `yaml:"tenants" eg:"[default]"`
	// Keys are globs of ids of keys, as `headgate keys list` shows them.
	Keys []string `yaml:"keys" eg:"[k3vqx7mz2hj4n6ta]"`
}
