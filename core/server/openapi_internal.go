package server

import "net/http"

// internalErrors are the refusals of what nodes ask.
var internalErrors = errorShape{"Error", `{"error":{"message":"send the secret of the fleet in X-Internal-Secret","type":"authentication_error","param":null,"code":"UNAUTHORIZED"}}`}

// internalEndpoints are what the nodes of a fleet ask of their control plane.
var internalEndpoints = []endpoint{
	{
		method: http.MethodGet, path: "/internal/v1/config/version", id: "getConfigVersion", tag: "Configuration", summary: "The configuration version",
		about:  "A counter that each change of the configuration advances.",
		errors: internalErrors, statuses: []int{400, 401, 503}, gives: []content{{example: `{"version":42}`}},
	},
	{
		method: http.MethodGet, path: "/internal/v1/config/full", id: "getConfig", tag: "Configuration", summary: "The configuration as a whole",
		about:  "The hashes of keys are left out.",
		params: []parameter{{"since_version", "query", "integer", "What the node has. The whole is sent all the same."}},
		errors: internalErrors, statuses: []int{400, 401, 503},
		gives: []content{{example: `{"version":42,"tenants":[{"id":"t1","name":"Research","status":"active"}],"routes":[{"id":"r1","model_pattern":"gpt-*","version":1}],"api_keys":[{"id":"k1","tenant_id":"t1","name":"ci","status":"active"}]}`}},
	},
	{
		method: http.MethodGet, path: "/internal/v1/config/bundle", id: "getBundle", tag: "Configuration", summary: "All that a node needs, sealed with the secret",
		about:  "It is served where a secret is configured alone. With since_version, what has changed since, where that is still known.",
		params: []parameter{{"since_version", "query", "integer", "What the node has."}, nonceParameter},
		errors: internalErrors, statuses: []int{400, 401, 404, 500, 503}, gives: []content{sealedContent},
	},
	{
		method: http.MethodGet, path: "/internal/v1/config/files/{digest}", id: "getPluginFile", tag: "Configuration", summary: "A file of the plugins folder by its SHA-256, sealed",
		params: []parameter{nonceParameter},
		errors: internalErrors, statuses: []int{400, 401, 404, 500, 503}, gives: []content{sealedContent},
	},
	{
		method: http.MethodPost, path: "/internal/v1/records", id: "handOverRecords", tag: "Records", summary: "Audit events, usage and costs of a node, sealed",
		about:  "A batch that is sent again is stored once.",
		params: []parameter{nonceParameter}, takes: &sealedContent,
		errors: internalErrors, statuses: []int{400, 401, 404, 413, 500, 503}, gives: []content{sealedContent},
	},
}

var (
	sealedContent  = content{media: "application/octet-stream", example: "(sealed)"}
	nonceParameter = parameter{"X-Headgate-Nonce", "header", "string", "16 to 128 random characters, which the answer is bound to."}
)
