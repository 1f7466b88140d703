package providers

import "github.com/headgate-dev/headgate/core/gateway/route"

var qwenKind = kind{
	label: "Qwen", base: "https://dashscope-intl.aliyuncs.com", key: bearer, main: openAIChat,
	services: map[string]service{
		openAIChat:       {root: "/compatible-mode/v1", path: "/chat/completions"},
		openAIEmbeddings: {root: "/compatible-mode/v1", path: "/embeddings"},
	},
	prefixes: []string{"qwen", "qwq-", "qvq-"},
	caps:     route.Capabilities{Streaming: true, JSONMode: true},
}

func newQwen(s Settings) (route.Provider, error) { return newHosted(&qwenKind, s) }
