package telemetry

import (
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

// Names of OpenTelemetry's semantic conventions for generative AI, as of release 1.41.
const (
	opName        = attribute.Key("gen_ai.operation.name")
	providerName  = attribute.Key("gen_ai.provider.name")
	requestModel  = attribute.Key("gen_ai.request.model")
	responseModel = attribute.Key("gen_ai.response.model")
	errorType     = attribute.Key("error.type")
	agentName     = attribute.Key("gen_ai.agent.name")
)

// nameOperation returns the convention's name for the kind of exchange. The convention has none for counting tokens.
func nameOperation(x *core.Exchange) string {
	switch x.Head.Task {
	case llm.TaskEmbed:
		return "embeddings"
	case llm.TaskCount:
		return "count_tokens"
	case llm.TaskTool:
		return "execute_tool"
	case llm.TaskRank:
		return "rerank"
	case llm.TaskModerate:
		return "moderation"
	case llm.TaskDraw:
		return "image_generation"
	case llm.TaskSpeak:
		return "speech"
	case llm.TaskTranscribe:
		return "transcription"
	case llm.TaskCompact:
		return "compaction"
	case llm.TaskAgent:
		return "invoke_agent"
	}
	switch x.Dialect {
	case "openai.completions":
		return "text_completion"
	case "openai.embeddings":
		return "embeddings"
	case "gemini.generate":
		return "generate_content"
	}
	return "chat"
}

// findAgent returns the name of the agent that a request is for; "" if it is for none. It is one of the configuration, because no
// other is known as an agent's.
func findAgent(x *core.Exchange) string {
	if x.Head.Task != llm.TaskAgent {
		return ""
	}
	return strings.TrimPrefix(x.Head.Model, "a2a/")
}

// wellKnown maps providers to the convention's names, where they differ.
var wellKnown = map[string]string{
	"azure-openai": "azure.ai.openai", "bedrock": "aws.bedrock", "gemini": "gcp.gemini",
	"mistral": "mistral_ai", "moonshot": "moonshot_ai", "xai": "x_ai",
}

// nameProvider returns the convention's name for a provider, or the configured one.
func nameProvider(name string) string {
	if n, ok := wellKnown[name]; ok {
		return n
	}
	return name
}

// longest is how many bytes of a client's model name are reported.
const longest = 128

// truncateModel truncates a client's model name, which may be anything.
func truncateModel(model string) string {
	if len(model) > longest {
		model = model[:longest]
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == utf8.RuneError {
			return -1
		}
		return r
	}, model)
}
