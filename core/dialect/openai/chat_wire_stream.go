package openai

import (
	"bytes"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/sse"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

// DecodeStream reads a streamed answer.
func (ChatWire) DecodeStream() wire.StreamDecoder { return &chatStream{} }

// chatStream is the state of one streamed answer.
type chatStream struct {
	split   sse.Splitter
	joined  []byte
	s       splice.Scanner // of a chunk
	inner   splice.Scanner // of its choices
	deepest splice.Scanner // of a delta
	said    chatPieces
	ev      llm.Event
	emit    func(*llm.Event) error

	id, model string
	created   int64
	started   bool
	ended     bool // nothing more is read
	choices   []*chatChoiceState
}

// Decode reads the events that b completes.
func (c *chatStream) Decode(b []byte, emit func(*llm.Event) error) error {
	if c.ended {
		return nil
	}
	if err := c.split.Write(b); err != nil {
		return err
	}
	for raw := c.split.Next(); raw != nil && !c.ended; raw = c.split.Next() {
		if err := c.readEvent(raw, emit); err != nil {
			return err
		}
	}
	return nil
}

// Close reads a last event that lacks its blank line.
func (c *chatStream) Close(emit func(*llm.Event) error) error {
	rest := c.split.Rest()
	if c.ended || len(bytes.TrimSpace(rest)) == 0 {
		return nil
	}
	lo, hi, _ := sse.FindData(rest)
	if data := bytes.TrimSpace(rest[lo:hi]); len(data) == 0 || string(data) != "[DONE]" && !isWhole(&c.s, data) {
		return nil // truncated, which the missing end reports
	}
	return c.readEvent(rest, emit)
}

// isWhole reports whether doc is one complete JSON value.
func isWhole(s *splice.Scanner, doc []byte) bool {
	s.Reset(doc)
	s.Skip()
	return s.End()
}

func (c *chatStream) readEvent(raw []byte, emit func(*llm.Event) error) error {
	lo, hi, lines := sse.FindData(raw)
	if lines > 1 {
		c.joined = sse.Join(c.joined[:0], raw)
		raw = c.joined
		lo, hi, _ = sse.FindData(raw)
	}
	doc := bytes.TrimSpace(raw[lo:hi])
	switch {
	case lines == 0 || len(doc) == 0: // a comment or a blank line
		return nil
	case string(doc) == "[DONE]":
		c.ended = true
		c.ev = llm.Event{Kind: llm.Ended}
		return emit(&c.ev)
	}
	c.emit = emit
	err := c.readChunk(doc)
	c.emit = nil
	return err
}

// readChunk reads one chunk. It reads the choices last, because id and model can follow
// them.
func (c *chatStream) readChunk(doc []byte) error {
	if err := scan.OpenObject(&c.s, doc, errChunkNotObject); err != nil {
		return err
	}
	var choices, message splice.Span
	var u llm.Usage
	failed := false
	for c.s.Next() {
		switch key := string(c.s.Key()); key {
		case "id":
			c.readRepeatedString(&c.id, doc)
		case "model":
			c.readRepeatedString(&c.model, doc)
		case "created":
			if n := scan.ReadCount(&c.s, doc); n > 0 {
				c.created = n
			}
		case "choices":
			isList := c.s.Kind() == splice.Array
			if at := c.s.Skip(); isList {
				choices = at
			}
		case "usage":
			c.readUsage(&u, doc)
		case "x_groq":
			c.readGroq(&u, doc)
		case "error":
			failed = c.s.Kind() != splice.Null
			c.s.Skip()
		case "message", "detail":
			message = c.s.Skip()
		default:
			c.s.Skip()
		}
	}
	if !c.s.End() {
		return c.s.Err()
	}
	if failed || choices.Len() == 0 && message.Len() != 0 { // some providers send the error without "error"
		c.ended = true
		c.ev = llm.Event{Kind: llm.Failed, Error: readChatFailure(doc)}
		return c.emit(&c.ev)
	}
	if choices.Len() != 0 {
		if err := c.readChoices(doc[choices.Start:choices.End], &u); err != nil {
			return err
		}
	}
	if !u.Reported {
		return nil
	}
	if err := c.emitStart(); err != nil {
		return err
	}
	c.ev = llm.Event{Kind: llm.UsageEvent, Usage: u}
	return c.emit(&c.ev)
}

// readRepeatedString reads a string that all chunks repeat, and allocates it once.
func (c *chatStream) readRepeatedString(have *string, doc []byte) {
	if *have != "" {
		c.s.Skip()
		return
	}
	*have = scan.ReadText(&c.s, doc)
}

func (c *chatStream) readUsage(u *llm.Usage, doc []byte) {
	if got, ok := readUsage(&c.s, doc); ok {
		*u = got
	}
}

// readGroq reads the usage from Groq's member x_groq.
func (c *chatStream) readGroq(u *llm.Usage, doc []byte) {
	if c.s.Kind() != splice.Object {
		c.s.Skip()
		return
	}
	c.s.Enter()
	for c.s.Next() {
		if string(c.s.Key()) == "usage" && !u.Reported {
			c.readUsage(u, doc)
		} else {
			c.s.Skip()
		}
	}
}

// emitStart emits the start of the answer, once.
func (c *chatStream) emitStart() error {
	if c.started {
		return nil
	}
	c.started = true
	c.ev = llm.Event{Kind: llm.Started, ID: c.id, Model: c.model, Created: c.created}
	return c.emit(&c.ev)
}
