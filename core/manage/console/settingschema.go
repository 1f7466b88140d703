package console

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
)

// settingSchema is the part of JSON Schema from which forms for settings are made: an object of single values and lists.
type settingSchema struct {
	Description string                      `json:"description"`
	Properties  map[string]*settingProperty `json:"properties"`
	Required    []string                    `json:"required"`
	Order       []string                    `json:"x-order"`
}

// settingProperty is the schema of one setting.
type settingProperty struct {
	Type        string   `json:"type"`
	Title       string   `json:"title"` // optional: the label of the field
	Description string   `json:"description"`
	Enum        []string `json:"enum"`
	Default     any      `json:"default"`
	Minimum     *float64 `json:"minimum"`
	Maximum     *float64 `json:"maximum"`
	Pattern     string   `json:"pattern"`
	Items       struct {
		Enum []string `json:"enum"`
	} `json:"items"`
}

func parseSettingSchema(from map[string]any) (*settingSchema, error) {
	text, err := json.Marshal(from)
	if err != nil {
		return nil, err
	}
	s := &settingSchema{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("parse the schema of a form: %w", err)
	}
	return s, nil
}

// settingPrefix keeps the names of settings apart from those of other fields.
const settingPrefix = "set-"

// listFields returns the fields of the settings, those that are required first, and sets their defaults in a form.
func (s *settingSchema) listFields(initial *Form) []field {
	var out []field
	for _, required := range []bool{true, false} {
		for _, name := range s.Order {
			p := s.Properties[name]
			if p == nil || slices.Contains(s.Required, name) != required {
				continue
			}
			if p.Default != nil {
				initial.Values.Set(settingPrefix+name, fmt.Sprint(p.Default))
			}
			out = append(out, p.drawField(name, required))
		}
	}
	return out
}

// drawField returns the field of a setting.
func (p *settingProperty) drawField(name string, required bool) field {
	label := cmp.Or(p.Title, strings.ReplaceAll(strings.ToUpper(name[:1])+name[1:], "_", " "))
	settings := []string{"hint=" + p.Description}
	if required {
		settings = append(settings, "required")
	}
	key := settingPrefix + name
	switch {
	case p.Type == "array" && len(p.Items.Enum) > 0:
		return newCheckboxes(key, label, nameOptions(p.Items.Enum), append(settings, "wide")...)
	case p.Type == "array":
		return newTextarea(key, label, settings...)
	case p.Type == "object":
		return newTextarea(key, label, append(settings, "mono", "rows=6")...)
	case p.Type == "boolean":
		return newCheckbox(key, label, settings...)
	case len(p.Enum) > 0 && p.Default == nil:
		return newChoice(key, label, append(newOptions("", "default"), nameOptions(p.Enum)...), settings...)
	case len(p.Enum) > 0:
		return newChoice(key, label, nameOptions(p.Enum), settings...)
	case p.Type == "integer" || p.Type == "number":
		settings = append(settings, "type=number")
		if p.Minimum != nil {
			settings = append(settings, fmt.Sprint("min=", *p.Minimum))
		}
		if p.Maximum != nil {
			settings = append(settings, fmt.Sprint("max=", *p.Maximum))
		}
		if p.Type == "number" {
			settings = append(settings, "step=any")
		}
	case p.Pattern != "":
		settings = append(settings, "pattern="+p.Pattern)
	}
	return newInput(key, label, settings...)
}

func nameOptions(words []string) (out []Option) {
	for _, w := range words {
		out = append(out, Option{Value: w, Label: w})
	}
	return out
}

// readSettings reads the settings of a form, without those that are empty, and records what is wrong in it.
func (s *settingSchema) readSettings(f *Form) map[string]any {
	out := map[string]any{}
	for name, p := range s.Properties {
		key := settingPrefix + name
		value, ok := p.readValue(f, key)
		switch {
		case ok:
			out[name] = value
		case slices.Contains(s.Required, name) && f.Errors[key] == "":
			f.addError(key, "Write a value.")
		}
	}
	return out
}

// readValue reads one setting; ok is false if it is empty or wrong.
func (p *settingProperty) readValue(f *Form, key string) (value any, ok bool) {
	text := f.readText(key)
	switch p.Type {
	case "array":
		var list []any
		for _, v := range f.Values[key] {
			for line := range strings.Lines(v) {
				if line = strings.TrimSpace(line); line != "" {
					list = append(list, line)
				}
			}
		}
		return list, len(list) > 0
	case "boolean":
		return true, f.isChecked(key)
	case "object":
		if text == "" {
			return nil, false
		}
		var v map[string]any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			f.addError(key, "Write a JSON object.")
			return nil, false
		}
		return v, true
	case "integer", "number":
		n, err := strconv.ParseFloat(text, 64)
		if text != "" && (err != nil || p.Type == "integer" && n != float64(int64(n)) || p.isOutside(n)) {
			f.addError(key, "Write a "+strings.Replace(p.Type, "integer", "whole number", 1)+" within the limits.")
		}
		return n, text != "" && f.Errors[key] == ""
	}
	if text != "" && len(p.Enum) > 0 && !slices.Contains(p.Enum, text) {
		f.addError(key, "Choose one of the values.")
		return nil, false
	}
	return text, text != ""
}

// isOutside reports whether a number breaks the bounds of a setting. It is false for NaN without bounds.
func (p *settingProperty) isOutside(n float64) bool {
	return n != n || p.Minimum != nil && n < *p.Minimum || p.Maximum != nil && n > *p.Maximum
}

// newMissingLinkError returns the error for a stage that the chain lacks.
func newMissingLinkError() error {
	return &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Public: "The chain has no such stage."}
}
