package server

import "net/http"

// agentErrors are those of JSON-RPC, as agents tell them.
var agentErrors = errorShape{
	"AgentError",
	`{"jsonrpc":"2.0","id":7,"error":{"code":-32001,"message":"the key has created no task of this id","data":{"code":"task_not_found","type":"not_found_error"}}}`,
}

const exampleCard = `{"name":"Planner","description":"Plans journeys.","version":"1.0.0","supportedInterfaces":[{"url":"https://gateway.example.com/a2a/planner","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"capabilities":{"streaming":true,"pushNotifications":false},"skills":[]}`

// agentEndpoints are those of agents.
var agentEndpoints = []endpoint{
	{
		method: http.MethodPost, path: "/a2a/{name}", id: "sendAgentRequest", tag: "Agents",
		summary: "One request to an agent, over the A2A protocol",
		about:   "Needs the scope agents:call. Versions 0.3 and 1.0 are read. Errors of the protocol itself come with status 200. A gateway without agents answers 404 as for every path that does not exist. See docs/agents.md.",
		params: []parameter{
			{"A2A-Version", "header", "string", "The version, such as 1.0. By default the method decides."},
			{"A2A-Extensions", "header", "string", "Addresses of the extensions that the client asks for."},
		},
		takes:  &content{example: `{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{"message":{"role":"ROLE_USER","messageId":"m-1","parts":[{"text":"Plan a journey."}]}}}`},
		errors: agentErrors, statuses: ofExchanges,
		gives: []content{
			{example: `{"jsonrpc":"2.0","id":7,"result":{"task":{"id":"t-1","contextId":"c-1","status":{"state":"TASK_STATE_COMPLETED"}}}}`},
			{media: stream, example: `data: {"jsonrpc":"2.0","id":7,"result":{"statusUpdate":{"taskId":"t-1","contextId":"c-1","status":{"state":"TASK_STATE_COMPLETED"}}}}` + "\n\n"},
		},
	},
	{
		method: http.MethodGet, path: "/a2a/{name}", id: "refuseAgentStream", tag: "Agents", open: true,
		summary: "Refused: the gateway passes on no messages outside of requests",
		errors:  agentErrors, statuses: []int{http.StatusNotFound, http.StatusMethodNotAllowed},
	},
	{
		method: http.MethodPost, path: "/a2a/{name}/push/{push}", id: "notifyClient", tag: "Agents", open: true,
		summary: "A notification of an agent about a task, which the gateway judges and delivers to the client that has asked for it",
		about:   "The path authenticates the agent: the gateway gives it to the agent when a client configures push notifications, which need push_to. The answer is 204 when the client's own server has taken the notification.",
		takes:   &content{example: `{"statusUpdate":{"taskId":"t-1","contextId":"c-1","status":{"state":"TASK_STATE_COMPLETED"}}}`},
		errors:  agentErrors, statuses: ofExchanges,
	},
	newCardEndpoint("getAgentCard", "/.well-known/agent-card.json", "Get the card of an agent, with the gateway's address"),
	newCardEndpoint("getOldAgentCard", "/.well-known/agent.json", "Get the card of an agent where clients before version 0.3 look for it"),
}

func newCardEndpoint(id, path, summary string) endpoint {
	return endpoint{
		method: http.MethodGet, path: "/a2a/{name}" + path, id: id, tag: "Agents", summary: summary,
		about:  "Needs the scope agents:list or agents:call.",
		errors: agentErrors, statuses: ofExchanges, gives: []content{{example: exampleCard}},
	}
}
