package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// MCPServerPath names a server of agents' tools.
type MCPServerPath struct {
	Name string `path:"name" maxLength:"128" doc:"The name of the server in the configuration." example:"search"`
}

// MCPToolPath names a tool of a server.
type MCPToolPath struct {
	MCPServerPath
	Tool string `path:"tool" maxLength:"256" doc:"The name of the tool." example:"find_all"`
}

// addMCPServers adds the operations on servers of agents' tools.
func (a *API) addMCPServers() {
	const tag, list, item, tool = "MCP servers", "/mcp-servers", "/mcp-servers/{name}", "/mcp-servers/{name}/tools/{tool}"
	s := a.Service.MCPServers()
	handleList(a, Operation{
		ID: "listMCPServers", Method: http.MethodGet, Path: list, Tag: tag, Summary: "List the servers of agents' tools",
		Permission: auth.MCPRead,
	}, func(ctx context.Context, who *auth.Actor, _ *struct{ Page }, p admin.Page) (admin.List[admin.MCPServer], error) {
		return s.List(ctx, who, p)
	})
	handle(a, Operation{
		ID: "getMCPServer", Method: http.MethodGet, Path: item, Tag: tag, Summary: "Get a server with its tools", Permission: auth.MCPRead,
	}, func(ctx context.Context, who *auth.Actor, in *MCPServerPath) (*valueAnswer[admin.MCPServerDetail], error) {
		return answerValue(s.Get(ctx, who, in.Name))
	})
	handle(a, Operation{
		ID: "checkMCPServer", Method: http.MethodPost, Path: item + "/check", Tag: tag, Permission: auth.MCPWrite,
		Summary: "Ask a server for its tools and compare them with the trusted definitions", Errors: []int{http.StatusBadGateway},
	}, func(ctx context.Context, who *auth.Actor, in *MCPServerPath) (*valueAnswer[admin.MCPServerDetail], error) {
		return answerValue(s.Check(ctx, who, in.Name))
	})
	handle(a, Operation{
		ID: "getMCPTool", Method: http.MethodGet, Path: tool, Tag: tag, Summary: "Get a tool with its definitions", Permission: auth.MCPRead,
	}, func(ctx context.Context, who *auth.Actor, in *MCPToolPath) (*valueAnswer[admin.MCPTool], error) {
		return answerValue(s.GetTool(ctx, who, in.Name, in.Tool))
	})
	decide := func(o Operation, approve bool) {
		o.Method, o.Tag, o.Permission = http.MethodPost, tag, auth.MCPWrite
		handle(a, o, func(ctx context.Context, who *auth.Actor, in *struct {
			MCPToolPath
			Body admin.MCPDecision
		},
		) (*valueAnswer[admin.MCPTool], error) {
			return answerValue(s.Decide(ctx, who, in.Name, in.Tool, approve, in.Body))
		})
	}
	decide(Operation{ID: "approveMCPTool", Path: tool + "/approve", Summary: "Trust the definition that the server offers"}, true)
	decide(Operation{ID: "rejectMCPTool", Path: tool + "/reject", Summary: "Reject the definition that the server offers"}, false)
}
