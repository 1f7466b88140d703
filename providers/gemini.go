package providers

import "github.com/headgate-dev/headgate/core/gateway/route"

var geminiKind = kind{
	label: "Gemini", base: "https://generativelanguage.googleapis.com", main: geminiGenerate, caps: everyCap,
	// Never as ?key=, because URLs are logged.
	key: credential{field: "X-Goog-Api-Key"},
	services: map[string]service{
		geminiGenerate: {
			root: "/v1beta", path: "/models/{model}:generateContent",
			stream: "/models/{model}:streamGenerateContent?alt=sse",
		},
		geminiCount:      {root: "/v1beta", path: "/models/{model}:countTokens"},
		geminiEmbed:      {root: "/v1beta", path: "/models/{model}:embedContent"},
		geminiBatchEmbed: {root: "/v1beta", path: "/models/{model}:batchEmbedContents"},
		openAIEmbeddings: {root: "/v1beta/openai", path: "/embeddings", bearer: true},
	},
	prefixes: []string{"gemini-", "gemma-"},
}

func newGemini(s Settings) (route.Provider, error) { return newHosted(&geminiKind, s) }
