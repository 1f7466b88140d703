package cohere

import (
	"strconv"

	"github.com/headgate-dev/headgate/core/body/splice"
)

// growth is an event type that carries text.
type growth struct {
	typ string
	at  map[string]func(*chunk) *string // where the text lies in it, and goes
}

var deltas = map[string]*growth{
	"content-delta": {"content-delta", map[string]func(*chunk) *string{
		"message.content.text":     func(c *chunk) *string { return &c.Delta.Message.Content.Text },
		"message.content.thinking": func(c *chunk) *string { return &c.Delta.Message.Content.Thinking },
	}},
	"tool-plan-delta": {"tool-plan-delta", map[string]func(*chunk) *string{
		"message.tool_plan": func(c *chunk) *string { return &c.Delta.Message.Plan },
	}},
	"tool-call-delta": {"tool-call-delta", map[string]func(*chunk) *string{
		"message.tool_calls.function.arguments": func(c *chunk) *string { return &c.Delta.Message.Calls.Function.Arguments },
	}},
}

// readTextDelta reads an event that carries only text, like most of them, with a tenth
// of the allocations. ok is false for any other event, which must be read in full.
func (d *decoder) readTextDelta(data []byte, c *chunk) (ok bool) {
	s := &d.scan
	s.Reset(data)
	if !d.started || s.Kind() != splice.Object {
		return false
	}
	var typ, text splice.Span
	escaped, said := false, false
	s.Enter()
	for s.Next() {
		switch string(s.Key()) {
		case "type":
			if s.Kind() != splice.String {
				return false
			}
			typ, _ = s.String()
		case "index":
			if s.Kind() != splice.Number {
				return false
			}
			at := s.Number()
			v, err := strconv.Atoi(string(data[at.Start:at.End]))
			if err != nil {
				return false
			}
			c.Index = v
		case "delta":
			if d.path, text, escaped, said = s.FindLeaf(d.path[:0]); !said {
				return false
			}
		default:
			return false
		}
	}
	if !s.End() || !said {
		return false
	}
	e := deltas[string(data[typ.Start:typ.End])]
	if e == nil || e.at[string(d.path)] == nil {
		return false
	}
	c.Type = e.typ
	*e.at[string(d.path)](c) = splice.ReadTextAt(data, text, escaped)
	return true
}
