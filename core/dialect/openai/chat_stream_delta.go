package openai

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

func (c *chunk) delta() {
	if c.s.Kind() != splice.Object {
		c.s.Skip()
		return
	}
	c.s.Enter()
	for c.s.Next() {
		switch string(c.s.Key()) {
		case "content":
			c.text(core.Part{Kind: core.KindText}, false)
		case "refusal":
			c.text(core.Part{Kind: core.KindRefusal}, false)
		case "reasoning_content":
			c.text(core.Part{Kind: core.KindReasoning}, false)
		case "reasoning":
			c.text(core.Part{Kind: core.KindReasoning, Form: formReasoning}, false)
		case "tool_calls":
			c.calls()
		case "function_call":
			c.call(legacyCall)
		default:
			c.noted()
		}
	}
}

// Forms of a part: which of two fields of one kind holds its text.
const (
	formReasoning = 1 // "reasoning", not "reasoning_content"
	formCustom    = 1 // a custom tool's "input", not a function's "arguments"
)

// legacyCall is the index of a "function_call", which has none.
const legacyCall = -1

// noted skips a value that makes the event worth sending without its text.
func (c *chunk) noted() {
	if c.s.Kind() != splice.Null {
		c.scan.other = true
	}
	c.s.Skip()
}

func (c *chunk) text(p core.Part, isJSON bool) {
	if c.s.Kind() != splice.String {
		c.noted()
		return
	}
	at, _ := c.s.String()
	if c.s.Err() != nil {
		return
	}
	c.ev.Deltas = append(c.ev.Deltas, core.Delta{Part: p, Span: scan.Shift(at, c.base), Depth: 1, JSON: isJSON})
}

func (c *chunk) calls() {
	if c.s.Kind() != splice.Array {
		c.noted()
		return
	}
	c.s.Enter()
	for c.s.Next() {
		if c.s.Kind() != splice.Object {
			c.s.Skip()
			continue
		}
		from, index := len(c.ev.Deltas), int32(0)
		c.s.Enter()
		for c.s.Next() {
			switch string(c.s.Key()) {
			case "index":
				index = c.index()
			case "function", "custom":
				c.call(0)
			default:
				c.noted()
			}
		}
		if len(c.ev.Deltas) == from { // a call that begins without arguments ends the text before it
			c.ev.Deltas = append(c.ev.Deltas, core.Delta{Part: core.Part{Kind: core.KindToolArgs}, JSON: true})
		}
		for i := from; i < len(c.ev.Deltas); i++ {
			c.ev.Deltas[i].Part.Index = index
		}
	}
}

func (c *chunk) call(index int32) {
	if c.s.Kind() != splice.Object {
		c.noted()
		return
	}
	c.s.Enter()
	for c.s.Next() {
		switch string(c.s.Key()) {
		case "arguments":
			c.text(core.Part{Kind: core.KindToolArgs, Index: index}, true)
		case "input":
			c.text(core.Part{Kind: core.KindToolArgs, Index: index, Form: formCustom}, false)
		default:
			c.noted()
		}
	}
}
