package providers

import "github.com/headgate-dev/headgate/core/gateway/route"

var deepSeekKind = kind{
	label: "DeepSeek", base: "https://api.deepseek.com", key: bearer, main: openAIChat,
	services: map[string]service{
		openAIChat: {path: "/chat/completions"},
	},
	prefixes: []string{"deepseek-"},
	caps:     route.Capabilities{Streaming: true, ToolCalls: true, JSONMode: true},
}

func newDeepSeek(s Settings) (route.Provider, error) { return newHosted(&deepSeekKind, s) }
