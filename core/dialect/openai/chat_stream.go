package openai

import (
	"bytes"
	"errors"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// eventScan is what the scan of a chunk finds besides its texts.
type eventScan struct {
	joined []byte
	alike  repeatedEvent
	other  bool // it carries more than text: a role, a name, a finish reason
	usage  bool // a count, not null
	empty  bool // no choices
	told   bool // it has a member of an error that stands at the top
}

var errChunkNotObject = errors.New("a chunk is not a JSON object")

// ScanEvent reads one chunk of a streamed answer.
func (Chat) ScanEvent(x *core.Exchange, ev *core.Event) error { return scanEvent(x, ev, false) }

// scanEvent reads a chunk of chat or of legacy completions. They differ in where the
// text is.
func scanEvent(x *core.Exchange, ev *core.Event, legacy bool) error {
	n := scan.FindNotes[notes](x)
	if n.event.alike.read(&x.Scanner, ev, legacy) {
		return nil
	}
	doc, base, _ := scan.ReadEventData(ev, &n.event.joined)
	switch string(bytes.TrimSpace(doc)) {
	case "": // a comment or a blank line
		return nil
	case "[DONE]":
		ev.Done = true
		return nil
	}
	c := chunk{x: x, ev: ev, s: &x.Scanner, doc: doc, base: base, scan: &n.event, legacy: legacy}
	n.event.other, n.event.usage, n.event.empty, n.event.told = false, false, true, false
	if err := scan.OpenObject(c.s, c.doc, errChunkNotObject); err != nil {
		return err
	}
	c.readObject()
	if err := c.s.Err(); err != nil {
		return err
	}
	ev.Failed = ev.Failed || n.event.told && n.event.empty
	ev.HasOnlyDeltas = len(ev.Deltas) > 0 && !n.event.other && !n.event.usage
	ev.Withhold = n.event.usage && n.event.empty && !n.wantsUsage
	n.event.alike.store(ev, legacy)
	return nil
}

type chunk struct {
	x      *core.Exchange
	ev     *core.Event
	s      *splice.Scanner
	doc    []byte
	base   int // where doc begins in the event
	scan   *eventScan
	legacy bool // a chunk of legacy completions
}

func (c *chunk) readObject() {
	for c.s.Next() {
		switch string(c.s.Key()) {
		case "choices":
			c.readChoices()
			c.ev.IsTemplate = !c.scan.empty // Azure starts with a chunk that names neither the answer nor its model
		case "usage":
			from := c.s.Pos()
			if u, ok := readUsage(c.s, c.doc); ok {
				c.x.Usage, c.scan.usage = u, true
			}
			c.addOddStrings(from)
		case "x_groq":
			c.readGroq()
		case "error":
			if c.s.Kind() != splice.Null {
				c.ev.Failed = true
			}
			c.s.Skip()
		case "message", "detail": // Mistral sends errors without "error"
			c.scan.told = c.scan.told || c.s.Kind() != splice.Null
			c.readAside()
		case "id", "object", "model", "created", "system_fingerprint", "service_tier", "prompt_filter_results":
			c.scanNonText()
		default:
			c.readAside()
		}
	}
	c.s.End()
}

func (c *chunk) readChoices() {
	if c.s.Kind() != splice.Array {
		c.readAside()
		return
	}
	c.s.Enter()
	for c.s.Next() {
		c.scan.empty = false
		if c.s.Kind() != splice.Object {
			c.readAside()
			continue
		}
		c.readChoice()
	}
}

// readChoice reads one choice. Its index can follow its delta.
func (c *chunk) readChoice() {
	from, tied, index, finished, reason := len(c.ev.Deltas), len(c.ev.Tied), int32(0), false, splice.Span{}
	c.s.Enter()
	for c.s.Next() {
		switch string(c.s.Key()) {
		case "index":
			index = c.readIndex()
		case "text":
			if c.legacy {
				c.readText(core.Part{Kind: core.KindText}, false)
			} else {
				c.readAside()
			}
		case "delta":
			c.readDelta()
		case "finish_reason":
			finished = c.s.Kind() != splice.Null
			reason = c.scanNonText()
		case "logprobs":
			c.readLogprobs()
		case "usage": // Moonshot's place for the usage
			c.readExtraUsage()
		case "content_filter_results", "content_filter_offsets":
			c.scanNonText()
		default: // unknown members stay with the text
			c.readAside()
		}
	}
	scan.AssignChoice(c.ev, c.doc, c.base, from, tied, index)
	if finished {
		c.scan.other = true
		c.ev.Closes = append(c.ev.Closes, index)
		if index == 0 && reason.Len() > 2 {
			c.ev.Finish = splice.Span{Start: c.base + reason.Start + 1, End: c.base + reason.End - 1}
		}
	}
}

// readExtraUsage reads usage from a place other than OpenAI's.
func (c *chunk) readExtraUsage() {
	from := c.s.Pos()
	if u, ok := readUsage(c.s, c.doc); ok && !c.scan.usage {
		c.x.Usage, c.scan.other = u, true
	}
	c.addOddStrings(from)
}

// readGroq reads Groq's member x_groq, which holds the usage at the end.
func (c *chunk) readGroq() {
	if c.s.Kind() != splice.Object {
		c.readAside()
		return
	}
	c.s.Enter()
	for c.s.Next() {
		if string(c.s.Key()) == "usage" {
			c.readExtraUsage()
		} else {
			c.readAside()
		}
	}
}

// readLogprobs reads log probabilities, which repeat the text.
func (c *chunk) readLogprobs() {
	isNull := c.s.Kind() == splice.Null
	at := c.s.Skip()
	if c.s.Err() == nil && !isNull {
		c.ev.Tied = append(c.ev.Tied, core.Repetition{Span: scan.ShiftSpan(at, c.base)})
	}
}

func (c *chunk) readIndex() int32 {
	from := c.s.Pos()
	n := scan.ReadIndex(c.s, c.doc)
	c.addOddStrings(from)
	return n
}
