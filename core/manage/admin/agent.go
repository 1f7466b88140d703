package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/gateway/agents"
	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/store"
)

// AgentDirectory are the agents in force.
type AgentDirectory interface {
	// FileAgents returns the agents of the configuration file, by name.
	FileAgents() []AgentSettings
	// Find returns an agent in force, or nil.
	Find(ctx context.Context, name string) (*agents.Agent, error)
}

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

// apply changes a record. The new headers are sealed for its name. Those that there are stay with the addresses that there are:
// whoever may change these must not learn them.
func (s Agents) apply(r *store.Agent, c *AgentChange) error {
	url, card := r.URL, r.CardURL
	assignField(&r.URL, c.URL)
	assignField(&r.CardURL, c.CardURL)
	assignField(&r.Trust, c.Trust)
	assignField(&r.Access, c.Access)
	assignField(&r.PushTo, c.PushTo)
	assignField((*money.Amount)(&r.Price), c.PricePerCall)
	assignField(&r.Enabled, c.Enabled)
	if c.Headers != nil {
		var err error
		if r.Headers, r.HeaderNames, err = sealHeaders(s.svc.AgentBox, r.Name, *c.Headers, agents.MaySend); err != nil {
			return err
		}
	} else if len(r.Headers) > 0 && (r.URL != url || r.CardURL != card) {
		return errHeadersStay
	}
	return s.check(r)
}

// check refuses addresses that must not be called, and access lists that match nothing.
func (s Agents) check(r *store.Agent) error {
	if err := s.svc.checkAddress("url", r.URL); err != nil {
		return err
	}
	if r.CardURL != "" {
		if err := s.svc.checkAddress("card_url", r.CardURL); err != nil {
			return err
		}
	}
	for i, address := range r.PushTo {
		if err := s.svc.checkAddress(fmt.Sprintf("push_to[%d]", i), address); err != nil {
			return err
		}
	}
	if r.Price < 0 {
		return newInvalidValueError("price_per_call", "write 0 or more")
	}
	for i := range r.Access {
		if err := checkKeyIDs("access", r.Access[i].Keys); err != nil {
			return err
		}
		if slices.Contains(r.Access[i].Tenants, "") {
			return newInvalidValueError("access", "write ids of tenants")
		}
	}
	return nil
}

// Create registers an agent. Clients reach it from now on, unless it is disabled.
func (s Agents) Create(ctx context.Context, who *auth.Actor, n NewAgent) (Agent, error) {
	if _, err := s.svc.authorize(ctx, who, auth.AgentsWrite, ""); err != nil {
		return Agent{}, err
	}
	switch {
	case n.URL == nil:
		return Agent{}, newMissingFieldError("url")
	case !agents.IsName(n.Name):
		return Agent{}, newInvalidValueError("name", "write up to 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit")
	case s.findInFile(n.Name) != nil:
		return Agent{}, newConflictError(CodeManagedByFile, "the configuration file has an agent of this name; choose another")
	}
	r := store.Agent{Name: n.Name, Trust: "keep", Enabled: true}
	if err := s.apply(&r, &n.AgentChange); err != nil {
		return Agent{}, err
	}
	r, err := store.NewAgents(s.svc.Store).Insert(ctx, r)
	if err != nil {
		return Agent{}, mapTaken(err, "agent")
	}
	if err := s.svc.publishChange(ctx, who, created, "agent", r.Name, "", nil, viewAuditedAgent(&r)); err != nil {
		return Agent{}, err
	}
	return s.viewAgent(ctx, viewStoredAgent(&r))
}

// List lists the agents of the file and the records, by name.
func (s Agents) List(ctx context.Context, who *auth.Actor, page Page) (List[Agent], error) {
	if _, err := s.svc.authorize(ctx, who, auth.AgentsRead, ""); err != nil {
		return List[Agent]{}, err
	}
	settings := s.listFileAgents()
	stored, err := store.NewAgents(s.svc.Store).List(ctx)
	if err != nil {
		return List[Agent]{}, err
	}
	inFile := map[string]bool{}
	for i := range settings {
		inFile[settings[i].Name] = true
	}
	for i := range stored {
		if !inFile[stored[i].Name] { // the file has precedence
			settings = append(settings, viewStoredAgent(&stored[i]))
		}
	}
	slices.SortFunc(settings, func(a, b AgentSettings) int { return strings.Compare(a.Name, b.Name) })
	all := make([]Agent, len(settings))
	for i := range settings {
		if all[i], err = s.viewAgent(ctx, settings[i]); err != nil {
			return List[Agent]{}, err
		}
	}
	return newList(all, page, func(a Agent) string { return a.Name })
}

