package clients

import (
	"strings"

	"github.com/tidwall/gjson"
)

// heard is what a provider understands of a request.
type heard struct {
	model, system, user string
	limit               int64
	temperature         float64
	tool, schema        string
	callID, call, args  string // the call in the history
	resultID, result    string
}

// places are where a provider's shape has each, as gjson paths.
type places struct {
	model, system, user, limit, temperature, tool, schema string
	callID, call, args, resultID, result                  string
}

// hears are the shapes of the providers, as their references document them.
var hears = map[string]places{
	"openai": {
		"model",
		`messages.#(role=="system").content`,
		`messages.#(role=="user").content`,
		"max_tokens",
		"temperature",
		"tools.0.function.name",
		"tools.0.function.parameters",
		`messages.#(role=="assistant").tool_calls.0.id`,
		`messages.#(role=="assistant").tool_calls.0.function.name`,
		`messages.#(role=="assistant").tool_calls.0.function.arguments`,
		`messages.#(role=="tool").tool_call_id`,
		`messages.#(role=="tool").content`,
	},
	"responses": {
		"model", "instructions", `input.#(role=="user").content`, "max_output_tokens", "temperature",
		"tools.0.name", "tools.0.parameters",
		`input.#(type=="function_call").call_id`, `input.#(type=="function_call").name`, `input.#(type=="function_call").arguments`,
		`input.#(type=="function_call_output").call_id`, `input.#(type=="function_call_output").output`,
	},
	"anthropic": {
		"model",
		"system",
		"messages.0.content",
		"max_tokens",
		"temperature",
		"tools.0.name",
		"tools.0.input_schema",
		`messages.1.content.#(type=="tool_use").id`,
		`messages.1.content.#(type=="tool_use").name`,
		`messages.1.content.#(type=="tool_use").input`,
		`messages.2.content.#(type=="tool_result").tool_use_id`,
		`messages.2.content.#(type=="tool_result").content`,
	},
	"gemini": {
		"", "systemInstruction.parts", "contents.0.parts", "generationConfig.maxOutputTokens", "generationConfig.temperature",
		"tools.0.functionDeclarations.0.name", "tools.0.functionDeclarations.0.parametersJsonSchema",
		"contents.1.parts.0.functionCall.id", "contents.1.parts.0.functionCall.name", "contents.1.parts.0.functionCall.args",
		"contents.2.parts.0.functionResponse.id", "contents.2.parts.0.functionResponse.response",
	},
	"bedrock": {
		"", "system", "messages.0.content", "inferenceConfig.maxTokens", "inferenceConfig.temperature",
		"toolConfig.tools.0.toolSpec.name", "toolConfig.tools.0.toolSpec.inputSchema.json",
		"messages.1.content.0.toolUse.toolUseId", "messages.1.content.0.toolUse.name", "messages.1.content.0.toolUse.input",
		"messages.2.content.0.toolResult.toolUseId", "messages.2.content.0.toolResult.content",
	},
	"cohere": {
		"model",
		`messages.#(role=="system").content`,
		`messages.#(role=="user").content`,
		"max_tokens",
		"temperature",
		"tools.0.function.name",
		"tools.0.function.parameters",
		`messages.#(role=="assistant").tool_calls.0.id`,
		`messages.#(role=="assistant").tool_calls.0.function.name`,
		`messages.#(role=="assistant").tool_calls.0.function.arguments`,
		`messages.#(role=="tool").tool_call_id`,
		`messages.#(role=="tool").content`,
	},
	"ollama": {
		"model",
		`messages.#(role=="system").content`,
		`messages.#(role=="user").content`,
		"options.num_predict",
		"options.temperature",
		"tools.0.function.name",
		"tools.0.function.parameters",
		`messages.#(role=="assistant").tool_calls.0.id`,
		`messages.#(role=="assistant").tool_calls.0.function.name`,
		`messages.#(role=="assistant").tool_calls.0.function.arguments`,
		`messages.#(role=="tool").tool_call_id`,
		`messages.#(role=="tool").content`,
	},
}

// hear reads a request in the shape of dir's transcripts, with the card number in
// the place of its placeholder.
func hear(dir string, body []byte) heard {
	if dir == "xai" {
		dir = "openai"
	}
	p := hears[dir]
	v := gjson.ParseBytes(token.ReplaceAll(body, []byte(card)))
	get := func(path string) gjson.Result {
		if path == "" {
			return gjson.Result{}
		}
		return v.Get(path)
	}
	return heard{
		model: get(p.model).String(), system: saidIn(get(p.system)), user: saidIn(get(p.user)),
		limit: get(p.limit).Int(), temperature: get(p.temperature).Float(),
		tool: get(p.tool).String(), schema: get(p.schema).Raw,
		callID: get(p.callID).String(), call: get(p.call).String(), args: get(p.args).String(),
		resultID: get(p.resultID).String(), result: saidIn(get(p.result)),
	}
}

// saidIn is the text of a content: a string, or the texts of its parts.
func saidIn(v gjson.Result) string {
	if !v.IsArray() {
		return v.String()
	}
	var b strings.Builder
	for _, part := range v.Array() {
		b.WriteString(part.Get("text").String())
		b.WriteString(part.Get("json").Raw)
	}
	return b.String()
}
