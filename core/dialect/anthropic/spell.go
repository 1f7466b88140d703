package anthropic

// spelled are the fields that have other names than in chat.
var spelled = map[string]string{
	"reasoning_effort": "output_config.effort", "parallel_tool_calls": "tool_choice.disable_parallel_tool_use", "user": "metadata.user_id",
	"reasoning": "content.thinking", "is_error": "content.is_error", "tools.function.strict": "tools.strict",
	"response_format.json_schema.strict": "output_config.format", "image in a system message": "system.image",
}

// TranslateField returns this dialect's name of a field of chat.
func (Messages) TranslateField(field string) string {
	if own := spelled[field]; own != "" {
		return own
	}
	return field
}
