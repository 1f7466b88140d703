package admin

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Agents, MCP servers and virtual servers have names instead of ids. In a document the name is the id. Values of headers are not
// exported. Those that a document gives are compared with the stored ones, so that it sets them, and differs only while it does not
// have those in force.

// namedRecord is a record whose id in a document is its name.
type namedRecord[V any] struct {
	ID   string `json:"id"`
	view V
}

// MarshalJSON returns the record with its id.
func (r namedRecord[V]) MarshalJSON() ([]byte, error) { return marshalWithID(r.ID, r.view) }

// configAgents imports and exports agents.
type configAgents struct{ agents Agents }

// List returns all agents.
func (s configAgents) List(ctx context.Context, who *auth.Actor) (List[namedRecord[Agent]], error) {
	l, err := s.agents.List(ctx, who, Page{})
	return nameRecords(l, err, func(a *Agent) string { return a.Name })
}

// Create adds the agent whose name is the id of the import.
func (s configAgents) Create(ctx context.Context, who *auth.Actor, c AgentChange) (r namedRecord[Agent], err error) {
	r.view, err = s.agents.Create(ctx, who, NewAgent{Name: s.agents.svc.NewID(), AgentChange: c})
	return r, err
}

// CheckNew refuses an agent that cannot be registered.
func (s configAgents) CheckNew(_ context.Context, id string, c AgentChange) error {
	_, err := s.agents.build(&NewAgent{Name: id, AgentChange: c})
	return convertNameError(err)
}

// CheckChange refuses a change that cannot be stored.
func (s configAgents) CheckChange(ctx context.Context, id string, c AgentChange) error {
	r, err := store.NewAgents(s.agents.svc.Store).Get(ctx, id)
	if err != nil {
		return mapNotFound(err, "agent")
	}
	return s.agents.apply(&r, &c, s.agents.canNotify())
}

// HasSealed reports whether an agent has these headers.
func (s configAgents) HasSealed(ctx context.Context, id, field string, value json.RawMessage) (same, isSealed bool, err error) {
	if field != sealedHeaders {
		return false, false, nil
	}
	r, err := store.NewAgents(s.agents.svc.Store).Get(ctx, id)
	if err != nil {
		return false, true, mapNotFound(err, "agent")
	}
	same, err = hasHeaders(s.agents.svc.AgentBox, id, r.Headers, value)
	return same, true, err
}

// Update changes the given fields.
func (s configAgents) Update(ctx context.Context, who *auth.Actor, id string, c AgentChange, m Match) (r namedRecord[Agent], err error) {
	r.view, err = s.agents.Update(ctx, who, id, c, m)
	return r, err
}

// Delete removes an agent.
func (s configAgents) Delete(ctx context.Context, who *auth.Actor, id string, m Match) error {
	return s.agents.Delete(ctx, who, id, m)
}

// configServers imports and exports MCP servers.
type configServers struct{ servers MCPServers }

// List returns all servers.
func (s configServers) List(ctx context.Context, who *auth.Actor) (List[namedRecord[MCPServer]], error) {
	l, err := s.servers.List(ctx, who, Page{})
	return nameRecords(l, err, func(v *MCPServer) string { return v.Name })
}

// Create adds the server whose name is the id of the import.
func (s configServers) Create(ctx context.Context, who *auth.Actor, c MCPServerChange) (r namedRecord[MCPServer], err error) {
	r.view, err = s.servers.Create(ctx, who, NewMCPServer{Name: s.servers.svc.NewID(), MCPServerChange: c})
	return r, err
}

// CheckNew refuses a server that cannot be added.
func (s configServers) CheckNew(_ context.Context, id string, c MCPServerChange) error {
	_, err := s.servers.build(&NewMCPServer{Name: id, MCPServerChange: c})
	return convertNameError(err)
}

// CheckChange refuses a change that cannot be stored.
func (s configServers) CheckChange(ctx context.Context, id string, c MCPServerChange) error {
	r, err := store.NewMCPServers(s.servers.svc.Store).Get(ctx, id)
	if err != nil {
		return mapServerError(err)
	}
	return s.servers.apply(&r, &c)
}

