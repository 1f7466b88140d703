package openai

import (
	"bytes"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// ScanEvent reads one event of a streamed answer.
func (Responses) ScanEvent(x *core.Exchange, ev *core.Event) error {
	n := scan.NotesOf[responsesNotes](x)
	doc, base, _ := scan.EventData(ev, &n.joined)
	switch string(bytes.TrimSpace(doc)) {
	case "": // a comment or a blank line
		return nil
	case "[DONE]": // some providers end every stream this way
		ev.Done = true
		return nil
	}
	c := responsesEvent{x: x, ev: ev, s: &x.Scanner, doc: doc, base: base, notes: n}
	if err := scan.Open(c.s, c.doc, errNoObject); err != nil {
		return err
	}
	c.readMembers()
	if c.s.Err() == nil {
		c.applyType()
	}
	return c.s.Err()
}

// responsesEvent is the state of reading one event. Its type can come last, so members
// are located first and interpreted then.
type responsesEvent struct {
	x     *core.Exchange
	ev    *core.Event
	s     *splice.Scanner
	doc   []byte
	base  int // where doc begins in the event
	notes *responsesNotes

	typ                      []byte
	output, content, summary int32
	delta, text              splice.Span // contents of strings
	item, part, response     splice.Span // whole values
	failure, code            splice.Span
}

func (c *responsesEvent) readMembers() {
	for c.s.Next() {
		switch string(c.s.Key()) {
		case "type":
			at := c.readString()
			c.typ = c.doc[at.Start:at.End]
		case "output_index":
			c.output = c.readIndex()
		case "content_index", "command_index":
			c.content = c.readIndex()
		case "summary_index":
			c.summary = c.readIndex()
		case "delta":
			c.delta = c.readString()
		case "text", "refusal", "arguments", "input":
			c.text = c.readString()
		case "item":
			c.item = c.s.Skip()
		case "part":
			c.part = c.s.Skip()
		case "response":
			c.response = c.s.Skip()
		case "logprobs":
			c.readLogprobs()
		case "error":
			if c.s.Kind() != splice.Null {
				c.ev.Failed = true
			}
			c.failure = c.s.Skip()
		case "code":
			c.code = c.readString()
		default:
			c.s.Skip()
		}
	}
	c.s.End()
}

// readString reads a string and skips any other value.
func (c *responsesEvent) readString() splice.Span {
	if c.s.Kind() != splice.String {
		c.s.Skip()
		return splice.Span{}
	}
	at, _ := c.s.String()
	return at
}

func (c *responsesEvent) readIndex() int32 { return scan.Index(c.s, c.doc) }

func (c *responsesEvent) readLogprobs() {
	empty := c.s.Kind() != splice.Array
	at := c.s.Skip()
	if c.s.Err() == nil && !empty && at.Len() > len("[]") {
		c.ev.Tied = append(c.ev.Tied, core.Tied{Span: c.shift(at)})
	}
}

// shift returns where a span of the data lies in the event.
func (c *responsesEvent) shift(at splice.Span) splice.Span {
	return scan.Shift(at, c.base)
}
