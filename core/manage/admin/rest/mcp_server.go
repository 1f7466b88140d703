package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// MCPServerPath names an MCP server.
type MCPServerPath struct {
	Name string `path:"name" maxLength:"128" doc:"The name of the server." example:"search"`
}

// MCPServerMatch names a server and the version to which a change applies.
type MCPServerMatch struct {
	MCPServerPath
	Match
}

// MCPToolPath names a tool of a server.
type MCPToolPath struct {
	MCPServerPath
	Tool string `path:"tool" maxLength:"256" doc:"The name of the tool." example:"find_all"`
}

// addMCPServers adds the operations on MCP servers.
func (a *API) addMCPServers() {
	const tag, list, item, tool = "MCP servers", "/mcp-servers", "/mcp-servers/{name}", "/mcp-servers/{name}/tools/{tool}"
	s := a.Service.MCPServers()
	registerPagedList(a, Operation{
		ID: "listMCPServers", Method: http.MethodGet, Path: list, Tag: tag,
		Summary:    "List the MCP servers, including those of the configuration file",
		Permission: auth.MCPRead,
	}, func(ctx context.Context, who *auth.Actor, _ *struct{ Page }, p admin.Page) (admin.List[admin.MCPServer], error) {
		return s.List(ctx, who, p)
	})
	registerOperation(a, Operation{
		ID: "getMCPServer", Method: http.MethodGet, Path: item, Tag: tag, Summary: "Get a server with its tools", Permission: auth.MCPRead,
	}, func(ctx context.Context, who *auth.Actor, in *MCPServerPath) (*recordAnswer[admin.MCPServerDetail], error) {
		return answerRecord(s.Get(ctx, who, in.Name))
	})
	addCreate(a, Operation{
		ID: "createMCPServer", Path: list, Tag: tag, Summary: "Add an MCP server", Permission: auth.MCPWrite,
	}, func(v admin.MCPServer) string { return v.Name }, s.Create)
	registerOperation(a, Operation{
		ID: "updateMCPServer", Method: http.MethodPut, Path: item, Tag: tag, Summary: "Change the given fields of a server",
		Permission: auth.MCPWrite, Errors: conflicts,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		MCPServerMatch
		Body admin.MCPServerChange
	},
	) (*recordAnswer[admin.MCPServer], error) {
		return answerRecord(s.Update(ctx, who, in.Name, in.Body, in.convert()))
	})
	registerOperation(a, Operation{
		ID: "deleteMCPServer", Method: http.MethodDelete, Path: item, Tag: tag, Summary: "Delete a server that no virtual server names",
		Permission: auth.MCPWrite, Status: http.StatusNoContent, Errors: conflicts,
	}, func(ctx context.Context, who *auth.Actor, in *MCPServerMatch) (*emptyAnswer, error) {
		return answerEmpty(s.Delete(ctx, who, in.Name, in.convert()))
	})
	registerOperation(a, Operation{
		ID: "checkMCPServer", Method: http.MethodPost, Path: item + "/check", Tag: tag, Permission: auth.MCPWrite,
		Summary: "Ask a server for its tools and compare them with the trusted definitions",
		Errors:  []int{http.StatusBadGateway, http.StatusConflict},
	}, func(ctx context.Context, who *auth.Actor, in *MCPServerPath) (*valueAnswer[admin.MCPServerDetail], error) {
		return answerValue(s.FetchTools(ctx, who, in.Name))
	})
	registerOperation(a, Operation{
		ID: "getMCPTool", Method: http.MethodGet, Path: tool, Tag: tag, Summary: "Get a tool with its definitions", Permission: auth.MCPRead,
		Errors: []int{http.StatusConflict},
	}, func(ctx context.Context, who *auth.Actor, in *MCPToolPath) (*valueAnswer[admin.MCPTool], error) {
		return answerValue(s.GetTool(ctx, who, in.Name, in.Tool))
	})
	decide := func(o Operation, approve bool) {
		o.Method, o.Tag, o.Permission = http.MethodPost, tag, auth.MCPWrite
		registerOperation(a, o, func(ctx context.Context, who *auth.Actor, in *struct {
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

// addVirtualServers adds the operations on virtual servers. The id of one is its name.
func (a *API) addVirtualServers() {
	s := a.Service.VirtualServers()
	mountCRUD(a, entity[admin.VirtualServer, PageQuery]{
		name: "VirtualServer", noun: "a virtual server", tag: "MCP servers", path: "/virtual-servers",
		permissions: permissions{read: auth.MCPRead, write: auth.MCPWrite},
		list:        "List the virtual servers, including those of the configuration file", create: "Join MCP servers under one address",
		id: func(v admin.VirtualServer) string { return v.Name }, query: adaptPlainList(s.List),
	}, s)
}
