package server

import "net/http"

// liveEndpoints are those of the Realtime API.
var liveEndpoints = []endpoint{
	{
		method: http.MethodGet, path: "/v1/realtime", id: "openRealtimeSession", tag: "Realtime", scope: "completions:write",
		summary: "A session of the Realtime API",
		about: "Requires Upgrade: websocket. Each event with text and each response is a separate request. A provider's refusal " +
			"is the answer to the handshake; 426 means that the request has no Upgrade, or that WebSockets are off. See docs/websocket.md.",
		params: []parameter{{"model", "query", "string", "The model of the session."}},
		errors: ownErrors, statuses: []int{400, 401, 403, 404, 426, 429, 500, 502, 503, 504},
	},
	newRefusedEndpoint("/v1/realtime/client_secrets", "createRealtimeClientSecret"),
	newRefusedEndpoint("/v1/realtime/sessions", "createRealtimeSession"),
	newRefusedEndpoint("/v1/realtime/transcription_sessions", "createRealtimeTranscriptionSession"),
	newRefusedEndpoint("/v1/realtime/calls", "createRealtimeCall"),
}

// newRefusedEndpoint describes an endpoint by which a client would reach the provider without the gateway.
func newRefusedEndpoint(path, id string) endpoint {
	return endpoint{
		method: http.MethodPost, path: path, id: id, tag: "Realtime", scope: "completions:write",
		summary: "Refused: a client would reach the provider without the gateway",
		about:   "Open a WebSocket to /v1/realtime, and give each client its own key that expires.",
		errors:  ownErrors, statuses: []int{400, 401, 403, 500, 503},
	}
}
