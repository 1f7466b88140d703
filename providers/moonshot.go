package providers

import "github.com/headgate-dev/headgate/core"

var moonshotKind = kind{
	label: "Moonshot AI", base: "https://api.moonshot.ai", key: bearer, main: openAIChat,
	services: map[string]service{
		openAIChat: {root: "/v1", path: "/chat/completions"},
	},
	prefixes: []string{"moonshot-", "kimi-"},
	caps:     core.Capabilities{Streaming: true, ToolCalls: true, JSONMode: true},
}

func newMoonshot(s Settings) (core.Provider, error) { return newHosted(&moonshotKind, s) }
