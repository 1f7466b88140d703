package gemini

// spelled are the fields that have other names than in chat.
var spelled = map[string]string{
	"temperature": inConfig(fTemperature), "top_p": inConfig(fTopP), "top_k": inConfig(fTopK), "seed": inConfig(fSeed),
	"frequency_penalty": inConfig(fFrequencyPenalty), "presence_penalty": inConfig(fPresencePenalty),
	"logprobs": inConfig(fResponseLogprobs), "top_logprobs": inConfig(fLogprobs),
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
