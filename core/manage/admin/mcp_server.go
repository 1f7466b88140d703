package admin

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/gateway/tools"
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

// MCPServerDetail is a server with its tools.
// Its own type: lists show no tools.
type MCPServerDetail struct {
	MCPServer
	List []MCPTool `json:"tool_list" nullable:"false"`
}

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
