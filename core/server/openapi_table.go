package server

import (
	"net/http"
	"slices"
)

const stream = "text/event-stream"

// The refusals of exchanges, of counts and estimates (which need no provider), and of reads.
var (
	ofExchanges = []int{400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 504}
	ofReads     = []int{401, 403, 500, 503}
	ofFiles     = []int{400, 401, 403, 404, 408, 409, 413, 429, 500, 502, 503, 504}
)

const (
	exampleChat = `{"model":"gpt-4o","messages":[{"role":"user","content":"Say hello."}]}`

	exampleCompletion = `{"id":"chatcmpl-1","object":"chat.completion","created":1767225600,"model":"gpt-4o","choices":[{"index":0,"message":{"role":"assistant","content":"Hello."},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12}}`

	exampleChunks = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1767225600,"model":"gpt-4o","choices":[{"index":0,"delta":{"content":"Hello."},"finish_reason":null}]}` + "\n\ndata: [DONE]\n\n"

	exampleModel = `{"id":"gpt-4o","object":"model","created":1767225600,"owned_by":"openai","capabilities":{"supports_streaming":true,"supports_vision":true,"supports_tool_calls":true,"supports_structured_outputs":true,"supports_json_mode":true,"max_context_tokens":128000},"context_length":128000,"pricing":{"prompt":"0.0000025","completion":"0.00001"}}`

	exampleModels = `{"object":"list","data":[` + exampleModel + `]}`

	exampleMessages = `{"model":"claude-sonnet-4-5","max_tokens":100,"messages":[{"role":"user","content":"Say hello."}]}`

	exampleContents = `{"contents":[{"role":"user","parts":[{"text":"Say hello."}]}]}`

	exampleGenerated = `{"candidates":[{"content":{"role":"model","parts":[{"text":"Hello."}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":2,"totalTokenCount":12}}`

	exampleFile = `{"id":"file-1","object":"file","bytes":120,"created_at":1767225600,"filename":"requests.jsonl","purpose":"batch","status":"processed"}`

	exampleBatch = `{"id":"batch-1","object":"batch","endpoint":"/v1/chat/completions","input_file_id":"file-1","completion_window":"24h","status":"completed","output_file_id":"file-2","created_at":1767225600,"request_counts":{"total":2,"completed":2,"failed":0}}`

	exampleStatus = `{"status":"ok","mode":"standalone","version":"1.9.0","uptimeSeconds":3600,"configVersion":12,"providers":[{"name":"mock","type":"mock","health":"healthy","capabilities":{"streaming":true,"vision":true,"toolCalls":true,"structuredOutputs":true,"jsonMode":true,"maxContextTokens":128000}}],"routes":[{"modelPattern":"mock-*","strategy":"model-prefix","providers":["mock"]}],"region":{"id":"","name":"","regionAware":false},"rateLimits":{"enabled":false,"globalRequestsPerSecond":0,"defaultPerKeyRequestsPerSecond":0,"defaultPerKeyTokensPerMinute":0},"warnings":["a warning"],"chain":[{"name":"pii","phases":["request","response"],"mode":"enforce","onFault":"block"}],"plugins":[]}`
)

// publicEndpoints are the endpoints of the data plane and the status document.
var publicEndpoints = slices.Concat(
	chatEndpoints, directEndpoints, liveEndpoints, vendorEndpoints, listEndpoints,
	fileEndpoints, toolEndpoints, agentEndpoints, statusEndpoints,
)

var statusEndpoints = []endpoint{{
	method: http.MethodGet, path: "/status", id: "getStatus", tag: "Status", open: true, summary: "The gateway's status document",
	about: "Without a gateway key or a personal access token as a bearer token the answer contains status alone.",
	gives: []content{{example: exampleStatus}},
}}

var chatEndpoints = []endpoint{
	{
		method: http.MethodPost, path: "/v1/chat/completions", id: "createChatCompletion", tag: "Chat", scope: "completions:write",
		summary: "Chat completion, whole or streamed", about: "Fields that are not listed here reach the provider as they are sent.",
		params: []parameter{{"X-Cache-Control", "header", "string", "no-cache bypasses the cache of answers."}},
		takes:  &content{schema: "ChatRequest", example: exampleChat}, errors: ownErrors, statuses: ofExchanges,
		gives: []content{{schema: "ChatCompletion", example: exampleCompletion}, {media: stream, example: exampleChunks}},
	},
	{
		method: http.MethodPost, path: "/v1/completions", id: "createCompletion", tag: "Chat", scope: "completions:write",
		summary: "Legacy completion", about: "The prompt is sent as a chat message; an array of prompts returns one choice per prompt.",
		takes:  &content{schema: "CompletionRequest", example: `{"model":"gpt-4o","prompt":"Say hello.","max_tokens":20}`},
		errors: ownErrors, statuses: ofExchanges,
		gives: []content{
			{
				example: `{"id":"cmpl-1","object":"text_completion","created":1767225600,"model":"gpt-4o","choices":[{"text":"Hello.","index":0,"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12}}`,
			},
			{media: stream, example: "data: [DONE]\n\n"},
		},
	},
	{
		method:   http.MethodPost,
		path:     "/v1/embeddings",
		id:       "createEmbedding",
		tag:      "Embeddings",
		scope:    "embeddings:write",
		summary:  "Embeddings",
		about:    "For models whose names start with text-embedding.",
		takes:    &content{schema: "EmbeddingRequest", example: `{"model":"text-embedding-3-small","input":["Hello."]}`},
		errors:   ownErrors,
		statuses: ofExchanges,
		gives: []content{
			{
				example: `{"object":"list","model":"text-embedding-3-small","data":[{"object":"embedding","index":0,"embedding":[0.25,-0.5]}],"usage":{"prompt_tokens":2,"total_tokens":2}}`,
			},
		},
	},
	{
		method:   http.MethodPost,
		path:     "/v1/responses",
		id:       "createResponse",
		tag:      "Responses",
		scope:    "completions:write",
		summary:  "Responses, whole or streamed",
		about:    "Tools that the provider would run, stored answers and work in the background are refused.",
		takes:    &content{schema: "ResponsesRequest", example: `{"model":"gpt-5","input":"Say hello."}`},
		errors:   ownErrors,
		statuses: ofExchanges,
		gives: []content{
			{
				example: `{"id":"resp-1","object":"response","created_at":1767225600,"status":"completed","model":"gpt-5","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello."}]}],"usage":{"input_tokens":10,"output_tokens":2,"total_tokens":12}}`,
			},
			{media: stream, example: "event: response.completed\ndata: {\"type\":\"response.completed\"}\n\n"},
		},
	},
	{
		method: http.MethodPost, path: "/v1/responses/compact", id: "compactResponse", tag: "Responses", scope: "completions:write",
		summary: "A conversation in a shorter form",
		about: "The answer repeats the user's messages and adds an item that only the provider can read; send both as the input of the next request. " +
			"The whole input is judged, and so are the messages of the answer. Providers without this API refuse it with 400.",
		takes:  &content{schema: "ResponsesRequest", example: `{"model":"gpt-5","input":"Say hello."}`},
		errors: ownErrors, statuses: ofExchanges,
		gives: []content{{
			example: `{"id":"resp-1","object":"response.compaction","created_at":1767225600,"output":[{"id":"msg-1","type":"message","role":"user","content":[{"type":"input_text","text":"Say hello."}]},{"id":"cmp-1","type":"compaction","encrypted_content":"gAAA"}],"usage":{"input_tokens":10,"output_tokens":2,"total_tokens":12}}`,
		}},
	},
	{
		method: http.MethodGet, path: "/v1/responses", id: "openResponsesSocket", tag: "Responses", scope: "completions:write",
		summary: "The WebSocket mode of Responses",
		about: "Requires Upgrade: websocket. Each response.create of the client is a request; its events arrive as messages. " +
			"426 means that the mode is off, 405 that the request has no Upgrade. See docs/websocket.md.",
		errors: ownErrors, statuses: []int{401, 403, 405, 426, 429, 500, 503},
	},
	{
		method:   http.MethodPost,
		path:     "/v1/ide/chat/completions",
		id:       "createEditorChatCompletion",
		tag:      "Editor",
		scope:    "completions:write and models:read",
		summary:  "Chat of the editor client",
		about:    "Takes a chat or a Responses body, and answers with a chat completion.",
		takes:    &content{schema: "EditorRequest", example: exampleChat},
		errors:   ownErrors,
		statuses: ofExchanges,
		gives:    []content{{schema: "ChatCompletion", example: exampleCompletion}, {media: stream, example: exampleChunks}},
	},
	{
		method:   http.MethodPost,
		path:     "/v1/budget/estimate",
		id:       "estimateCost",
		tag:      "Budgets",
		scope:    "completions:write",
		summary:  "What a call may cost",
		about:    "The price of max_tokens of output. Fields that depend on a budget are null if no budget applies.",
		takes:    &content{schema: "EstimateRequest", example: `{"model":"gpt-4o","max_tokens":1000}`},
		errors:   ownErrors,
		statuses: []int{400, 401, 403, 404, 408, 413, 500, 503},
		gives: []content{
			{
				schema:  "Estimate",
				example: `{"estimated_cost_usd":0.01,"budget_remaining_usd":12.5,"budget_remaining_tokens":1250000,"budget_remaining_pct":25,"would_exceed_budget":false}`,
			},
		},
	},
}

var vendorEndpoints = slices.Concat(
	[]endpoint{
		{
			method:   http.MethodPost,
			path:     "/v1/messages",
			id:       "createMessage",
			tag:      "Messages",
			scope:    "completions:write",
			summary:  "Messages, whole or streamed",
			takes:    &content{schema: "MessagesRequest", example: exampleMessages},
			errors:   messagesErrors,
			statuses: ofExchanges,
			gives: []content{
				{
					example: `{"id":"msg-1","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":"Hello."}],"stop_reason":"end_turn","usage":{"input_tokens":10,"output_tokens":2}}`,
				},
				{media: stream, example: "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"},
			},
		},
		{
			method: http.MethodPost, path: "/v1/messages/count_tokens", id: "countMessageTokens", tag: "Messages", scope: "completions:write",
			summary: "The tokens of a Messages request", about: "The gateway counts without calling a model.",
			takes:  &content{schema: "CountRequest", example: `{"model":"claude-sonnet-4-5","messages":[{"role":"user","content":"Say hello."}]}`},
			errors: messagesErrors, statuses: ofExchanges,
			gives: []content{{example: `{"input_tokens":10}`}},
		},
	},
	listGenerateEndpoints("/v1/gen/v1beta/models/{call}", "generateContent"),
	listGenerateEndpoints("/v1/gen/v1/models/{call}", "generateContentV1"),
	listGenerateEndpoints("/v1/models/{call}", "generateContentAtRoot"),
)

// listGenerateEndpoints returns generateContent under one of its paths.
func listGenerateEndpoints(path, id string) []endpoint {
	return []endpoint{{
		method: http.MethodPost, path: path, id: id, tag: "generateContent", scope: "completions:write",
		summary: "generateContent, streamGenerateContent, countTokens, embedContent and batchEmbedContents",
		params:  []parameter{{"alt", "query", "string", "sse streams server-sent events; without it a stream is one JSON array."}},
		takes:   &content{schema: "GenerateRequest", example: exampleContents},
		errors:  generateErrors, statuses: ofExchanges,
		gives: []content{{schema: "Generated", example: exampleGenerated}, {media: stream, example: "data: " + exampleGenerated + "\n\n"}},
	}}
}

var listEndpoints = []endpoint{
	{
		method:   http.MethodGet,
		path:     "/v1/models",
		id:       "listModels",
		tag:      "Models",
		scope:    "models:read",
		summary:  "The models that can be requested by name",
		about:    "With the version header of the Messages API, or the key header of generateContent, the list is in that shape.",
		errors:   ownErrors,
		statuses: ofReads,
		gives:    []content{{schema: "ModelList", example: exampleModels}},
	},
	{
		method:   http.MethodGet,
		path:     "/v1/ide/models",
		id:       "listEditorModels",
		tag:      "Editor",
		scope:    "models:read",
		summary:  "The models, for the editor client",
		errors:   ownErrors,
		statuses: ofReads,
		gives:    []content{{schema: "ModelList", example: exampleModels}},
	},
	{
		method:   http.MethodGet,
		path:     "/v1/gen/v1beta/models",
		id:       "listGenerateModels",
		tag:      "generateContent",
		scope:    "models:read",
		summary:  "The models, in the shape of generateContent",
		errors:   generateErrors,
		statuses: ofReads,
		gives:    []content{{example: `{"models":[{"name":"models/gemini-2.5-pro"}]}`}},
	},
	{
		method:   http.MethodGet,
		path:     "/v1/gen/v1/models",
		id:       "listGenerateModelsV1",
		tag:      "generateContent",
		scope:    "models:read",
		summary:  "The models, in the shape of generateContent",
		errors:   generateErrors,
		statuses: ofReads,
		gives:    []content{{example: `{"models":[{"name":"models/gemini-2.5-pro"}]}`}},
	},
	{
		method:   http.MethodGet,
		path:     "/v1/models/{call}",
		id:       "getModel",
		tag:      "Models",
		scope:    "models:read",
		summary:  "A model",
		errors:   ownErrors,
		statuses: ofReads,
		gives:    []content{{example: exampleModel}},
	},
	{
		method:   http.MethodGet,
		path:     "/v1/ide/models/{call}",
		id:       "getEditorModel",
		tag:      "Editor",
		scope:    "models:read",
		summary:  "A model, for the editor client",
		errors:   ownErrors,
		statuses: ofReads,
		gives:    []content{{example: exampleModel}},
	},
	{
		method:   http.MethodGet,
		path:     "/v1/gen/v1beta/models/{call}",
		id:       "getGenerateModel",
		tag:      "generateContent",
		scope:    "models:read",
		summary:  "A model, in the shape of generateContent",
		errors:   generateErrors,
		statuses: ofReads,
		gives:    []content{{example: `{"name":"models/gemini-2.5-pro","displayName":"gemini-2.5-pro"}`}},
	},
	{
		method:   http.MethodGet,
		path:     "/v1/gen/v1/models/{call}",
		id:       "getGenerateModelV1",
		tag:      "generateContent",
		scope:    "models:read",
		summary:  "A model, in the shape of generateContent",
		errors:   generateErrors,
		statuses: ofReads,
		gives:    []content{{example: `{"name":"models/gemini-2.5-pro","displayName":"gemini-2.5-pro"}`}},
	},
}
