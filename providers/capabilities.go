package providers

import "github.com/headgate-dev/headgate/core/gateway/route"

// FindCapabilities returns what the models of a provider can do: as configured, or for a provider that is not configured,
// the capabilities of its type. ok is false if the name is neither.
func FindCapabilities(configured map[string]route.Provider, name string) (c route.Capabilities, ok bool) {
	for _, n := range []string{name, NormalizeName(name)} {
		if p := configured[n]; p != nil {
			return p.FindCapabilities(""), true
		}
	}
	c, ok = typeCapabilities[NormalizeName(name)]
	return c, ok
}

// typeCapabilities are the capabilities of each type.
var typeCapabilities = map[string]route.Capabilities{
	"anthropic":     anthropicKind.caps,
	"azure-openai":  azureKind.caps,
	"bedrock":       bedrockKind.caps,
	"cohere":        cohereKind.caps,
	"deepseek":      deepSeekKind.caps,
	"fireworks":     fireworksKind.caps,
	"gemini":        geminiKind.caps,
	"groq":          groqKind.caps,
	"mistral":       mistralKind.caps,
	"mock":          everyCap,
	"moonshot":      moonshotKind.caps,
	"ollama":        ollamaKind.caps,
	"ollama-openai": ollamaOpenAIKind.caps,
	"openai":        openAIKind.caps,
	"openrouter":    openRouterKind.caps,
	"qwen":          qwenKind.caps,
	"together":      togetherKind.caps,
	"vertex":        vertexKind.caps,
	"vllm":          vllmKind.caps,
	"xai":           xaiKind.caps,
	"zhipu":         zhipuKind.caps,
}
