package providers

import "github.com/headgate-dev/headgate/core/gateway/route"

var openAIKind = kind{
	label: "OpenAI", base: "https://api.openai.com", key: bearer, main: openAIChat, caps: everyCap, batches: true,
	services: withDirect("/v1", map[string]service{
		openAIChat:       {root: "/v1", path: "/chat/completions"},
		openAIResponses:  {root: "/v1", path: "/responses"},
		openAIEmbeddings: {root: "/v1", path: "/embeddings"},
		openAIRealtime:   {root: "/v1", path: "/realtime"},
	}, moderations, images, imageEdits, speech, transcriptions, translations),
	forwarded: []forwarded{
		{name: "Openai-Beta", shape: true},
		{name: "Idempotency-Key"},
		{name: "X-Client-Request-Id"},
	},
	prefixes: []string{
		"gpt-", "chatgpt-", "o1", "o3", "o4", "text-embedding-", "ft:gpt-", "ft:o", "omni-moderation-",
		"text-moderation-", "dall-e-", "tts-", "whisper-",
	},
}

func newOpenAI(s Settings) (route.Provider, error) { return newHosted(&openAIKind, s) }
