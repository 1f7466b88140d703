package providers

import "github.com/headgate-dev/headgate/core/gateway/route"

// ollamaKind runs models on machines of the operator's, without a key unless a
// proxy before it asks for one. It has no prefixes: its models are anybody's.
var ollamaKind = kind{
	label: "Ollama", base: "http://127.0.0.1:11434", key: bearer, main: ollamaChat, caps: everyCap,
	services: map[string]service{
		ollamaChat:       {root: "/api", path: "/chat"},
		openAIEmbeddings: {root: "/v1", path: "/embeddings"},
	},
}

func newOllama(s Settings) (route.Provider, error) { return newHosted(&ollamaKind, s) }
