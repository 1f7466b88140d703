package console

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// writeSettings sets the fields of a form to settings, and reports whether the form can show all of them. Settings that an API
// client wrote may have members or types that the schema of the form lacks. Omitted settings keep the values that the form has.
func (s *settingSchema) writeSettings(settings map[string]any, form *Form) bool {
	for name, value := range settings {
		p := s.Properties[name]
		if p == nil || !p.writeValue(value, settingPrefix+name, form.Values) {
			return false
		}
	}
	return true
}

// writeValue sets the field of one setting. It returns false for a value of another type than the setting's.
func (p *settingProperty) writeValue(value any, key string, form url.Values) bool {
	form.Del(key)
	switch v := value.(type) {
	case string:
		form.Set(key, v)
		return p.Type == "string" && isKeptByField(v) && (len(p.Enum) == 0 || slices.Contains(p.Enum, v))
	case bool:
		if v {
			form.Set(key, "on")
		}
		return p.Type == "boolean"
	case float64:
		form.Set(key, strconv.FormatFloat(v, 'f', -1, 64))
		return p.Type == "number" || p.Type == "integer"
	case map[string]any:
		form.Set(key, formatSettings(v))
		return p.Type == "object"
	case []any:
		return p.Type == "array" && p.writeList(v, key, form)
	}
	return false
}

// isKeptByField reports whether reading a field returns the text that was written to it. A line break separates the entries of a list,
// and a single-line input removes it.
func isKeptByField(text string) bool {
	return text != "" && text == strings.TrimSpace(text) && !strings.ContainsAny(text, "\r\n")
}

// writeList sets the field of a list: its boxes, or one line for each text.
func (p *settingProperty) writeList(list []any, key string, form url.Values) bool {
	var lines []string
	for _, item := range list {
		text, ok := item.(string)
		if !ok || !isKeptByField(text) {
			return false
		}
		lines = append(lines, text)
	}
	if len(p.Items.Enum) == 0 {
		form.Set(key, strings.Join(lines, "\n"))
		return true
	}
	form[key] = lines
	for _, text := range lines {
		if !slices.Contains(p.Items.Enum, text) {
			return false
		}
	}
	return true
}

// formatSettings returns settings as indented JSON.
func formatSettings(settings map[string]any) string {
	text, err := json.MarshalIndent(settings, "", "  ")
	if err != nil {
		return "" // decoded JSON can be encoded
	}
	return string(text)
}
