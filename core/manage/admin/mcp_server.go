package admin

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/core/records/pins"
	"github.com/headgate-dev/headgate/core/records/store"
)

// ToolServers are the MCP servers in force.
type ToolServers interface {
	// Servers returns them by name, with the virtual ones. The caller must not modify them.
	Servers() tools.Servers
	// FileServers returns the servers of the configuration file, by name.
	FileServers() []MCPServerSettings
	// FileVirtualServers returns the virtual servers of the configuration file, by name.
	FileVirtualServers() []VirtualServer
	// RefreshOffer asks a server for its tools and records what it offers.
	RefreshOffer(ctx context.Context, s *tools.Server) error
}

// MCPServer is an MCP server. Its health is as this process has seen it.
type MCPServer struct {
	MCPServerSettings
	Era           string     `json:"era" enum:"modern,legacy,unknown" doc:"The era of the protocol that the server speaks; unknown before the first probe."`
	Health        string     `json:"health" enum:"ANSWERING,FAILING,UNKNOWN" doc:"Whether the last message was answered."`
	LastAnswerAt  *time.Time `json:"last_answer_at,omitempty"`
	LastFailureAt *time.Time `json:"last_failure_at,omitempty"`
	LastFailure   string     `json:"last_failure,omitempty" doc:"The code of the last failure."`
	Answered      int64      `json:"answered" doc:"Messages that it answered since the process started."`
	Failed        int64      `json:"failed" doc:"Messages that it did not answer since the process started."`
	Known         int        `json:"tools" doc:"The number of tools whose definitions are known."`
	Withheld      int        `json:"withheld" doc:"The number of tools that are not served until an administrator decides."`
}

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

// MCPServerDetail is a server with its tools.
// Its own type: lists show no tools.
type MCPServerDetail struct {
	MCPServer
	List []MCPTool `json:"tool_list" nullable:"false"`
}

// MCPDecision names the definition to approve or reject.
type MCPDecision struct {
	Digest string `json:"digest" minLength:"64" maxLength:"64" doc:"The offered_digest of the tool, which shows that the decision is about the current definition."`
}

const unpinned = "UNPINNED"

// findServers returns the servers in force without the virtual ones, which have no definitions, price or health besides those
// of their members.
func (s MCPServers) findServers() tools.Servers {
	if s.svc.Tools == nil {
		return nil
	}
	own := maps.Clone(s.svc.Tools.Servers())
	maps.DeleteFunc(own, func(_ string, server *tools.Server) bool { return len(server.Members) > 0 })
	return own
}

// List lists the servers of the file and the records, by name.
func (s MCPServers) List(ctx context.Context, who *auth.Actor, page Page) (List[MCPServer], error) {
	if err := s.authorize(ctx, who, auth.MCPRead); err != nil {
		return List[MCPServer]{}, err
	}
	known, withheld := map[string]int{}, map[string]int{}
	for p, err := range s.svc.Store.ToolPins().ListAll(ctx) {
		if err != nil {
			return List[MCPServer]{}, err
		}
		known[p.Server]++
		if p.State != pins.Pinned {
			withheld[p.Server]++
		}
	}
	settings, err := s.listSettings(ctx)
	if err != nil {
		return List[MCPServer]{}, err
	}
	all := s.findServers()
	list := make([]MCPServer, len(settings))
	for i := range settings {
		v := viewServer(settings[i], all[settings[i].Name])
		v.Known = known[v.Name]
		if v.Pin != pinOff {
			v.Withheld = withheld[v.Name]
		}
		list[i] = v
	}
	return newList(list, page, func(v MCPServer) string { return v.Name })
}

// authorize refuses actors of a tenant: servers belong to the platform.
func (s MCPServers) authorize(ctx context.Context, who *auth.Actor, p auth.Permission) error {
	_, err := s.svc.authorize(ctx, who, p, "")
	return err
}

// viewServer adds to the settings of a server how it has answered. server is nil if it is not in force.
func viewServer(settings MCPServerSettings, server *tools.Server) MCPServer {
	v := MCPServer{MCPServerSettings: settings, Era: "unknown", Health: "UNKNOWN"}
	if server == nil || !settings.Enabled {
		return v
	}
	if era := server.KnownEra().String(); era != "" {
		v.Era = era
	}
	h := server.Health()
	v.LastAnswerAt, v.LastFailureAt, v.LastFailure = nilIfZero(h.LastAnswered), nilIfZero(h.LastFailure), h.Reason
	v.Answered, v.Failed = h.Answered, h.Failed
	switch {
	case h.LastFailure.After(h.LastAnswered):
		v.Health = "FAILING"
	case !h.LastAnswered.IsZero():
		v.Health = "ANSWERING"
	}
	return v
}

// find returns a server in force.
func (s MCPServers) find(ctx context.Context, name string) (*tools.Server, error) {
	if server := s.findServers()[name]; server != nil {
		return server, nil
	}
	if _, err := s.getSettings(ctx, name); err != nil {
		return nil, err
	}
	return nil, newConflictError(CodeConflict, "the MCP server is disabled or cannot be used, so it is not called; the log says why")
}

// Get returns a server with its tools: those whose definitions are known, and others that were called.
func (s MCPServers) Get(ctx context.Context, who *auth.Actor, name string) (MCPServerDetail, error) {
	if err := s.authorize(ctx, who, auth.MCPRead); err != nil {
		return MCPServerDetail{}, err
	}
	settings, err := s.getSettings(ctx, name)
	if err != nil {
		return MCPServerDetail{}, err
	}
	server := s.findServers()[name]
	v, byName := MCPServerDetail{MCPServer: viewServer(settings, server), List: []MCPTool{}}, map[string]store.ToolPin{}
	for p, err := range s.svc.Store.ToolPins().ListByOwner(ctx, name, store.Cursor{}, 0) {
		if err != nil {
			return MCPServerDetail{}, err
		}
		byName[p.Tool] = p
	}
	v.Known = len(byName)
	if server == nil {
		return v, nil
	}
	uses := server.Uses()
	for tool := range uses {
		if _, ok := byName[tool]; !ok {
			byName[tool] = store.ToolPin{Tool: tool}
		}
	}
	for _, tool := range slices.Sorted(maps.Keys(byName)) {
		p := byName[tool]
		t := viewTool(server, &p, uses[tool])
		t.Definition, t.Offered = nil, nil
		if server.Pin != tools.PinOff && p.State != pins.Pinned && p.State != "" {
			v.Withheld++
		}
		v.List = append(v.List, t)
	}
	return v, nil
}

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
