package providers

import "github.com/headgate-dev/headgate/core/dialect/openai"

// Names of the shapes that providers speak, or are asked in.
const (
	openAIChat        = openai.ChatName
	openAIResponses   = "openai.responses"
	openAICompletions = "openai.completions" // spoken by clients alone
	openAIEmbeddings  = "openai.embeddings"
	anthropicMessages = "anthropic.messages"
	anthropicCount    = "anthropic.count_tokens"
	geminiGenerate    = "gemini.generate"
	geminiCount       = "gemini.count_tokens"
	bedrockConverse   = "bedrock.converse"
	cohereChat        = "cohere.chat"
	ollamaChat        = "ollama.chat"
)

// generating are the shapes in which clients ask for text. A provider that does
// not speak one is asked in its main shape; the other shapes (embeddings, counts)
// have no translation.
var generating = []string{openAIChat, openAIResponses, openAICompletions, anthropicMessages, geminiGenerate}
