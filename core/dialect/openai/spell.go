package openai

// TranslateField returns field unchanged: chat names are the neutral ones.
func (Chat) TranslateField(field string) string { return field }

// TranslateField returns field unchanged: legacy completions use the names of chat.
func (Completions) TranslateField(field string) string { return field }

// spelled are the fields that have other names than in chat.
var spelled = map[string]string{
	"reasoning_effort": "reasoning.effort", "verbosity": "text.verbosity", "reasoning": "input.reasoning",
	"messages.name": "input.name", "image_url.detail": "input.content.detail", "tools.function.strict": "tools.strict",
	"response_format.json_schema.strict": "text.format.strict", "response_format.json_schema.description": "text.format.description",
}

// TranslateField returns this dialect's name of a field of chat.
func (Responses) TranslateField(field string) string {
	if own := spelled[field]; own != "" {
		return own
	}
	return field
}
