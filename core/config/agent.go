package config

import "github.com/headgate-dev/headgate/core/records/meter/money"

// Agent is an agent that clients reach under the protocol between agents, at /a2a/{name}.
type Agent struct {
	// URL is where the agent takes JSON-RPC. What its card says of that does not count.
	URL string `yaml:"url" eg:"https://agents.example.com/planner" secret:"true"`
	// CardURL is where the agent's card is. By default it is looked for at .well-known/agent-card.json below the URL, and
	// then at the host.
	CardURL string `yaml:"card_url" eg:"https://agents.example.com/.well-known/agent-card.json" secret:"true"`
	// Headers are sent with every message, such as the credential of the agent. The key of the client is never passed on.
	Headers map[string]Secret `yaml:"headers" secret:"true"`
	// AllowPrivate lets the gateway call plain http, and addresses of this machine and of private networks.
	AllowPrivate bool `yaml:"allow_private" default:"false"`
	// Trust says whether the agent gets the values behind placeholders: `keep` leaves the placeholders in place, `restore`
	// gives the agent what the caller may read.
	Trust MCPTrust `yaml:"trust" default:"keep"`
	// Access limits who may see and use the agent. Default: every key whose scopes allow it.
	Access []AgentAccess `yaml:"access"`
	// PricePerCall is the price in USD of a message to the agent.
	PricePerCall money.Amount `yaml:"price_per_call" default:"0" eg:"0.05"`
	// Timeouts limit the phases of a request. A stream takes no longer than `total` either.
	Timeouts MCPTimeouts `yaml:"timeouts"`
	// MaxAnswer is the most bytes of one answer, all of its events together.
	MaxAnswer ByteSize `yaml:"max_answer" default:"4MiB" min:"1KiB" max:"64MiB"`
}

// AgentAccess lets some callers see and use an agent. Each list that is not written matches everything.
type AgentAccess struct {
	// Tenants are globs of tenant ids.
	Tenants []string `yaml:"tenants" eg:"[default]"`
	// Keys are globs of ids of keys, as `headgate keys list` shows them.
	Keys []string `yaml:"keys" eg:"[k3vqx7mz2hj4n6ta]"`
}
