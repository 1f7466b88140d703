package openai

import (
	"fmt"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/splice"
	"github.com/headgate-dev/headgate/core/sse"
)

// eventScan is what the scan of one chunk finds besides its texts.
type eventScan struct {
	joined []byte
	other  bool // something that is no text: a role, a name, a finish reason
	usage  bool // a count, not null
	empty  bool // no choices
}

// ScanEvent reads one chunk of a streamed answer.
func (Chat) ScanEvent(x *core.Exchange, ev *core.Event) error {
	n := notesOf(x)
	lo, hi, lines := sse.Data(ev.Raw)
	switch {
	case lines == 0: // a comment, or a blank line
		return nil
	case lines > 1:
		n.event.joined = sse.Join(n.event.joined[:0], ev.Raw)
		ev.Raw = n.event.joined
		lo, hi, _ = sse.Data(ev.Raw)
	}
	if string(ev.Raw[lo:hi]) == "[DONE]" {
		ev.Done = true
		return nil
	}
	c := chunk{x: x, ev: ev, s: &x.Scanner, doc: ev.Raw[lo:hi], base: lo, scan: &n.event}
	n.event.other, n.event.usage, n.event.empty = false, false, true
	c.s.Reset(c.doc)
	if c.s.Kind() != splice.Object {
		if err := c.s.Err(); err != nil {
			return err
		}
		return fmt.Errorf("a chunk is not a JSON object")
	}
	c.object()
	if err := c.s.Err(); err != nil {
		return err
	}
	ev.Bare = len(ev.Deltas) > 0 && !n.event.other && !n.event.usage
	ev.Withhold = n.event.usage && n.event.empty && !n.wantsUsage
	return nil
}

type chunk struct {
	x    *core.Exchange
	ev   *core.Event
	s    *splice.Scanner
	doc  []byte
	base int // where doc begins in the event
	scan *eventScan
}

func (c *chunk) object() {
	c.s.Enter()
	for c.s.Next() {
		switch string(c.s.Key()) {
		case "choices":
			c.ev.Like = true
			c.choices()
		case "usage":
			if u, ok := usage(c.s, c.doc); ok {
				c.x.Usage, c.scan.usage = u, true
			}
		case "error":
			if c.s.Kind() != splice.Null {
				c.ev.Failed = true
			}
			c.s.Skip()
		default:
			c.s.Skip()
		}
	}
	c.s.End()
}

func (c *chunk) choices() {
	if c.s.Kind() != splice.Array {
		c.s.Skip()
		return
	}
	c.s.Enter()
	for c.s.Next() {
		c.scan.empty = false
		if c.s.Kind() != splice.Object {
			c.s.Skip()
			continue
		}
		c.choice()
	}
}

// choice reads one choice. Its index may come after its delta.
func (c *chunk) choice() {
	from, index, finished := len(c.ev.Deltas), int32(0), false
	c.s.Enter()
	for c.s.Next() {
		switch string(c.s.Key()) {
		case "index":
			index = c.index()
		case "delta":
			c.delta()
		case "finish_reason":
			finished = c.s.Kind() != splice.Null
			c.s.Skip()
		default: // log probabilities, and what we do not know, go with the text
			c.s.Skip()
		}
	}
	for i := from; i < len(c.ev.Deltas); i++ {
		c.ev.Deltas[i].Part.Choice = index
	}
	if finished {
		c.scan.other = true
		c.ev.Closes = append(c.ev.Closes, index)
	}
}

func (c *chunk) index() int32 { return int32(min(count(c.s, c.doc), 1<<30)) }

func (c *chunk) delta() {
	if c.s.Kind() != splice.Object {
		c.s.Skip()
		return
	}
	c.s.Enter()
	for c.s.Next() {
		switch string(c.s.Key()) {
		case "content":
			c.text(core.KindText, 0, false)
		case "refusal":
			c.text(core.KindRefusal, 0, false)
		case "reasoning_content", "reasoning":
			c.text(core.KindReasoning, 0, false)
		case "tool_calls":
			c.calls()
		case "function_call":
			c.call(legacyCall)
		default:
			c.noted()
		}
	}
}

// legacyCall is the index of a "function_call", which has none.
const legacyCall = -1

// noted skips a value that makes the event worth sending without its text.
func (c *chunk) noted() {
	if c.s.Kind() != splice.Null {
		c.scan.other = true
	}
	c.s.Skip()
}

func (c *chunk) text(kind core.SegmentKind, index int32, isJSON bool) {
	if c.s.Kind() != splice.String {
		c.noted()
		return
	}
	at, _ := c.s.String()
	if c.s.Err() != nil {
		return
	}
	at.Start += c.base
	at.End += c.base
	c.ev.Deltas = append(c.ev.Deltas, core.Delta{
		Part: core.Part{Kind: kind, Index: index}, Span: at, Depth: 1, JSON: isJSON,
	})
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
			c.text(core.KindToolArgs, index, true)
		case "input":
			c.text(core.KindToolArgs, index, false)
		default:
			c.noted()
		}
	}
}
