package providers

import "github.com/headgate-dev/headgate/core/gateway/route"

var moonshotKind = kind{
	label: "Moonshot AI", base: "https://api.moonshot.ai", key: bearer, main: openAIChat,
	services: map[string]service{
		openAIChat: {root: "/v1", path: "/chat/completions"},
	},
	prefixes: []string{"moonshot-", "kimi-"},
	caps:     route.Capabilities{Streaming: true, ToolCalls: true, JSONMode: true},
}

func newMoonshot(s Settings) (route.Provider, error) { return newHosted(&moonshotKind, s) }
