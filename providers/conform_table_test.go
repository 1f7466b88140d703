package providers

// directConformance are the URLs of the shapes that are never translated, by type and shape.
var directConformance = map[string]map[string]string{
	"openai":       directAt("https://api.openai.com/v1", moderations, images, imageEdits, speech, transcriptions, translations),
	"azure-openai": directAt("https://res.openai.azure.com/openai/v1", images, imageEdits, speech, transcriptions, translations),
	"xai":          directAt("https://api.x.ai/v1", images),
	"mistral":      directAt("https://api.mistral.ai/v1", moderations, transcriptions),
	"cohere":       directAt("https://api.cohere.com/v2", rerank),
	"groq":         directAt("https://api.groq.com/openai/v1", speech, transcriptions, translations),
	"openrouter":   directAt("https://openrouter.ai/api/v1", rerank),
	"together":     directAt("https://api.together.xyz/v1", rerank, images, speech, transcriptions, translations),
	"fireworks":    directAt("https://api.fireworks.ai/inference/v1", rerank),
	"vllm":         directAt("http://127.0.0.1:8000/v1", rerank, transcriptions, translations),
	"mock":         directAt("http://mock/v1", rerank, moderations, images, imageEdits, speech, transcriptions, translations),
}

func directAt(root string, shapes ...string) map[string]string {
	urls := map[string]string{}
	for _, s := range shapes {
		urls[s] = root + map[string]string{
			rerank: "/rerank", moderations: "/moderations", images: "/images/generations", imageEdits: "/images/edits",
			speech: "/audio/speech", transcriptions: "/audio/transcriptions", translations: "/audio/translations",
		}[s]
	}
	return urls
}

