package guardrail

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBadSettingsSayWhatToWrite(t *testing.T) {
	for _, c := range []struct{ config, says string }{
		{"detectors: [{type: prompt_injektion}]", "known are"},
		{"detectors: [{type: keywords}]", "write the words"},
		{"detectors: [{type: keywords, words: ['🔫']}]", "regex"},
		{"detectors: [{type: keywords, words: [a], match: fuzzy}]", "word or substring"},
		{"detectors: [{type: keywords, words: [a], schema: {}}]", `keywords does not know "schema"`},
		{"detectors: [{type: code, words: [a]}]", "only the common settings"},
		{"detectors: [{type: jailbreak, threshold: 2}]", "from 0 to 1"},
		{"detectors: [{type: jailbreak, action: explode}]", "block, replace, redact or flag"},
		{"detectors: [{type: jailbreak, action: redact}]", "cannot redact a part"},
		{"detectors: [{type: jailbreak, phases: [target]}]", "request or response"},
		{"detectors: [{type: regex}]", "regular expression"},
		{"detectors: [{type: regex, pattern: '('}]", "pattern"},
		{"detectors: [{type: regex, pattern: 'a*'}]", "found everywhere"},
		{"detectors: [{type: json_schema}]", "write a JSON Schema"},
		{"detectors: [{type: json_schema, schema: {type: 7}}]", "schema"},
		{"detectors: [{type: json_schema, schema: {$ref: 'https://example.com/s.json'}}]", "read from elsewhere"},
		{"detectors: [{type: json_schema, schema: {$ref: 'file:///etc/passwd'}}]", "read from elsewhere"},
		{"detectors: [{type: json_keys}]", "keys"},
		{"detectors: [{type: length}]", "write max, min"},
		{"detectors: [{type: length, min: 5, max: 3}]", "min not above max"},
		{"detectors: [{type: length, max: 3, unit: miles}]", "unit"},
		{"detectors: [{type: language}]", "scripts"},
		{"detectors: [{type: language, scripts: [french]}]", "script"},
		{"detectors: [{type: urls, allowed_domains: ['https://a.b/']}]", "example.com"},
		{"detectors: [{type: topic}]", "topics"},
		{"detectors: [{type: topic, topics: {x: [a]}}]", "min_hits"},
		{"detectors: [{type: competitor}]", "names"},
		{"detectors: [{type: tool_policy}]", "allow, deny or max"},
		{"detectors: [{type: tool_policy, max: 1, phases: [response]}]", "requests only"},
		{"detectors: [{type: required_metadata}]", "keys and headers"},
		{`detectors: [{type: keywords, words: [a], action: redact, replacement: '"x"'}]`, "replacement"},
		{"roles: [robot]", "write user, tool"},
		{"stream: {window: 10}", "stream.window"},
		{"stream: {window: 100, overlap: 80}", "stream.overlap"},
		{"{stream: {hold: false}, detectors: [{type: keywords, words: [a], action: redact}]}", "hold"},
		{"detector: []", "detector"},
	} {
		_, err := New(block(c.config))
		if assert.Error(t, err, c.config) {
			assert.Contains(t, err.Error(), c.says, c.config)
		}
	}
}

func TestEveryKindIsMadeWithItsSettings(t *testing.T) {
	own := map[string]string{
		"keywords":          "words: [a]",
		"regex":             "pattern: a",
		"competitor":        "names: [a]",
		"topic":             "topics: {t: [a, b]}",
		"json_schema":       "schema: true",
		"json_keys":         "keys: [a]",
		"length":            "max: 1",
		"language":          "scripts: [latin]",
		"required_metadata": "keys: [a]",
		"tool_policy":       "max: 1",
	}
	for _, k := range ListKinds() {
		text := "detectors: [{type: " + k
		if s := own[k]; s != "" {
			text += ", " + s
		}
		st, err := New(block(text + "}]"))
		require.NoError(t, err, k)
		assert.Len(t, st.(*Stage).engine.guards, 1)
	}
}
