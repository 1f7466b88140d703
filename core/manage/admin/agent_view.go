package admin

import (
	"context"
	"encoding/json"
	"time"

	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/store"
)

// AgentSettings are an agent without its health. The values of its headers are never shown.
// Its own type: the tag of a version, the file and the commands know no health.
type AgentSettings struct {
	Name         string              `json:"name"`
	URL          string              `json:"url" doc:"The agent's JSON-RPC endpoint. For agents of the configuration file only its scheme and host are shown."`
	CardURL      string              `json:"card_url,omitempty"`
	HeaderNames  []string            `json:"header_names,omitempty" doc:"The headers that are sent with each message."`
	Trust        string              `json:"trust" enum:"keep,restore" doc:"restore: the agent receives the values behind placeholders that the caller may read."`
	Access       []store.AgentAccess `json:"access,omitempty" doc:"Who may use it. Omitted: every key whose scopes allow it."`
	PushTo       []string            `json:"push_to,omitempty" doc:"Where clients may be notified of their tasks: these addresses, and paths below them. Omitted: nowhere. For agents of the configuration file only scheme and host are shown."`
	PricePerCall money.Amount        `json:"price_per_call" doc:"The price of a message, in USD."`
	Enabled      bool                `json:"enabled"`
	Source       string              `json:"source" enum:"api,file"`
	Version      int64               `json:"version,omitempty"`
	CreatedAt    *time.Time          `json:"created_at,omitempty"`
	UpdatedAt    *time.Time          `json:"updated_at,omitempty"`
}

// Agent is an agent with its health as this process has seen it.
type Agent struct {
	AgentSettings
	Health        string       `json:"health" enum:"ANSWERING,FAILING,UNKNOWN" doc:"Whether the last message was answered."`
	LastAnswerAt  *time.Time   `json:"last_answer_at,omitempty"`
	LastFailureAt *time.Time   `json:"last_failure_at,omitempty"`
	LastFailure   string       `json:"last_failure,omitempty" doc:"The code of the last failure."`
	Answered      int64        `json:"answered" doc:"Requests that it answered since the process started."`
	Failed        int64        `json:"failed" doc:"Requests that it did not answer since the process started."`
	Messages      int64        `json:"messages" doc:"Messages sent to it, without calls about tasks or its card."`
	Spent         money.Amount `json:"spent" doc:"In USD."`
}

// AgentCard is an agent with the card that it publishes.
// Its own type: lists do not ask agents for their cards.
type AgentCard struct {
	Agent
	Card json.RawMessage `json:"card" doc:"The card as the agent publishes it. Clients receive it with the gateway's address."`
}

// NewAgent contains the fields of a new agent.
// Its own type: the name is required, and no change can set it.
type NewAgent struct {
	Name string `json:"name" minLength:"1" maxLength:"64" doc:"Clients reach the agent at /a2a/{name}. It cannot be changed." example:"planner"`
	AgentChange
}

// AgentChange contains the fields that a request sends. A nil field keeps its value, or gets the default in a new agent.
type AgentChange struct {
	URL          *string              `json:"url,omitempty" minLength:"1" maxLength:"2048" doc:"The agent's JSON-RPC endpoint: https, unless the operator allows other schemes. The gateway ignores the address in the agent's card." example:"https://agents.example.com/planner"`
	CardURL      *string              `json:"card_url,omitempty" maxLength:"2048" doc:"The address of its card. By default the gateway looks below the URL and then at the host." example:"https://agents.example.com/planner/.well-known/agent-card.json"`
	Headers      *map[string]string   `json:"headers,omitempty" writeOnly:"true" doc:"Headers sent with each message, such as a credential. They replace the stored headers. They are stored sealed and never shown."`
	Trust        *string              `json:"trust,omitempty" enum:"keep,restore" doc:"Default: keep."`
	Access       *[]store.AgentAccess `json:"access,omitempty" nullable:"false" maxItems:"256" doc:"Who may use it. Default: every key whose scopes allow it."`
	PushTo       *[]string            `json:"push_to,omitempty" nullable:"false" maxItems:"64" doc:"Where clients may be notified of their tasks: these addresses, and paths below them. Needs server.public_url in the configuration file. Default: nowhere." example:"[\"https://hooks.example.com/a2a\"]"`
	PricePerCall *money.Amount        `json:"price_per_call,omitempty" minimum:"0" doc:"The price of a message, in USD. Default: 0."`
	Enabled      *bool                `json:"enabled,omitempty" doc:"Default: true."`
}

// viewAgent adds the health of an agent.
func (s Agents) viewAgent(ctx context.Context, a AgentSettings) (Agent, error) {
	v := Agent{AgentSettings: a, Health: "UNKNOWN"}
	if s.svc.Peers == nil || !a.Enabled {
		return v, nil
	}
	agent, err := s.svc.Peers.Find(ctx, a.Name)
	if err != nil || agent == nil {
		return v, err
	}
	h := agent.Health()
	v.LastAnswerAt, v.LastFailureAt, v.LastFailure = nilIfZero(h.LastAnswered), nilIfZero(h.LastFailure), h.Reason
	v.Answered, v.Failed, v.Messages, v.Spent = h.Answered, h.Failed, h.Messages, money.Amount(h.Cost)
	switch {
	case h.LastFailure.After(h.LastAnswered):
		v.Health = "FAILING"
	case !h.LastAnswered.IsZero():
		v.Health = "ANSWERING"
	}
	return v, nil
}

func viewStoredAgent(r *store.Agent) AgentSettings {
	return AgentSettings{
		Name: r.Name, URL: r.URL, CardURL: r.CardURL, HeaderNames: r.HeaderNames, Trust: r.Trust, Access: r.Access, PushTo: r.PushTo,
		PricePerCall: money.Amount(r.Price), Enabled: r.Enabled, Source: store.SourceAPI, Version: r.Version,
		CreatedAt: &r.CreatedAt, UpdatedAt: &r.UpdatedAt,
	}
}

// viewAuditedAgent returns what an audit event compares: the settings, and whether the headers have changed. Their
// values are masked.
func viewAuditedAgent(r *store.Agent) any {
	return struct {
		AgentSettings
		Headers []byte `json:"headers,omitempty"`
	}{viewStoredAgent(r), r.Headers}
}