// conformance is the contract of each provider: the URL of each shape, and how the key is sent. Shapes that are not
// listed are translated to main; embeddings and counts that are not listed are not served.
var conformance = map[string]struct {
	key   string // the field, with the text before the key
	main  string
	model string
	whole map[string]string // by shape
	// stream is the URL of a streamed call in main, if it differs.
	stream string
}{
	"openai": {"Authorization: Bearer ", openAIChat, "gpt-4.1", map[string]string{
		openAIChat:       "https://api.openai.com/v1/chat/completions",
		openAIResponses:  "https://api.openai.com/v1/responses",
		openAICompact:    "https://api.openai.com/v1/responses/compact",
		openAIEmbeddings: "https://api.openai.com/v1/embeddings",
	}, ""},
	"azure-openai": {"Api-Key: ", openAIChat, "my-gpt", map[string]string{
		openAIChat:       "https://res.openai.azure.com/openai/v1/chat/completions",
		openAIResponses:  "https://res.openai.azure.com/openai/v1/responses",
		openAICompact:    "https://res.openai.azure.com/openai/v1/responses/compact",
		openAIEmbeddings: "https://res.openai.azure.com/openai/v1/embeddings",
	}, ""},
	"anthropic": {"X-Api-Key: ", anthropicMessages, "claude-opus-4-5", map[string]string{
		anthropicMessages: "https://api.anthropic.com/v1/messages",
		anthropicCount:    "https://api.anthropic.com/v1/messages/count_tokens",
	}, ""},
	"gemini": {"X-Goog-Api-Key: ", geminiGenerate, "gemini-2.5-pro", map[string]string{
		geminiGenerate:   "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:generateContent",
		geminiCount:      "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:countTokens",
		geminiEmbed:      "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:embedContent",
		geminiBatchEmbed: "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:batchEmbedContents",
		openAIEmbeddings: "https://generativelanguage.googleapis.com/v1beta/openai/embeddings",
	}, "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse"},
	"bedrock": {"Authorization: Bearer ", bedrockConverse, "eu.amazon.nova-lite-v1:0", map[string]string{
		bedrockConverse: "https://bedrock-runtime.eu-central-1.amazonaws.com/model/eu.amazon.nova-lite-v1%3A0/converse",
	}, "https://bedrock-runtime.eu-central-1.amazonaws.com/model/eu.amazon.nova-lite-v1%3A0/converse-stream"},
	"xai": {"Authorization: Bearer ", openAIChat, "grok-4", map[string]string{
		openAIChat: "https://api.x.ai/v1/chat/completions",
	}, ""},
	"mistral": {"Authorization: Bearer ", openAIChat, "mistral-large-latest", map[string]string{
		openAIChat:       "https://api.mistral.ai/v1/chat/completions",
		openAIEmbeddings: "https://api.mistral.ai/v1/embeddings",
	}, ""},
	"deepseek": {"Authorization: Bearer ", openAIChat, "deepseek-chat", map[string]string{
		openAIChat: "https://api.deepseek.com/chat/completions",
	}, ""},
	"moonshot": {"Authorization: Bearer ", openAIChat, "kimi-k2.5", map[string]string{
		openAIChat: "https://api.moonshot.ai/v1/chat/completions",
	}, ""},
	"zhipu": {"Authorization: Bearer ", openAIChat, "glm-4.7", map[string]string{
		openAIChat:       "https://open.bigmodel.cn/api/paas/v4/chat/completions",
		openAIEmbeddings: "https://open.bigmodel.cn/api/paas/v4/embeddings",
	}, ""},
	"cohere": {"Authorization: Bearer ", cohereChat, "command-a-03-2025", map[string]string{
		cohereChat:       "https://api.cohere.com/v2/chat",
		openAIEmbeddings: "https://api.cohere.com/compatibility/v1/embeddings",
	}, ""},
	"groq": {"Authorization: Bearer ", openAIChat, "openai/gpt-oss-20b", map[string]string{
		openAIChat: "https://api.groq.com/openai/v1/chat/completions",
	}, ""},
	"qwen": {"Authorization: Bearer ", openAIChat, "qwen-plus", map[string]string{
		openAIChat:       "https://dashscope-intl.aliyuncs.com/compatible-mode/v1/chat/completions",
		openAIEmbeddings: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1/embeddings",
	}, ""},
	"ollama": {"Authorization: Bearer ", ollamaChat, "llama3", map[string]string{
		ollamaChat:       "http://127.0.0.1:11434/api/chat",
		openAIEmbeddings: "http://127.0.0.1:11434/v1/embeddings",
	}, ""},
	"openrouter": {"Authorization: Bearer ", openAIChat, "anthropic/claude-sonnet-4.5", map[string]string{
		openAIChat:       "https://openrouter.ai/api/v1/chat/completions",
		openAIEmbeddings: "https://openrouter.ai/api/v1/embeddings",
	}, ""},
	"together": {"Authorization: Bearer ", openAIChat, "openai/gpt-oss-20b", map[string]string{
		openAIChat:       "https://api.together.xyz/v1/chat/completions",
		openAIEmbeddings: "https://api.together.xyz/v1/embeddings",
	}, ""},
	"fireworks": {"Authorization: Bearer ", openAIChat, "accounts/fireworks/models/gpt-oss-20b", map[string]string{
		openAIChat:       "https://api.fireworks.ai/inference/v1/chat/completions",
		openAIEmbeddings: "https://api.fireworks.ai/inference/v1/embeddings",
	}, ""},
	"vllm": {"Authorization: Bearer ", openAIChat, "openai/gpt-oss-20b", map[string]string{
		openAIChat:       "http://127.0.0.1:8000/v1/chat/completions",
		openAIEmbeddings: "http://127.0.0.1:8000/v1/embeddings",
	}, ""},
	"ollama-openai": {"Authorization: Bearer ", openAIChat, "llama3", map[string]string{
		openAIChat:       "http://127.0.0.1:11434/v1/chat/completions",
		openAIEmbeddings: "http://127.0.0.1:11434/v1/embeddings",
	}, ""},
	"vertex": {"X-Goog-Api-Key: ", geminiGenerate, "gemini-2.5-pro", map[string]string{
		geminiGenerate: "https://aiplatform.googleapis.com/v1beta1/projects/my-project/locations/global/publishers/google/models/gemini-2.5-pro:generateContent",
		geminiCount:    "https://aiplatform.googleapis.com/v1beta1/projects/my-project/locations/global/publishers/google/models/gemini-2.5-pro:countTokens",
	}, "https://aiplatform.googleapis.com/v1beta1/projects/my-project/locations/global/publishers/google/models/gemini-2.5-pro:streamGenerateContent?alt=sse"},
	"mock": {"", openAIChat, "mock-echo", map[string]string{
		openAIChat:       "http://mock/v1/chat/completions",
		openAICompact:    "http://mock/v1/responses/compact",
		openAIEmbeddings: "http://mock/v1/embeddings",
		anthropicCount:   "http://mock/v1/messages/count_tokens",
		geminiCount:      "http://mock/v1beta/models/mock:countTokens",
		geminiEmbed:      "http://mock/v1beta/models/mock:embedContent",
		geminiBatchEmbed: "http://mock/v1beta/models/mock:batchEmbedContents",
	}, ""},
}
