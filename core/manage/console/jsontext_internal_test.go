package console

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWhatIsWrongWithJSONIsToldWithItsPlace(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": 1}`:               "",
		" {\n}\n ":               "",
		`{"a": 1,}`:              "Line 1, column 9: this is not valid JSON: invalid character '}' looking for beginning of object key string.",
		"{\n  \"a\": 1\n  \"b\"": "Line 3, column 3: this is not valid JSON: invalid character '\"' after object key:value pair.",
		"{\n\"é\": x}":           "Line 2, column 6: this is not valid JSON: invalid character 'x' looking for beginning of value.",
		`{"a": "b`:               "Line 1, column 9: the JSON ends too early: a bracket or a quotation mark is not closed.",
		"":                       "Line 1, column 1: the JSON ends too early: a bracket or a quotation mark is not closed.",
		`{} {}`:                  "Line 1, column 4: unexpected text after the end of the JSON value.",
		`[1]`:                    "Line 1, column 1: write a JSON object, as {\"name\": …}, here.",
	} {
		var m map[string]any
		assert.Equal(t, want, readJSON(text, &m), text)
	}
}

func FuzzAnyTextIsReadAsJSON(f *testing.F) {
	f.Add(`{"a":`)
	f.Fuzz(func(t *testing.T, text string) {
		var m map[string]any
		if readJSON(text, &m) == "" {
			assert.Regexp(t, `^\s*(\{|null)`, text)
		}
	})
}
