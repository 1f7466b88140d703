package gemini

// spelled are the fields that have other names than in chat.
var spelled = map[string]string{
	"temperature": configPath(fTemperature), "top_p": configPath(fTopP), "top_k": configPath(fTopK), "seed": configPath(fSeed),
	"frequency_penalty": configPath(fFrequencyPenalty), "presence_penalty": configPath(fPresencePenalty),
	"logprobs": configPath(fResponseLogprobs), "top_logprobs": configPath(fLogprobs),
	"tool_choice": "toolConfig.functionCallingConfig", "reasoning": "contents.parts.thought",
	"thought_signature": "contents.parts.thoughtSignature",
}

// Spell returns this dialect's name of a field of chat.
func (Generate) Spell(field string) string {
	if own := spelled[field]; own != "" {
		return own
	}
	return field
}
