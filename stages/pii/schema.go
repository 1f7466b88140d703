package pii

// BuildSchema returns the JSON Schema of the settings of the stage that a form offers: all but custom types, allowed values and
// thresholds of single types. x-order lists them as a form shows them.
func BuildSchema() map[string]any {
	list := func(text string, words []string) map[string]any {
		return map[string]any{"type": "array", "description": text, "items": map[string]any{"type": "string", "enum": words}}
	}
	word := func(text, usual string, words ...string) map[string]any {
		return map[string]any{"type": "string", "description": text, "enum": words, "default": usual}
	}
	return map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": Name, "type": "object",
		"description": "Personal data and credentials, with reversible placeholders.",
		"properties": map[string]any{
			"packs": list("Groups of types to look for. By default the default group.", ListPacks()),
			"types": map[string]any{
				"type": "array", "description": "More types to look for, one per line, such as IBAN.", "items": map[string]any{"type": "string"},
			},
			"action":   word("What happens to a value, once the stage is enforced.", actionRedact, actionRedact, actionMask, actionBlock, actionFlag),
			"response": word("Restore the caller's values in answers, or also redact what the model writes.", responseRestore, responseRestore, responseRedact),
			"region":   map[string]any{"type": "string", "description": "The country whose national phone numbers count, as two letters.", "pattern": "^[A-Z]{2}$"},
		},
		"required": []string{}, "additionalProperties": false, "x-order": []string{"packs", "types", "action", "response", "region"},
	}
}
