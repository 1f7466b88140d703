package providers

import "github.com/headgate-dev/headgate/core/gateway/route"

var openAIKind = kind{
	label: "OpenAI", base: "https://api.openai.com", key: bearer, main: openAIChat, caps: openAICap, batches: true,
	services: addDirectServices("/v1", map[string]service{
		openAIChat:       {root: "/v1", path: "/chat/completions"},
		openAIResponses:  {root: "/v1", path: "/responses"},
		openAICompact:    {root: "/v1", path: "/responses/compact"},
		openAIEmbeddings: {root: "/v1", path: "/embeddings"},
		openAIRealtime:   {root: "/v1", path: "/realtime"},
	}, moderations, images, imageEdits, speech, transcriptions, translations),
	forwarded: []forwardedHeader{
		{name: "Openai-Beta", shape: true},
		{name: "Idempotency-Key"},
		{name: "X-Client-Request-Id"},
	},
	prefixes: []string{
		"gpt-", "chatgpt-", "o1", "o3", "o4", "text-embedding-", "ft:gpt-", "ft:o", "omni-moderation-",
		"text-moderation-", "dall-e-", "tts-", "whisper-",
	},
}

// openAICap is everything that OpenAI itself can do.
var openAICap = func(c route.Capabilities) route.Capabilities {
	c.Sockets = true
	return c
}(everyCap)

// newOpenAI knows of OpenAI itself that it has the WebSocket mode of the Responses API; other servers of its APIs may not.
func newOpenAI(s Settings) (route.Provider, error) {
	k := openAIKind
	k.caps.Sockets = s.BaseURL == ""
	return newHosted(&k, s)
}
