package providers

import "github.com/headgate-dev/headgate/core/gateway/route"

var xaiKind = kind{
	label: "xAI", base: "https://api.x.ai", key: bearer, main: openAIChat, caps: everyCap,
	services: addDirectServices("/v1", map[string]service{
		openAIChat: {root: "/v1", path: "/chat/completions"},
	}, images),
	// The name of a conversation routes its calls to the same cache.
	forwarded: []forwardedHeader{{name: "X-Grok-Conv-Id"}},
	prefixes:  []string{"grok-"},
}

func newXAI(s Settings) (route.Provider, error) { return newHosted(&xaiKind, s) }
