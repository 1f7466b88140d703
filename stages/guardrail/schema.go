package guardrail

import (
	"maps"
	"reflect"
	"slices"
)

// BuildSchema returns the JSON Schema of the settings of one type of detector, or nil for an unknown type. The settings are an
// entry of the stage's list of detectors without its type. x-order lists them as a form shows them.
func BuildSchema(kind string) map[string]any {
	k, ok := buildKindTable()[kind]
	if !ok {
		return nil
	}
	names := append(slices.Clone(k.own), "action", "threshold", "name")
	properties := map[string]any{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[detectorSettings]()) {
		if key := f.Tag.Get("yaml"); slices.Contains(names, key) {
			properties[key] = buildProperty(key, f.Type)
		}
	}
	action := properties["action"].(map[string]any)
	action["default"] = k.action
	if slices.Contains(indivisible, kind) {
		action["enum"] = []string{actionBlock, actionFlag}
	}
	if k.phases == onRequest && !slices.Contains(withoutTexts, kind) {
		action["enum"] = append(slices.Clone(action["enum"].([]string)), actionReplace)
		action["description"] = settingTexts["action"] + " " + actionReplace + " puts a notice in place of a tool result, and blocks any other text."
	}
	properties["name"].(map[string]any)["title"] = "Label of findings"
	properties["threshold"].(map[string]any)["default"] = k.threshold
	s := map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": kind, "description": kindTexts[kind], "type": "object",
		"properties": properties, "required": requiredSettings[kind], "additionalProperties": false, "x-order": names,
	}
	if s["required"].([]string) == nil {
		s["required"] = []string{}
	}
	if either := eitherSettings[kind]; either != nil {
		choices := make([]map[string]any, len(either))
		for i, name := range either {
			choices[i] = map[string]any{"required": []string{name}}
		}
		s["anyOf"] = choices
	}
	return s
}

// buildProperty returns the schema of one setting.
func buildProperty(key string, t reflect.Type) map[string]any {
	p := map[string]any{"description": settingTexts[key]}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Slice:
		p["type"], p["items"] = "array", map[string]any{"type": "string"}
	case reflect.Int:
		p["type"], p["minimum"] = "integer", 0
	case reflect.Float64:
		p["type"], p["minimum"], p["maximum"] = "number", 0, 1
	case reflect.Bool:
		p["type"] = "boolean"
	case reflect.String:
		p["type"] = "string"
	default: // topics, and the schema of answers
		p["type"] = "object"
	}
	if words := settingWords[key]; words != nil {
		p["enum"] = words
	}
	return p
}

// settingWords are the values of settings that have a fixed list of them.
var settingWords = map[string][]string{
	"action": {actionBlock, actionRedact, actionFlag}, "match": {"word", "substring"},
	"unit": {"runes", "bytes", "words", "sentences", unitTokens},
}

// withoutTexts are the detectors that judge what comes beside the texts of a request, so that no tool result can be replaced.
var withoutTexts = []string{"required_metadata", "tool_policy"}

// requiredSettings are the settings without which a type of detector cannot be built.
var requiredSettings = map[string][]string{
	"keywords": {"words"}, "competitor": {"names"}, "topic": {"topics"}, "json_schema": {"schema"}, "language": {"scripts"},
}

// eitherSettings are the settings of which a type of detector needs one.
var eitherSettings = map[string][]string{
	"regex": {"pattern", "patterns"}, "length": {"max", "min"}, "json_keys": {"keys", "forbidden"},
	"required_metadata": {"keys", "headers"}, "tool_policy": {"allow", "deny", "max"},
}

var settingTexts = map[string]string{
	"action":           "What happens to a text with a finding, once the stage is enforced.",
	"threshold":        "The score from 0 to 1 at which a finding counts.",
	"name":             "By default the type of the detector.",
	"words":            "The words, one per line.",
	"match":            "Whole words, or any part of a text.",
	"names":            "The names, one per line.",
	"topics":           "The words of each topic, as JSON: {\"finance\": [\"stock\", \"bond\"]}.",
	"min_hits":         "How many different words of a topic a text must have.",
	"pattern":          "A regular expression in RE2 syntax.",
	"patterns":         "More regular expressions, one per line.",
	"schema":           "The JSON Schema of answers.",
	"strip_fence":      "Ignore a code fence around the JSON.",
	"keys":             "The keys that are required, one per line.",
	"forbidden":        "The keys that are forbidden, one per line.",
	"headers":          "The headers that are required, one per line.",
	"max":              "The most that is allowed.",
	"min":              "The least that is required.",
	"unit":             "What is counted.",
	"scripts":          "The scripts that are allowed, such as latin, one per line.",
	"allowed_domains":  "The domains that are allowed, one per line.",
	"denied_domains":   "The domains that are denied, one per line.",
	"max_run":          "How often one character may be repeated in a row.",
	"max_ngram_repeat": "How often three words may be repeated.",
	"allow":            "The tools that are allowed, as globs, one per line.",
	"deny":             "The tools that are denied, as globs, one per line.",
	"canaries":         "Secret words of system prompts, one per line.",
	"min_words":        "How many words in a row count as repeated.",
}

var kindTexts = map[string]string{
	"prompt_injection":   "Instructions that override others, ask for the system prompt, or hide in documents.",
	"jailbreak":          "Personas without rules, and games that lead around them.",
	"system_prompt_leak": "Answers that repeat the system prompt.",
	"secrets":            "Keys, private keys and passwords.",
	"keywords":           "Words from a list.",
	"regex":              "Texts that match regular expressions.",
	"competitor":         "Names from a list.",
	"topic":              "Texts on topics that you describe by words.",
	"toxicity_lexicon":   "Insults, slurs and threats.",
	"code":               "Source code, shell, SQL and markup.",
	"json_schema":        "Answers that do not match a JSON Schema.",
	"json_keys":          "Answers that are not JSON with the right keys.",
	"length":             "Texts that are too long or too short.",
	"language":           "Texts in scripts that are not allowed.",
	"invisible_text":     "Characters that readers cannot see.",
	"urls":               "URLs that are denied or not allowed.",
	"exfil_markdown":     "Images and links that carry data to other hosts.",
	"repetition":         "Texts that repeat themselves.",
	"gibberish":          "Texts of unpronounceable words.",
	"required_metadata":  "Requests that lack metadata or headers.",
	"tool_policy":        "Requests that offer tools which are not allowed.",
	"no_refusal":         "Answers that refuse.",
	"echo":               "Answers that repeat the user.",
}

// ListSchemaKinds lists the types of detectors that BuildSchema knows, sorted.
func ListSchemaKinds() []string { return slices.Sorted(maps.Keys(kindTexts)) }