// HasSealed reports whether a server has these headers.
func (s configServers) HasSealed(ctx context.Context, id, field string, value json.RawMessage) (same, isSealed bool, err error) {
	if field != sealedHeaders {
		return false, false, nil
	}
	r, err := store.NewMCPServers(s.servers.svc.Store).Get(ctx, id)
	if err != nil {
		return false, true, mapServerError(err)
	}
	same, err = hasHeaders(s.servers.svc.ServerBox, id, r.Headers, value)
	return same, true, err
}

// Update changes the given fields.
func (s configServers) Update(
	ctx context.Context, who *auth.Actor, id string, c MCPServerChange, m Match,
) (r namedRecord[MCPServer], err error) {
	r.view, err = s.servers.Update(ctx, who, id, c, m)
	return r, err
}

// Delete removes a server.
func (s configServers) Delete(ctx context.Context, who *auth.Actor, id string, m Match) error {
	return s.servers.Delete(ctx, who, id, m)
}

// configVirtual imports and exports virtual servers.
type configVirtual struct{ servers VirtualServers }

// List returns all virtual servers.
func (s configVirtual) List(ctx context.Context, who *auth.Actor) (List[namedRecord[VirtualServer]], error) {
	l, err := s.servers.List(ctx, who, Page{})
	return nameRecords(l, err, func(v *VirtualServer) string { return v.Name })
}

// Create adds the virtual server whose name is the id of the import.
func (s configVirtual) Create(ctx context.Context, who *auth.Actor, c VirtualServerChange) (r namedRecord[VirtualServer], err error) {
	r.view, err = s.servers.Create(ctx, who, NewVirtualServer{Name: s.servers.svc.NewID(), VirtualServerChange: c})
	return r, err
}

// CheckNew refuses a virtual server that cannot be added.
func (s configVirtual) CheckNew(_ context.Context, id string, c VirtualServerChange) error {
	_, err := s.servers.build(&NewVirtualServer{Name: id, VirtualServerChange: c})
	return convertNameError(err)
}

// CheckChange refuses a change that cannot be stored.
func (s configVirtual) CheckChange(ctx context.Context, id string, c VirtualServerChange) error {
	r, err := store.NewVirtualServers(s.servers.svc.Store).Get(ctx, id)
	if err != nil {
		return mapNotFound(err, "virtual server")
	}
	return c.apply(&r, nil)
}

// Update changes the given fields.
func (s configVirtual) Update(
	ctx context.Context, who *auth.Actor, id string, c VirtualServerChange, m Match,
) (r namedRecord[VirtualServer], err error) {
	r.view, err = s.servers.Update(ctx, who, id, c, m)
	return r, err
}

// Delete removes a virtual server.
func (s configVirtual) Delete(ctx context.Context, who *auth.Actor, id string, m Match) error {
	return s.servers.Delete(ctx, who, id, m)
}

// convertNameError returns an error about the name of a record as one about its id in a document.
func convertNameError(err error) error {
	var e *core.Error
	if !errors.As(err, &e) || e.Param != "name" {
		return err
	}
	said := *e
	said.Param, said.Public = "id", "id"+strings.TrimPrefix(e.Public, "name")
	return &said
}

// nameRecords returns the records of a list with their names as ids.
func nameRecords[V any](l List[V], err error, name func(*V) string) (List[namedRecord[V]], error) {
	if err != nil {
		return List[namedRecord[V]]{}, err
	}
	return List[namedRecord[V]]{
		All: viewRecords(l.All, func(v *V) namedRecord[V] { return namedRecord[V]{name(v), *v} }),
	}, nil
}

// marshalWithID returns the JSON of a view with the member id.
func marshalWithID(id string, view any) ([]byte, error) {
	r, err := convertRecord(view)
	if err != nil {
		return nil, err
	}
	r["id"] = id
	return json.Marshal(r)
}
