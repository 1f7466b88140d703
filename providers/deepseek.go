package providers

import "github.com/headgate-dev/headgate/core"

var deepSeekKind = kind{
	label: "DeepSeek", base: "https://api.deepseek.com", key: bearer, main: openAIChat,
	services: map[string]service{
		openAIChat: {path: "/chat/completions"},
	},
	prefixes: []string{"deepseek-"},
	caps:     core.Capabilities{Streaming: true, ToolCalls: true, JSONMode: true},
}

func newDeepSeek(s Settings) (core.Provider, error) { return newHosted(&deepSeekKind, s) }
