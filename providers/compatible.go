package providers

import "github.com/headgate-dev/headgate/core/gateway/route"

// newCompatibleKind returns a host of other vendors' models that speaks the chat shape and serves embeddings beside it, and
// more of the shapes that are never translated. It
// has no prefixes, because its models come from any vendor, and what a model can do depends on the model.
func newCompatibleKind(label, base, root string, shapes ...string) kind {
	return kind{
		label: label, base: base, key: bearer, main: openAIChat, caps: everyCap,
		services: addDirectServices(root, map[string]service{
			openAIChat:       {root: root, path: "/chat/completions"},
			openAIEmbeddings: {root: root, path: "/embeddings"},
		}, shapes...),
	}
}

var (
	fireworksKind  = newCompatibleKind("Fireworks", "https://api.fireworks.ai", "/inference/v1", rerank)
	openRouterKind = newCompatibleKind("OpenRouter", "https://openrouter.ai", "/api/v1", rerank)
	togetherKind   = newCompatibleKind("Together", "https://api.together.xyz", "/v1", rerank, images, speech, transcriptions, translations)
	// vllmKind is a server on the operator's machines, at vLLM's default port. Its key is what --api-key was given.
	vllmKind = newCompatibleKind("vLLM", "http://127.0.0.1:8000", "/v1", rerank, transcriptions, translations)
	// ollamaOpenAIKind is Ollama's OpenAI-compatible API: chat requests pass through, where type ollama translates them
	// to the native API.
	ollamaOpenAIKind = newCompatibleKind("Ollama", "http://127.0.0.1:11434", "/v1")
)

func newFireworks(s Settings) (route.Provider, error)    { return newHosted(&fireworksKind, s) }
func newOpenRouter(s Settings) (route.Provider, error)   { return newHosted(&openRouterKind, s) }
func newTogether(s Settings) (route.Provider, error)     { return newHosted(&togetherKind, s) }
func newVLLM(s Settings) (route.Provider, error)         { return newHosted(&vllmKind, s) }
func newOllamaOpenAI(s Settings) (route.Provider, error) { return newHosted(&ollamaOpenAIKind, s) }
