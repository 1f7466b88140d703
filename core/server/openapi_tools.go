package server

import "net/http"

// toolErrors are those of JSON-RPC.
var toolErrors = errorShape{
	"ToolError",
	`{"jsonrpc":"2.0","id":7,"error":{"code":404,"message":"the key may call no tool of this name","data":{"code":"not_found","type":"not_found_error"}}}`,
}

// toolParams are the headers of a message.
var toolParams = []parameter{
	{"Mcp-Protocol-Version", "header", "string", "The revision, required since 2026-07-28."},
	{"Mcp-Method", "header", "string", "Repeats the method, required since 2026-07-28."},
	{"Mcp-Name", "header", "string", "Repeats the name of the tool or prompt, or the address of the resource; required since 2026-07-28."},
	{"Mcp-Session-Id", "header", "string", "The session, in revisions before 2026-07-28."},
}

// toolEndpoints are those of MCP servers, and of all servers together.
var toolEndpoints = append(
	listToolEndpoints("/mcp/{name}", "Tool", "a server", "search"),
	listToolEndpoints("/mcp", "JoinedTool", "all servers that the key may use", "web__search")...,
)

// listToolEndpoints returns the endpoints at a path. kind stands in their ids, what in their summaries, tool in their examples.
func listToolEndpoints(path, kind, what, tool string) []endpoint {
	return []endpoint{
		{
			method: http.MethodPost, path: path, id: "send" + kind + "Message", tag: "Tools",
			summary: "One message of the Model Context Protocol to " + what,
			about: "Lists need the scope tools:list, calls of tools, prompts and resources the scope tools:call. A gateway without servers answers 404 " +
				"as for every path that does not exist. See docs/agents.md.",
			params: toolParams,
			takes: &content{
				example: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"` + tool + `","arguments":{"query":"gateways"}}}`,
			},
			errors: toolErrors, statuses: ofExchanges,
			gives: []content{
				{example: `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"3 results"}]}}`},
				{media: stream, example: `data: {"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"3 results"}]}}` + "\n\n"},
			},
		},
		{
			method: http.MethodDelete, path: path, id: "end" + kind + "Session", tag: "Tools",
			summary: "End a session with " + what, about: "Only sessions of revisions before 2026-07-28 exist.",
			params: []parameter{{"Mcp-Session-Id", "header", "string", "The session."}},
			errors: toolErrors, statuses: ofExchanges,
		},
		{
			method: http.MethodGet, path: path, id: "refuse" + kind + "Stream", tag: "Tools", open: true,
			summary: "Refused: the gateway passes on no messages outside of requests",
			errors:  toolErrors, statuses: []int{http.StatusNotFound, http.StatusMethodNotAllowed},
		},
	}
}
