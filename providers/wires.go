package providers

import (
	"github.com/headgate-dev/headgate/core/dialect/anthropic"
	"github.com/headgate-dev/headgate/core/dialect/bedrock"
	"github.com/headgate-dev/headgate/core/dialect/cohere"
	"github.com/headgate-dev/headgate/core/dialect/direct"
	"github.com/headgate-dev/headgate/core/dialect/gemini"
	"github.com/headgate-dev/headgate/core/dialect/ollama"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// Names of the shapes that providers speak, or in which clients call.
const (
	openAIChat        = openai.ChatName
	openAIResponses   = openai.ResponsesName
	openAICompact     = openai.CompactName
	openAICompletions = openai.CompletionsName // spoken by clients only
	openAIEmbeddings  = openai.EmbeddingsName
	anthropicMessages = anthropic.MessagesName
	anthropicCount    = anthropic.CountTokensName
	geminiGenerate    = gemini.GenerateName
	geminiCount       = gemini.CountTokensName
	geminiEmbed       = gemini.EmbedName
	geminiBatchEmbed  = gemini.BatchEmbedName
	bedrockConverse   = bedrock.ConverseName
	cohereChat        = cohere.ChatName
	ollamaChat        = ollama.ChatName
	openAIRealtime    = openai.RealtimeName
	rerank            = direct.RerankName
	moderations       = direct.ModerationsName
	images            = direct.ImagesName
	imageEdits        = direct.ImageEditsName
	speech            = direct.SpeechName
	transcriptions    = direct.TranscriptionName
	translations      = direct.TranslationName
	// editorChat is a request of the editor client other than a plain chat request.
	editorChat = "ide.chat"
)

// generating are the shapes in which clients request text. A provider that does not speak the client's shape is called
// in its main shape; the other shapes (embeddings, counts, those of package direct) have no translation.
var generating = []string{openAIChat, openAIResponses, openAICompletions, anthropicMessages, geminiGenerate, editorChat}
