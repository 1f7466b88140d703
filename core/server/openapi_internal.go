package server

import "net/http"

// internalErrors are the errors of the internal API.
var internalErrors = errorShape{
	"Error",
	`{"error":{"message":"send the secret of the fleet in X-Internal-Secret","type":"authentication_error","param":null,"code":"UNAUTHORIZED"}}`,
}

// internalEndpoints are the requests of a fleet's nodes to their control plane.
var internalEndpoints = []endpoint{
	{
		method:   http.MethodGet,
		path:     "/internal/v1/config/version",
		id:       "getConfigVersion",
		tag:      "Configuration",
		summary:  "The configuration version",
		about:    "A counter that each change of the configuration advances.",
		errors:   internalErrors,
		statuses: []int{400, 401, 503},
		gives:    []content{{example: `{"version":42}`}},
	},
	{
		method:   http.MethodGet,
		path:     "/internal/v1/config/full",
		id:       "getConfig",
		tag:      "Configuration",
		summary:  "The configuration as a whole",
		about:    "The hashes of keys are left out.",
		params:   []parameter{{"since_version", "query", "integer", "The node's version. The response is always complete."}},
		errors:   internalErrors,
		statuses: []int{400, 401, 503},
		gives: []content{
			{
				example: `{"version":42,"tenants":[{"id":"t1","name":"Research","status":"active"}],"routes":[{"id":"r1","model_pattern":"gpt-*","version":1}],"api_keys":[{"id":"k1","tenant_id":"t1","name":"ci","status":"active"}]}`,
			},
		},
	},
	{
		method:   http.MethodGet,
		path:     "/internal/v1/config/bundle",
		id:       "getConfigBundle",
		tag:      "Configuration",
		summary:  "All that a node needs, sealed",
		about:    "What has changed since the version that the node has, or everything. It is served when a secret is set, and sealed with it.",
		params:   []parameter{{"since_version", "query", "integer", "What the node has; 0 is nothing."}, nonce},
		errors:   internalErrors,
		statuses: []int{400, 401, 404, 503},
		gives:    []content{sealedBody},
	},
	{
		method:   http.MethodGet,
		path:     "/internal/v1/config/files/{digest}",
		id:       "getConfigFile",
		tag:      "Configuration",
		summary:  "A file of the plugins folder, sealed",
		params:   []parameter{nonce},
		errors:   internalErrors,
		statuses: []int{400, 401, 404, 503},
		gives:    []content{sealedBody},
	},
	{
		method:  http.MethodPost,
		path:    "/internal/v1/records",
		id:      "handRecords",
		tag:     "Records",
		summary: "Take records of a node",
		about:   "Usage, segments of the node's audit chain and evaluations of policies in shadow, sealed. The answer says up to where they are stored.",
		params: []parameter{
			nonce,
		},
		takes:    &sealedBody,
		errors:   internalErrors,
		statuses: []int{400, 401, 404, 413, 503},
		gives:    []content{sealedBody},
	},
}

// nonce binds a sealed answer to its request.
var nonce = parameter{"X-Headgate-Nonce", "header", "string", "16 to 128 random characters, which the sealed answer is bound to."}

// sealedBody is a message sealed with the fleet's secret.
var sealedBody = content{media: "application/octet-stream", example: "hgf1"}
