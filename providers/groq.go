package providers

import "github.com/headgate-dev/headgate/core/gateway/route"

// groqKind has no prefixes: Groq serves other vendors' models.
var groqKind = kind{
	label: "Groq", base: "https://api.groq.com", key: bearer, main: openAIChat,
	services: addDirectServices("/openai/v1", map[string]service{
		openAIChat: {root: "/openai/v1", path: "/chat/completions"},
	}, speech, transcriptions, translations),
	caps: route.Capabilities{Streaming: true, JSONMode: true},
}

func newGroq(s Settings) (route.Provider, error) { return newHosted(&groqKind, s) }
