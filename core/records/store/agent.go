package store

import "time"

// Agent is an agent that clients reach over the A2A protocol.
type Agent struct {
	Name        string // its id
	URL         string // where it takes JSON-RPC
	CardURL     string // "": looked for below the URL
	Headers     []byte // sealed; nil: none
	HeaderNames []string
	Trust       string // keep or restore
	Access      []AgentAccess
	PushTo      []string // where clients may be notified of their tasks: these addresses and paths below them
	Price       int64    // of a message, in units of 1e-10 USD
	Enabled     bool
	Version     int64

	CreatedAt, UpdatedAt time.Time // set by the store
}

// AgentAccess lets callers use an agent. An empty list matches everything.
type AgentAccess struct {
	Tenants []string `json:"tenants,omitempty"`
	Keys    []string `json:"keys,omitempty"`
}

var agentTable = newTable(table[Agent]{
	name: "agent", noun: "agent", kind: "agent",
	head: func(a *Agent) head { return head{&a.Name, &a.Version, &a.CreatedAt, &a.UpdatedAt} },
	fields: func(a *Agent) []field {
		return []field{
			newFixedField("id", &a.Name),
			{column: "url", at: &a.URL},
			{column: "card_url", at: &a.CardURL},
			{column: "headers", at: &a.Headers},
			{column: "header_names", at: newJSONCodec(&a.HeaderNames)},
			{column: "trust", at: &a.Trust},
			{column: "access", at: newJSONCodec(&a.Access)},
			{column: "push_to", at: newJSONCodec(&a.PushTo)},
			{column: "price", at: &a.Price},
			{column: "enabled", at: &a.Enabled},
			{column: "version", at: &a.Version},
			newFixedField("created_at", newInstantCodec(&a.CreatedAt)),
			{column: "updated_at", at: newInstantCodec(&a.UpdatedAt)},
		}
	},
})

// NewAgents returns the agents that are records of a database. Those of the configuration file are not among them.
func NewAgents(db *DB) Records[Agent] { return Records[Agent]{db, agentTable} }
