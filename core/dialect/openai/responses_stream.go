package openai

import (
	"bytes"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// ScanEvent reads one event of a streamed answer.
func (Responses) ScanEvent(x *core.Exchange, ev *core.Event) error {
	n := scan.FindNotes[responsesNotes](x)
	doc, base, _ := scan.ReadEventData(ev, &n.joined)
	switch string(bytes.TrimSpace(doc)) {
	case "": // a comment or a blank line
		return nil
	case "[DONE]": // some providers end every stream this way
		ev.Done = true
		return nil
	}
	c := responsesEvent{x: x, ev: ev, s: &x.Scanner, doc: doc, base: base, notes: n}
	if err := scan.OpenObject(c.s, c.doc, errNoObject); err != nil {
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
	message                  splice.Span
	failure, code, logprobs  splice.Span
}

func (c *responsesEvent) readMembers() {
	for c.s.Next() {
		switch key := zerocopy.String(c.s.Key()); key {
		case "type":
			at := c.readWord(key)
			c.typ = c.doc[at.Start:at.End]
		case "output_index":
			c.output = c.readIndex()
		case "content_index", "command_index":
			c.content = c.readIndex()
		case "summary_index":
			c.summary = c.readIndex()
		case "delta":
			c.delta = c.readString(key)
		case "text", "refusal", "arguments", "input":
			if c.text.Len() > 0 { // one too many, as much text as the first
				c.readUnknownMember(key)
			} else {
				c.text = c.readString(key)
			}
		case "item":
			c.ev.Offsets, c.item = responsesOffsets{}, c.s.Skip()
		case "part":
			c.ev.Offsets, c.part = responsesOffsets{}, c.s.Skip()
		case "response":
			c.ev.Offsets, c.response = responsesOffsets{}, c.s.Skip()
		case "logprobs":
			c.readLogprobs(key)
		case "transcript":
			if c.notes.live && c.text.Len() == 0 {
				c.text = c.readString(key)
			} else {
				c.readUnknownMember(key)
			}
		case "error":
			if c.s.Kind() != splice.Null {
				c.ev.Failed = true
			}
			c.failure = c.s.Skip()
		case "code":
			c.code = c.readString(key)
		case "item_id": // in every delta: as text it would be its own part each time
			from := c.s.Pos()
			c.s.Skip()
			c.addOddStrings(from)
		case "message": // of an error
			c.message = c.readString(key)
		case "annotation", "output":
			c.ev.Offsets = responsesOffsets{}
			c.readUnknownMember(key)
		default:
			c.readUnknownMember(key)
		}
	}
	c.s.End()
}

// newOutputScan reads what is found outside of items.
func (c *responsesEvent) newOutputScan() outputScan {
	return outputScan{x: c.x, s: c.s, doc: c.doc, base: c.base, ev: c.ev, notes: c.notes}
}

// readUnknownMember adds the texts of a member that is not known.
func (c *responsesEvent) readUnknownMember(key string) {
	o := c.newOutputScan()
	o.readUnknownMember(0, -1, key)
}

// addOddStrings adds what does not look like it should of a value that has been read; from is a
// place before it.
func (c *responsesEvent) addOddStrings(from int) {
	o := c.newOutputScan()
	o.addOddStrings(from, 0, "event")
}

// readWord reads a string that is not text, and skips any other value.
func (c *responsesEvent) readWord(key string) splice.Span {
	from := c.s.Pos()
	at := c.readString(key)
	c.addOddStrings(from)
	return at
}

// readString reads a string. Any other value is unknown.
func (c *responsesEvent) readString(key string) splice.Span {
	if c.s.Kind() != splice.String {
		c.readUnknownMember(key)
		return splice.Span{}
	}
	at, _ := c.s.String()
	return at
}

func (c *responsesEvent) readIndex() int32 {
	from := c.s.Pos()
	n := scan.ReadIndex(c.s, c.doc)
	c.addOddStrings(from)
	return n
}

func (c *responsesEvent) readLogprobs(key string) {
	if c.s.Kind() != splice.Array {
		c.readUnknownMember(key)
		return
	}
	at := c.s.Skip()
	if c.s.Err() == nil && at.Len() > len("[]") {
		c.logprobs = at
		c.ev.Tied = append(c.ev.Tied, core.Repetition{Span: c.shiftSpan(at)})
	}
}

// shiftSpan returns where a span of the data lies in the event.
func (c *responsesEvent) shiftSpan(at splice.Span) splice.Span {
	return scan.ShiftSpan(at, c.base)
}
