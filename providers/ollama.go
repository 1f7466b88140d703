package providers

import "github.com/headgate-dev/headgate/core/gateway/route"

// ollamaKind runs models on the operator's machines, without a key unless a proxy in front of it needs one. It has no
// prefixes, because its models come from any vendor.
var ollamaKind = kind{
	label: "Ollama", base: "http://127.0.0.1:11434", key: bearer, main: ollamaChat, caps: everyCap,
	services: map[string]service{
		ollamaChat:       {root: "/api", path: "/chat"},
		openAIEmbeddings: {root: "/v1", path: "/embeddings"},
	},
}

func newOllama(s Settings) (route.Provider, error) { return newHosted(&ollamaKind, s) }
