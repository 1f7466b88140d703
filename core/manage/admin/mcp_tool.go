package admin

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/pins"
	"github.com/headgate-dev/headgate/core/records/store"
)

// MCPTool is a tool and the state of its definition. Its counts cover the calls of this process.
type MCPTool struct {
	Name          string          `json:"name"`
	State         string          `json:"state" enum:"PINNED,NEW,DRIFTED,REJECTED,UNPINNED" doc:"Only a PINNED tool is served, and an UNPINNED one unless the server requires approvals."`
	Digest        string          `json:"digest,omitempty" doc:"The SHA-256 of the trusted definition, in RFC 8785 form."`
	OfferedDigest string          `json:"offered_digest,omitempty" doc:"The SHA-256 of the definition that the server offers instead."`
	Fields        []string        `json:"fields,omitempty" doc:"The members in which the two definitions differ."`
	Definition    json.RawMessage `json:"definition,omitempty" doc:"The trusted definition; not in lists."`
	Offered       json.RawMessage `json:"offered,omitempty" doc:"The definition that the server offers instead; not in lists."`
	DriftedAt     *time.Time      `json:"drifted_at,omitempty"`
	DecidedAt     *time.Time      `json:"decided_at,omitempty"`
	DecidedBy     string          `json:"decided_by,omitempty"`
	Served        bool            `json:"served" doc:"Whether keys with access can list and call it."`
	Refused       bool            `json:"refused,omitempty" doc:"A guard has refused its definition for some callers when they listed it last, as far as this process has seen."`
	Callers       []MCPCaller     `json:"callers,omitempty" doc:"Who may call it. Omitted: every key whose scopes allow it."`
	Price         money.Amount    `json:"price" doc:"The price of a call, in USD."`
	Calls         int64           `json:"calls"`
	FailedCalls   int64           `json:"failed_calls"`
	Spent         money.Amount    `json:"spent" doc:"In USD."`
	LastCallAt    *time.Time      `json:"last_call_at,omitempty"`
}

// MCPCaller is an entry of the access list of a server. An empty list matches all.
type MCPCaller struct {
	Tenants []string `json:"tenants,omitempty"`
	Keys    []string `json:"keys,omitempty"`
}

// MCPDecision names the definition to approve or reject.
type MCPDecision struct {
	Digest string `json:"digest" minLength:"64" maxLength:"64" doc:"The offered_digest of the tool, which shows that the decision is about the current definition."`
}

const unpinned = "UNPINNED"

// GetTool returns a tool with its definitions.
func (s MCPServers) GetTool(ctx context.Context, who *auth.Actor, name, tool string) (MCPTool, error) {
	if err := s.authorize(ctx, who, auth.MCPRead); err != nil {
		return MCPTool{}, err
	}
	server, err := s.find(ctx, name)
	if err != nil {
		return MCPTool{}, err
	}
	p, err := s.svc.Store.ToolPins().Get(ctx, pins.FormatID(name, tool))
	use, called := server.Uses()[tool]
	if errors.Is(err, store.ErrNotFound) && called {
		p, err = store.ToolPin{Tool: tool}, nil
	}
	if err != nil {
		return MCPTool{}, mapNotFound(err, "tool")
	}
	v := viewTool(server, &p, use)
	v.Fields = pins.ListDifferences(p.Definition, p.OfferedDefinition)
	if p.OfferedDefinition == "" {
		v.Fields = nil
	}
	v.DecidedBy = s.svc.newPeople(ctx).NameOf(p.DecidedBy)
	return v, nil
}

func viewTool(server *tools.Server, p *store.ToolPin, use tools.Use) MCPTool {
	v := MCPTool{
		Name: p.Tool, State: string(p.State), Digest: p.Digest, OfferedDigest: p.Offered, DriftedAt: nilIfZero(p.DriftedAt),
		DecidedAt: nilIfZero(p.DecidedAt), DecidedBy: p.DecidedBy, Price: money.Amount(server.PriceTool(p.Tool)),
		Calls: use.Calls, FailedCalls: use.Failed, Spent: money.Amount(use.Cost), LastCallAt: nilIfZero(use.Last),
	}
	if v.State == "" {
		v.State = unpinned
	}
	if p.Definition != "" {
		v.Definition = json.RawMessage(p.Definition)
	}
	if p.OfferedDefinition != "" {
		v.Offered = json.RawMessage(p.OfferedDefinition)
	}
	callers, ok := server.FindCallers(p.Tool)
	v.Refused = server.IsRefusedForSome(p.Tool)
	v.Served = ok && !v.Refused && !server.IsQuarantined(p.Tool)
	for _, c := range callers {
		v.Callers = append(v.Callers, MCPCaller{Tenants: c.Tenants, Keys: c.Keys})
	}
	return v
}

// Decide approves or rejects the definition that a server offers.
func (s MCPServers) Decide(ctx context.Context, who *auth.Actor, name, tool string, approve bool, d MCPDecision) (MCPTool, error) {
	if err := s.authorize(ctx, who, auth.MCPWrite); err != nil {
		return MCPTool{}, err
	}
	if _, err := s.find(ctx, name); err != nil {
		return MCPTool{}, err
	}
	id := pins.FormatID(name, tool)
	_, _, err := s.svc.Store.ToolPins().Decide(ctx, id, d.Digest, approve, who.ID)
	switch {
	case errors.Is(err, pins.ErrDigest):
		return MCPTool{}, newConflictError(CodeConflict, "the server now offers another definition; read the tool again and decide about that definition")
	case errors.Is(err, pins.ErrUnpinnable):
		return MCPTool{}, newConflictError(CodeConflict, "the offered definition cannot be pinned, so it cannot be approved; reject it")
	case errors.Is(err, pins.ErrDecided):
		return MCPTool{}, newConflictError(CodeConflict, "the server offers the trusted definition, which needs no decision")
	case err != nil:
		return MCPTool{}, mapNotFound(err, "tool")
	}
	action := "reject"
	if approve {
		action = "approve"
	}
	if err := s.svc.publishChange(ctx, who, action, "tool_pin", id, "", nil, nil); err != nil {
		return MCPTool{}, err
	}
	return s.GetTool(ctx, who, name, tool)
}

// FetchTools asks the server for its tools now, and returns the server with the offered tools.
func (s MCPServers) FetchTools(ctx context.Context, who *auth.Actor, name string) (MCPServerDetail, error) {
	if err := s.authorize(ctx, who, auth.MCPWrite); err != nil {
		return MCPServerDetail{}, err
	}
	server, err := s.find(ctx, name)
	if err != nil {
		return MCPServerDetail{}, err
	}
	if err := s.svc.Tools.RefreshOffer(ctx, server); err != nil {
		return MCPServerDetail{}, &core.Error{
			Kind: core.BadGateway, Status: http.StatusBadGateway, Code: core.CodeUpstream, Err: err,
			Public: "the MCP server " + name + " did not answer with a list of tools; the log says why",
		}
	}
	return s.Get(ctx, who, name)
}
