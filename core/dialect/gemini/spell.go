package gemini

// spelled are the fields that have other names than in chat.
var spelled = map[string]string{
	"temperature": formatConfigPath(fTemperature), "top_p": formatConfigPath(fTopP), "top_k": formatConfigPath(fTopK),
	"seed":              formatConfigPath(fSeed),
	"frequency_penalty": formatConfigPath(fFrequencyPenalty), "presence_penalty": formatConfigPath(fPresencePenalty),
	"logprobs": formatConfigPath(fResponseLogprobs), "top_logprobs": formatConfigPath(fLogprobs),
	"tool_choice": "toolConfig.functionCallingConfig", "reasoning": "contents.parts.thought",
	"thought_signature": "contents.parts.thoughtSignature",
}

// TranslateField returns this dialect's name of a field of chat.
func (Generate) TranslateField(field string) string {
	if own := spelled[field]; own != "" {
		return own
	}
	return field
}
