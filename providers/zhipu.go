package providers

import "github.com/headgate-dev/headgate/core/gateway/route"

var zhipuKind = kind{
	label: "Zhipu AI", base: "https://open.bigmodel.cn", key: bearer, main: openAIChat,
	services: map[string]service{
		openAIChat:       {root: "/api/paas/v4", path: "/chat/completions"},
		openAIEmbeddings: {root: "/api/paas/v4", path: "/embeddings"},
	},
	prefixes: []string{"glm-"},
	caps:     route.Capabilities{Streaming: true, ToolCalls: true, JSONMode: true},
}

func newZhipu(s Settings) (route.Provider, error) { return newHosted(&zhipuKind, s) }
