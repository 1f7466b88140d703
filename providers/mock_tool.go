package providers

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// mockTool is a tool of a request, as the mock reads it.
type mockTool struct {
	Name       string     `json:"name"`
	Parameters mockSchema `json:"parameters"`
}

// mockSchema is the part of a JSON schema that arguments are generated from. Members of an unexpected form are ignored,
// so that no schema fails a request.
type mockSchema map[string]json.RawMessage

func (s *mockSchema) UnmarshalJSON(b []byte) error {
	var m map[string]json.RawMessage
	if json.Unmarshal(b, &m) == nil { // a schema may also be true or false
		*s = m
	}
	return nil
}

// readMember decodes a member, or returns the zero value.
func readMember[T any](s mockSchema, member string) T {
	var v T
	if json.Unmarshal(s[member], &v) != nil {
		var zero T
		return zero
	}
	return v
}

// chooseTool returns the call with which to answer text. A text that contains the name of a tool followed by a JSON
// object, such as `Bash {"command": "date"}`, requests that call. Any other text calls the tool that the request
// demands, or else the first one.
func (r *mockRequest) chooseTool(text string) (name, args string) {
	tools := make([]mockTool, 0, len(r.Tools))
	for _, t := range r.Tools {
		if t.Function.Name != "" {
			tools = append(tools, t.Function)
		}
	}
	at := -1
	for _, t := range tools {
		if i, object := findCall(text, t.Name); i > at {
			at, name, args = i, t.Name, object
		}
	}
	if at >= 0 {
		return name, args
	}
	tool := mockTool{Name: "mock_tool"}
	if len(tools) > 0 {
		tool = tools[0]
	}
	var choice struct {
		Function struct{ Name string }
	}
	if json.Unmarshal(r.ToolChoice, &choice) == nil && choice.Function.Name != "" {
		if i := slices.IndexFunc(tools, func(t mockTool) bool { return t.Name == choice.Function.Name }); i >= 0 {
			tool = tools[i]
		}
	}
	return tool.Name, tool.Parameters.fillArguments(text)
}

// findCall returns the last position in text where name is followed by a JSON object, and the object. The position is
// -1 if name is not followed by one.
func findCall(text, name string) (at int, object string) {
	for end := len(text); ; {
		at = strings.LastIndex(text[:end], name)
		if at < 0 {
			return -1, ""
		}
		rest := strings.TrimLeft(text[at+len(name):], " ")
		if strings.HasPrefix(rest, "{") && (at == 0 || !isNameByte(text[at-1])) {
			var v json.RawMessage
			if json.NewDecoder(strings.NewReader(rest)).Decode(&v) == nil {
				return at, string(v)
			}
		}
		end = at
	}
}

func isNameByte(b byte) bool {
	return b == '_' || b == '-' || b == '.' || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}

// fillArguments returns an object with the required members of the schema. If the schema requires none, the text becomes
// its first string, or "input" if it names no members.
func (s mockSchema) fillArguments(text string) string {
	f := mockFiller{text: text, root: s}
	if members := f.fillObject(s, 0); len(members) > 2 {
		return string(members)
	}
	member := "input"
	if properties := readMember[map[string]mockSchema](s, "properties"); len(properties) > 0 {
		member = ""
		for name, p := range properties {
			if readMember[string](p, "type") == "string" && len(p["enum"]) == 0 && (member == "" || name < member) {
				member = name
			}
		}
		if member == "" {
			return "{}"
		}
	}
	b, _ := json.Marshal(map[string]string{member: text}) // strings always marshal
	return string(b)
}

// Limits of the arguments for a schema that refers to itself.
const (
	mockDepth  = 8
	mockValues = 200
)

// mockFiller fills members that a schema requires: strings with the client's text.
type mockFiller struct {
	text   string
	root   mockSchema
	values int // generated so far
}

func (f *mockFiller) fillObject(s mockSchema, depth int) []byte {
	properties, out := readMember[map[string]mockSchema](s, "properties"), []byte{'{'}
	for _, name := range readMember[[]string](s, "required") {
		if len(out) > 1 {
			out = append(out, ',')
		}
		member, _ := json.Marshal(name) // a string always marshals
		out = append(append(out, member...), ':')
		out = append(out, f.fillValue(properties[name], depth+1)...)
	}
	return append(out, '}')
}

// fillValue returns a value that the schema accepts, as far as the mock supports its keywords.
func (f *mockFiller) fillValue(s mockSchema, depth int) []byte {
	if f.values++; f.values > mockValues || depth > mockDepth {
		return []byte("null")
	}
	s = f.resolve(s)
	for _, member := range []string{"const", "default"} {
		if v := s[member]; len(v) > 0 {
			return v
		}
	}
	if v := readMember[[]json.RawMessage](s, "enum"); len(v) > 0 {
		return v[0]
	}
	switch cmp.Or(readMember[string](s, "type"), chooseKind(s)) {
	case "object":
		return f.fillObject(s, depth)
	case "array":
		return f.fillArray(s, depth)
	case "boolean":
		return []byte("false")
	case "null":
		return []byte("null")
	case "integer", "number":
		if v := s["minimum"]; len(v) > 0 {
			return v
		}
		v, _ := json.Marshal(readMember[float64](s, "exclusiveMinimum") + 1) // a finite number always marshals
		return v
	}
	v, _ := json.Marshal(f.fillText(readMember[string](s, "format"))) // a string always marshals
	return v
}

func (f *mockFiller) fillArray(s mockSchema, depth int) []byte {
	items := make([][]byte, max(1, min(readMember[int](s, "minItems"), mockDepth)))
	for i := range items {
		items[i] = f.fillValue(readMember[mockSchema](s, "items"), depth+1)
	}
	return slices.Concat([]byte{'['}, bytes.Join(items, []byte{','}), []byte{']'})
}

// resolve follows a reference into the schema's definitions, and takes the first branch of a choice.
func (f *mockFiller) resolve(s mockSchema) mockSchema {
	for range mockDepth {
		branches := slices.Concat(
			readMember[[]mockSchema](s, "anyOf"), readMember[[]mockSchema](s, "oneOf"), readMember[[]mockSchema](s, "allOf"),
		)
		if path, ok := strings.CutPrefix(readMember[string](s, "$ref"), "#/"); ok {
			folder, name, _ := strings.Cut(path, "/")
			s = readMember[map[string]mockSchema](f.root, folder)[name]
		} else if len(branches) > 0 && len(s["type"]) == 0 {
			s = branches[0]
		} else {
			break
		}
	}
	return s
}

// chooseKind returns the first type of a list, or the type that the other members imply.
func chooseKind(s mockSchema) string {
	if kinds := readMember[[]string](s, "type"); len(kinds) > 0 {
		return kinds[0]
	}
	if len(s["properties"]) > 0 {
		return "object"
	}
	if len(s["items"]) > 0 {
		return "array"
	}
	return ""
}

// fillText returns the client's text, or a valid example of a format that the text would hardly have.
func (f *mockFiller) fillText(format string) string {
	switch format {
	case "date-time":
		return "2026-01-02T03:04:05Z"
	case "date":
		return "2026-01-02"
	case "time":
		return "03:04:05Z"
	case "uri", "url":
		return "https://example.com/"
	case "email":
		return "someone@example.com"
	case "uuid":
		return "123e4567-e89b-42d3-a456-426614174000"
	}
	return f.text
}
