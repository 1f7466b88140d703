package console

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/manage/admin"
)

func TestSettingsComeBackFromTheirForm(t *testing.T) {
	for name, c := range map[string]struct {
		settings map[string]any
		shown    bool
	}{
		"all of them": {map[string]any{
			"words": []any{"one", "two"}, "packs": []any{"a", "b"}, "count": 3.0, "share": 0.25, "on": true,
			"more": map[string]any{"k": []any{"v"}}, "kind": "x", "how": "x",
		}, true},
		"one of them":                   {map[string]any{"words": []any{"one"}, "how": "y", "share": 0.5}, true},
		"one that the form lacks":       {map[string]any{"words": []any{"one"}, "other": true}, false},
		"one of another type":           {map[string]any{"words": "one"}, false},
		"a list with a number":          {map[string]any{"words": []any{1.0}}, false},
		"a text with a line break":      {map[string]any{"words": []any{"one\ntwo"}}, false},
		"a box that the list lacks":     {map[string]any{"packs": []any{"c"}}, false},
		"a member that is null":         {map[string]any{"words": nil}, false},
		"a text that ends in a space":   {map[string]any{"words": []any{"one "}}, false},
		"a value that is not a choice":  {map[string]any{"words": []any{"one"}, "how": "z"}, false},
		"a string that ends in a space": {map[string]any{"text": "drop table "}, false},
		"a string with a line break":    {map[string]any{"text": "(?x)a\nb"}, false},
		"an empty string":               {map[string]any{"text": ""}, false},
		"a string":                      {map[string]any{"words": []any{"one"}, "text": "drop table", "how": "y", "share": 0.5}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s, f := testSettings(t), newForm()
			s.listFields(f)
			assert.Equal(t, c.shown, s.writeSettings(c.settings, f))
			if c.shown {
				assert.Equal(t, c.settings, s.readSettings(f))
				assert.Empty(t, f.Errors)
			}
		})
	}
}

func TestAStageThatNoFormDescribesIsEditedAsJSON(t *testing.T) {
	form := stageForm{admin.StageForm{ID: "words", Stage: "guardrail", Detector: "words"}, testSettings(t)}
	one := map[string]any{"type": "words", "words": []any{"one"}}
	for name, c := range map[string]struct {
		link admin.ChainLink
		form bool
	}{
		"one detector":             {admin.ChainLink{Runs: "guardrail", Config: map[string]any{"detectors": []any{one}}}, true},
		"two detectors":            {admin.ChainLink{Runs: "guardrail", Config: map[string]any{"detectors": []any{one, one}}}, false},
		"one of another type":      {admin.ChainLink{Runs: "guardrail", Config: map[string]any{"detectors": []any{map[string]any{"type": "code"}}}}, false},
		"a setting of the stage":   {admin.ChainLink{Runs: "guardrail", Config: map[string]any{"detectors": []any{one}, "roles": []any{"user"}}}, false},
		"another stage":            {admin.ChainLink{Runs: "pii", Config: map[string]any{"detectors": []any{one}}}, false},
		"settings without a shape": {admin.ChainLink{Runs: "guardrail", Config: map[string]any{"detectors": "all"}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := chooseSettingForm(&c.link, []stageForm{form})
			assert.Equal(t, c.form, s.stage != nil)
			got := s.readSettings(s.initial)
			if c.form {
				delete(got["detectors"].([]any)[0].(map[string]any), "how") // a default that the form has written
				delete(got["detectors"].([]any)[0].(map[string]any), "share")
			}
			assert.Equal(t, c.link.Config, got)
		})
	}
}
