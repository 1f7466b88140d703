package openai

// Spell gives field as it is: wires name fields as this shape does.
func (Chat) Spell(field string) string { return field }

// Spell gives field as it is: what this shape has, it names as chat does.
func (Completions) Spell(field string) string { return field }

// spelled are the fields that the Responses shape names otherwise than chat.
var spelled = map[string]string{
	"reasoning_effort": "reasoning.effort", "verbosity": "text.verbosity", "reasoning": "input.reasoning",
	"messages.name": "input.name", "image_url.detail": "input.content.detail", "tools.function.strict": "tools.strict",
	"response_format.json_schema.strict": "text.format.strict", "response_format.json_schema.description": "text.format.description",
}

// Spell gives this shape's own name of a field that chat has too.
func (Responses) Spell(field string) string {
	if own := spelled[field]; own != "" {
		return own
	}
	return field
}