func (s Agents) listFileAgents() []AgentSettings {
	if s.svc.Peers == nil {
		return nil
	}
	return s.svc.Peers.FileAgents()
}

func (s Agents) findInFile(name string) *AgentSettings {
	for _, a := range s.listFileAgents() {
		if a.Name == name {
			return &a
		}
	}
	return nil
}

// Get returns an agent.
func (s Agents) Get(ctx context.Context, who *auth.Actor, name string) (Agent, error) {
	if _, err := s.svc.authorize(ctx, who, auth.AgentsRead, ""); err != nil {
		return Agent{}, err
	}
	return s.get(ctx, name)
}

func (s Agents) get(ctx context.Context, name string) (Agent, error) {
	if a := s.findInFile(name); a != nil {
		return s.viewAgent(ctx, *a)
	}
	r, err := store.NewAgents(s.svc.Store).Get(ctx, name)
	if err != nil {
		return Agent{}, mapNotFound(err, "agent")
	}
	return s.viewAgent(ctx, viewStoredAgent(&r))
}

// Update changes the given fields.
func (s Agents) Update(ctx context.Context, who *auth.Actor, name string, c AgentChange, m Match) (Agent, error) {
	var was before
	if _, err := s.svc.authorize(ctx, who, auth.AgentsWrite, ""); err != nil {
		return Agent{}, err
	}
	if s.findInFile(name) != nil {
		return Agent{}, checkSource(store.SourceFile)
	}
	r, err := store.NewAgents(s.svc.Store).Change(ctx, name, func(r *store.Agent) error {
		was.storeView(viewAuditedAgent(r))
		if err := m.Check(viewStoredAgent(r)); err != nil {
			return err
		}
		return s.apply(r, &c)
	})
	if err != nil {
		return Agent{}, mapNotFound(err, "agent")
	}
	if err := s.svc.publishChange(ctx, who, updated, "agent", name, "", was.view, viewAuditedAgent(&r)); err != nil {
		return Agent{}, err
	}
	return s.viewAgent(ctx, viewStoredAgent(&r))
}

// Delete removes an agent.
func (s Agents) Delete(ctx context.Context, who *auth.Actor, name string, m Match) error {
	var was before
	if _, err := s.svc.authorize(ctx, who, auth.AgentsWrite, ""); err != nil {
		return err
	}
	err := store.NewAgents(s.svc.Store).Delete(ctx, name, func(r store.Agent) error {
		was.storeView(viewAuditedAgent(&r))
		return m.Check(viewStoredAgent(&r))
	})
	if err != nil {
		return mapDeleteError(mapNotFound(err, "agent"), err, s.findInFile(name) != nil)
	}
	return s.svc.publishChange(ctx, who, deleted, "agent", name, "", was.view, nil)
}

// FetchCard fetches the card of an agent, and returns the agent with it.
func (s Agents) FetchCard(ctx context.Context, who *auth.Actor, name string) (AgentCard, error) {
	if _, err := s.svc.authorize(ctx, who, auth.AgentsWrite, ""); err != nil {
		return AgentCard{}, err
	}
	v, err := s.get(ctx, name)
	if err != nil {
		return AgentCard{}, err
	}
	var agent *agents.Agent
	if s.svc.Peers != nil {
		if agent, err = s.svc.Peers.Find(ctx, name); err != nil {
			return AgentCard{}, err
		}
	}
	if agent == nil {
		return AgentCard{}, newConflictError(CodeConflict, "the agent is disabled or cannot be used, so it is not called; the log says why")
	}
	card, err := agent.Upstream.FetchCard(ctx)
	if err != nil || !json.Valid(card) {
		return AgentCard{}, &core.Error{
			Kind: core.BadGateway, Status: http.StatusBadGateway, Code: core.CodeUpstream, Err: err,
			Public: "the agent " + name + " did not answer with a card; the log says why",
		}
	}
	return AgentCard{v, card}, nil
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
