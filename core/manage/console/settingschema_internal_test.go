package console

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testSettings has a setting of each kind.
func testSettings(t *testing.T) *settingSchema {
	s, err := parseSettingSchema(map[string]any{
		"description": "Finds things.", "required": []string{"words"}, "x-order": []string{"count", "words", "share", "packs", "on", "more", "kind", "how", "text"},
		"properties": map[string]any{
			"words": map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
			"packs": map[string]any{"type": "array", "items": map[string]any{"type": "string", "enum": []string{"a", "b"}}},
			"count": map[string]any{"type": "integer", "minimum": 0}, "share": map[string]any{"type": "number", "minimum": 0, "maximum": 1, "default": 0.5},
			"text": map[string]any{"type": "string"},
			"on":   map[string]any{"type": "boolean"}, "more": map[string]any{"type": "object"},
			"kind": map[string]any{"type": "string", "enum": []string{"x", "y"}}, "how": map[string]any{"type": "string", "enum": []string{"x", "y"}, "default": "y"},
		},
	})
	require.NoError(t, err)
	return s
}

func TestAFormIsMadeFromASchema(t *testing.T) {
	initial := newForm()
	drawn := drawFields(initial, testSettings(t).listFields(initial))
	var kinds []string
	for _, f := range drawn {
		kinds = append(kinds, f.Name+" "+f.Kind)
	}
	assert.Equal(t, []string{
		"set-words textarea", "set-count input", "set-share input", "set-packs checkboxes", "set-on checkbox", "set-more textarea", "set-kind select",
		"set-how select", "set-text input",
	}, kinds, "what is required comes first")
	assert.True(t, drawn[0].Required)
	assert.Equal(t, []string{"number", "0", ""}, []string{drawn[1].Type, drawn[1].Min, drawn[1].Max})
	assert.Equal(t, "0.5", drawn[2].Value)
	assert.Equal(t, []Option{{"", "default", false}, {"x", "x", false}, {"y", "y", false}}, drawn[6].Options)
	assert.Equal(t, []Option{{"x", "x", false}, {"y", "y", true}}, drawn[7].Options)
}

func TestSettingsAreReadByTheirSchema(t *testing.T) {
	for name, c := range map[string]struct {
		sent  url.Values
		want  map[string]any
		wrong []string
	}{
		"all of them": {
			url.Values{
				"set-words": {" one \r\n\r\ntwo"}, "set-packs": {"a", "b"}, "set-count": {"3"}, "set-share": {"0.25"}, "set-on": {"on"},
				"set-more": {`{"k":["v"]}`}, "set-kind": {"x"}, "set-how": {"y"},
			},
			map[string]any{
				"words": []any{"one", "two"}, "packs": []any{"a", "b"}, "count": 3.0, "share": 0.25, "on": true, "more": map[string]any{"k": []any{"v"}},
				"kind": "x", "how": "y",
			},
			nil,
		},
		"those that are empty are left out": {
			url.Values{"set-words": {"one"}, "set-count": {""}, "set-kind": {""}},
			map[string]any{"words": []any{"one"}},
			nil,
		},
		"what is wrong is named": {
			url.Values{"set-words": {" \n"}, "set-count": {"1.5"}, "set-share": {"NaN"}, "set-more": {"[1]"}, "set-kind": {"z"}, "set-how": {"y"}},
			map[string]any{"how": "y"},
			[]string{"set-words", "set-count", "set-share", "set-more", "set-kind"},
		},
		"a number out of bounds": {url.Values{"set-words": {"one"}, "set-share": {"1.5"}}, map[string]any{"words": []any{"one"}}, []string{"set-share"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := &Form{Values: c.sent}
			assert.Equal(t, c.want, testSettings(t).readSettings(f))
			var wrong []string
			for field := range f.Errors {
				wrong = append(wrong, field)
			}
			assert.ElementsMatch(t, c.wrong, wrong)
		})
	}
}
