package providers

import "github.com/headgate-dev/headgate/core"

var qwenKind = kind{
	label: "Qwen", base: "https://dashscope-intl.aliyuncs.com", key: bearer, main: openAIChat,
	services: map[string]service{
		openAIChat:       {root: "/compatible-mode/v1", path: "/chat/completions"},
		openAIEmbeddings: {root: "/compatible-mode/v1", path: "/embeddings"},
	},
	prefixes: []string{"qwen", "qwq-", "qvq-"},
	caps:     core.Capabilities{Streaming: true, JSONMode: true},
}

func newQwen(s Settings) (core.Provider, error) { return newHosted(&qwenKind, s) }
