package providers

import "github.com/headgate-dev/headgate/core"

var zhipuKind = kind{
	label: "Zhipu AI", base: "https://open.bigmodel.cn", key: bearer, main: openAIChat,
	services: map[string]service{
		openAIChat:       {root: "/api/paas/v4", path: "/chat/completions"},
		openAIEmbeddings: {root: "/api/paas/v4", path: "/embeddings"},
	},
	prefixes: []string{"glm-"},
	caps:     core.Capabilities{Streaming: true, ToolCalls: true, JSONMode: true},
}

func newZhipu(s Settings) (core.Provider, error) { return newHosted(&zhipuKind, s) }
