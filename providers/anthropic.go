package providers

import (
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

var anthropicKind = kind{
	label: "Anthropic", base: "https://api.anthropic.com", key: credential{field: "X-Api-Key"}, main: anthropicMessages,
	services: map[string]service{
		anthropicMessages: {root: "/v1", path: "/messages"},
		anthropicCount:    {root: "/v1", path: "/messages/count_tokens"},
	},
	// The version that our codec writes. A client of the same shape sends its own.
	fixed: []upstream.Field{{Name: "Anthropic-Version", Value: "2023-06-01"}},
	forwarded: []forwardedHeader{
		{name: "Anthropic-Version", aliases: []string{"Msgapi-Version"}, shape: true},
		{name: "Anthropic-Beta", aliases: []string{"Msgapi-Beta"}, shape: true, list: true},
		{name: "Idempotency-Key"},
	},
	prefixes: []string{"claude-"},
	// Anthropic supports schemas for answers, but not a JSON mode without one.
	caps: route.Capabilities{Streaming: true, Vision: true, ToolCalls: true, StructuredOutputs: true},
}

func newAnthropic(s Settings) (route.Provider, error) { return newHosted(&anthropicKind, s) }
