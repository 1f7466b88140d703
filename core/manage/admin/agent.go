package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

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
	// HasPublicURL reports whether the configuration file says at which address agents reach the gateway.
	HasPublicURL() bool
	// Find returns an agent in force, or nil.
	Find(ctx context.Context, name string) (*agents.Agent, error)
}

// apply changes a record. The new headers are sealed for its name. Those that there are stay with the addresses that there are:
// whoever may change these must not learn them. canNotify says whether agents can reach the gateway: it is not looked up here,
// because a change holds the database, and whoever changes the file may wait for that.
func (s Agents) apply(r *store.Agent, c *AgentChange, canNotify bool) error {
	if c.PushTo != nil && len(*c.PushTo) > 0 && !canNotify {
		return newInvalidValueError("push_to", "needs the address at which agents reach the gateway; "+
			"write public_url: https://gateway.example.com below server in the configuration file")
	}
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

// build returns the record of a new agent. It fails if the agent cannot be registered.
func (s Agents) build(n *NewAgent) (store.Agent, error) {
	r := store.Agent{Name: n.Name, Trust: "keep", Enabled: true}
	switch {
	case n.URL == nil:
		return r, newMissingFieldError("url")
	case !agents.IsName(n.Name):
		return r, newInvalidValueError("name", "write up to 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit")
	case s.findInFile(n.Name) != nil:
		return r, newConflictError(CodeManagedByFile, "the configuration file has an agent of this name; choose another")
	}
	return r, s.apply(&r, &n.AgentChange, s.canNotify())
}

// Create registers an agent. Clients reach it from now on, unless it is disabled.
func (s Agents) Create(ctx context.Context, who *auth.Actor, n NewAgent) (Agent, error) {
	if _, err := s.svc.authorize(ctx, who, auth.AgentsWrite, ""); err != nil {
		return Agent{}, err
	}
	r, err := s.build(&n)
	if err != nil {
		return Agent{}, err
	}
	if r, err = store.NewAgents(s.svc.Store).Insert(ctx, r); err != nil {
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

// canNotify reports whether agents can be told an address of the gateway, at which they notify clients.
func (s Agents) canNotify() bool { return s.svc.Peers == nil || s.svc.Peers.HasPublicURL() }

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
	var was changedRecord
	if _, err := s.svc.authorize(ctx, who, auth.AgentsWrite, ""); err != nil {
		return Agent{}, err
	}
	if s.findInFile(name) != nil {
		return Agent{}, checkSource(store.SourceFile)
	}
	canNotify := s.canNotify()
	r, err := store.NewAgents(s.svc.Store).Change(ctx, name, func(r *store.Agent) error {
		was.storeView(viewAuditedAgent(r))
		if err := m.Check(viewStoredAgent(r)); err != nil {
			return err
		}
		return s.apply(r, &c, canNotify)
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
	var was changedRecord
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
