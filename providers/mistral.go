package providers

import "github.com/headgate-dev/headgate/core/gateway/route"

var mistralKind = kind{
	label: "Mistral", base: "https://api.mistral.ai", key: bearer, main: openAIChat,
	services: addDirectServices("/v1", map[string]service{
		openAIChat:       {root: "/v1", path: "/chat/completions"},
		openAIEmbeddings: {root: "/v1", path: "/embeddings"},
	}, moderations, transcriptions),
	prefixes: []string{"mistral-", "ministral-", "magistral-", "codestral-", "devstral-", "pixtral-", "open-mistral-", "open-mixtral-"},
	caps:     route.Capabilities{Streaming: true, ToolCalls: true, StructuredOutputs: true, JSONMode: true},
}

func newMistral(s Settings) (route.Provider, error) { return newHosted(&mistralKind, s) }
