package gemini

import (
	"bytes"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// ScanEvent reads one event of a streamed answer, which looks like a whole answer. There
// is not an end marker: a finish reason or a block reason ends the stream.
func (Generate) ScanEvent(x *core.Exchange, ev *core.Event) error {
	n := scan.FindNotes[notes](x)
	doc, base, lines := scan.ReadEventData(ev, &n.joined)
	if lines == 0 && isBareJSON(ev.Raw) {
		doc = ev.Raw
	}
	if len(bytes.TrimSpace(doc)) == 0 { // a comment or a blank line
		return nil
	}
	c := chunk{x: x, ev: ev, s: &x.Scanner, doc: doc, base: base, calls: &n.calls, notes: n}
	o, err := openDocument(c.s, c.doc)
	if err != nil {
		return err
	}
	c.readObject(o)
	c.s.End()
	if err := c.s.Err(); err != nil {
		return err
	}
	ev.HasOnlyDeltas = len(ev.Deltas) > 0 && !c.other
	return nil
}

// isBareJSON reports whether an event without data lines is bare JSON, which Google's
// servers send for an error in a running stream.
func isBareJSON(ev []byte) bool {
	ev = bytes.TrimLeft(ev, " \r\n")
	return len(ev) > 0 && ev[0] == '{'
}

type chunk struct {
	x      *core.Exchange
	ev     *core.Event
	s      *splice.Scanner
	doc    []byte
	base   int    // where doc begins in the event
	calls  *int32 // function calls seen in the stream
	notes  *notes
	other  bool  // something that is worth sending without text
	breaks int32 // places in the candidate where something else than text interrupts its text
}

func (c *chunk) readObject(o object) {
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		switch f {
		case fCandidates:
			c.ev.IsTemplate = true
			for l := openList(c.s); l.moveToNext(); {
				c.readCandidate()
			}
		case fUsageMetadata:
			from := c.s.Pos()
			if u, ok := readUsage(c.s, c.doc); ok {
				c.x.Usage = u
			}
			c.addOddStrings(from)
		case fPromptFeedback:
			c.readFeedback()
		case fError:
			c.ev.Failed = c.ev.Failed || c.s.Kind() != splice.Null
			c.s.Skip()
		case fModelVersion, fResponseID:
			c.scanNonText()
		default:
			c.readUnknown(o.key)
		}
	}
}

// readFeedback reads the feedback on the prompt. A blocked prompt has no answer.
func (c *chunk) readFeedback() {
	c.other = true
	if c.s.Kind() != splice.Object {
		c.readUnknown(nil)
		return
	}
	o := openObject(c.s)
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		if f == fBlockReason && c.s.Kind() != splice.Null {
			c.ev.Done = true
		}
		c.readUnknown(o.key)
	}
}

// readCandidate reads one candidate. Its index can follow its content.
func (c *chunk) readCandidate() {
	if c.s.Kind() != splice.Object {
		c.readUnknown(nil)
		return
	}
	from, tied, ends, index, finished, why := len(c.ev.Deltas), len(c.ev.Tied), len(c.ev.Ends), int32(0), false, splice.Span{}
	c.breaks = 0
	o := openObject(c.s)
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		switch f {
		case fIndex:
			at := c.s.Pos()
			index = int32(min(readCount(c.s, c.doc), 1<<30))
			c.addOddStrings(at)
		case fContent:
			c.readContent()
		case fFinishReason:
			if c.s.Kind() != splice.String {
				c.readUnknown(o.key)
				break
			}
			begin := c.s.Pos()
			at, _ := c.s.String()
			c.addOddStrings(begin)
			why, finished = c.shiftSpan(at), c.s.Err() == nil && at.Len() > 0 && string(c.doc[at.Start:at.End]) != unspecified
		case fLogprobsResult:
			c.readTied()
		default: // unknown members stay with the text
			if isCiting(string(o.key)) {
				c.ev.Offsets = offsets{}
			}
			c.readUnknown(o.key)
		}
	}
	scan.AssignChoice(c.ev, c.doc, c.base, from, tied, index)
	for i := ends; i < len(c.ev.Ends); i++ {
		c.ev.Ends[i].Choice = index
	}
	c.numberTexts(from, ends, index)
	if finished {
		c.other = true
		c.ev.Closes = append(c.ev.Closes, index)
		c.ev.Done = true
		if index == 0 {
			c.ev.Finish = why
		}
	}
}

// numberTexts assigns the texts of a candidate, from the deltas and ends of these indexes on, their place among its
// texts: a picture or code between two texts makes them two, as in a whole answer.
func (c *chunk) numberTexts(from, ends int, candidate int32) {
	before := c.notes.breaks[candidate]
	if before+c.breaks == 0 {
		return
	}
	for i := from; i < len(c.ev.Deltas); i++ {
		if p := &c.ev.Deltas[i].Part; p.Kind == core.KindText || p.Kind == core.KindReasoning {
			p.Index += before
		}
	}
	for i := ends; i < len(c.ev.Ends); i++ {
		if p := &c.ev.Ends[i]; p.Kind == core.KindText || p.Kind == core.KindReasoning {
			p.Index += before
		}
	}
	if c.breaks > 0 {
		if c.notes.breaks == nil {
			c.notes.breaks = map[int32]int32{}
		}
		c.notes.breaks[candidate] = before + c.breaks
	}
}

// readTied reads a value that repeats the text.
func (c *chunk) readTied() {
	null := c.s.Kind() == splice.Null
	at := c.s.Skip()
	if c.s.Err() == nil && !null {
		c.ev.Tied = append(c.ev.Tied, core.Repetition{Span: c.shiftSpan(at)})
	}
}

func (c *chunk) shiftSpan(at splice.Span) splice.Span {
	return scan.ShiftSpan(at, c.base)
}
