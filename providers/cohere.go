package providers

import "github.com/headgate-dev/headgate/core/gateway/route"

var cohereKind = kind{
	label: "Cohere", base: "https://api.cohere.com", key: bearer, main: cohereChat,
	services: addDirectServices("/v2", map[string]service{
		cohereChat:       {root: "/v2", path: "/chat"},
		openAIEmbeddings: {root: "/compatibility/v1", path: "/embeddings"},
	}, rerank),
	prefixes: []string{"command-", "c4ai-", "rerank-v", "rerank-english-", "rerank-multilingual-"},
	caps:     route.Capabilities{Streaming: true, JSONMode: true},
}

func newCohere(s Settings) (route.Provider, error) { return newHosted(&cohereKind, s) }
