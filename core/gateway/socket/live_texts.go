package socket

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// texts are what an exchange of a session judges. Its members are those of a request of the Responses API; settings hold
// everything else.
type texts struct {
	Model        string            `json:"model"`
	Stream       bool              `json:"stream,omitempty"`
	MaxTokens    *int64            `json:"max_output_tokens,omitempty"`
	Instructions json.RawMessage   `json:"instructions,omitempty"`
	Tools        json.RawMessage   `json:"tools,omitempty"`
	ToolChoice   json.RawMessage   `json:"tool_choice,omitempty"`
	Metadata     json.RawMessage   `json:"metadata,omitempty"`
	Settings     json.RawMessage   `json:"settings,omitempty"`
	Input        []json.RawMessage `json:"input"`
}

// judgedMembers are the members of sessions and responses that have fields of their own in texts.
var judgedMembers = []string{"instructions", "tools", "tool_choice", "metadata"}

// findMember returns the place of one of judgedMembers.
func (t *texts) findMember(name string) *json.RawMessage {
	return map[string]*json.RawMessage{
		"instructions": &t.Instructions, "tools": &t.Tools, "tool_choice": &t.ToolChoice, "metadata": &t.Metadata,
	}[name]
}

// loadMembers moves the members of an object into texts.
func (t *texts) loadMembers(m members) error {
	rest := members{}
	for name, value := range m {
		if at := t.findMember(name); at != nil {
			*at = value
		} else if name != "input" {
			rest[name] = value
		}
	}
	if len(rest) == 0 {
		return nil
	}
	var err error
	t.Settings, err = rest.encode()
	return err
}

// writeMembers writes what has been judged back into an object that has these members.
func (t *texts) writeMembers(m members) error {
	for _, name := range judgedMembers {
		if m[name] != nil {
			m[name] = *t.findMember(name)
		}
	}
	settings, err := readMembers(t.Settings)
	for name, value := range settings {
		m[name] = value
	}
	return err
}

// members are those of a JSON object.
type members map[string]json.RawMessage

func readMembers(doc []byte) (m members, err error) {
	if len(doc) > 0 {
		err = json.Unmarshal(doc, &m)
	}
	if m == nil {
		m = members{}
	}
	return m, err
}

// encode writes the object without changing the bytes of its values.
func (m members) encode() ([]byte, error) { return encodePlain(m) }

// encodePlain encodes without the escapes for HTML, which would change texts.
func encodePlain(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode an event: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
