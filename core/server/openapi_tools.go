package server

import "net/http"

// toolErrors are those of JSON-RPC.
var toolErrors = errorShape{
	"ToolError",
	`{"jsonrpc":"2.0","id":7,"error":{"code":404,"message":"there is no tool of this name that the key may call","data":{"code":"not_found","type":"not_found_error"}}}`,
}

// toolEndpoints are those of servers of agents' tools.
var toolEndpoints = []endpoint{
	{
		method: http.MethodPost, path: "/mcp/{name}", id: "sendToolMessage", tag: "Tools",
		summary: "One message of the Model Context Protocol to a server",
		about:   "Lists need the scope tools:list, calls of tools, prompts and resources the scope tools:call. A gateway without servers answers 404 as for every path that does not exist. See docs/agents.md.",
		params: []parameter{
			{"Mcp-Protocol-Version", "header", "string", "The revision, required since 2026-07-28."},
			{"Mcp-Method", "header", "string", "Repeats the method, required since 2026-07-28."},
			{"Mcp-Name", "header", "string", "Repeats the name of the tool or prompt, or the address of the resource; required since 2026-07-28."},
			{"Mcp-Session-Id", "header", "string", "The session, in revisions before 2026-07-28."},
		},
		takes:  &content{example: `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"search","arguments":{"query":"gateways"}}}`},
		errors: toolErrors, statuses: ofExchanges,
		gives: []content{
			{example: `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"3 results"}]}}`},
			{media: stream, example: `data: {"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"3 results"}]}}` + "\n\n"},
		},
	},
	{
		method: http.MethodDelete, path: "/mcp/{name}", id: "endToolSession", tag: "Tools",
		summary: "End a session with a server", about: "Only sessions of revisions before 2026-07-28 exist.",
		params: []parameter{{"Mcp-Session-Id", "header", "string", "The session."}},
		errors: toolErrors, statuses: ofExchanges,
	},
	{
		method: http.MethodGet, path: "/mcp/{name}", id: "refuseToolStream", tag: "Tools", open: true,
		summary: "Refused: the gateway passes on no messages outside of requests",
		errors:  toolErrors, statuses: []int{http.StatusNotFound, http.StatusMethodNotAllowed},
	},
}
