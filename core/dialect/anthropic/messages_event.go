package anthropic

import (
	"bytes"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// aside is the choice index of whole texts, so that they do not end the texts that
// arrive in pieces.
const aside = 1

// readDelta reads a delta of a content block or of the message. Thinking and its
// signature stay unchanged.
func (e *event) readDelta(key []byte) {
	switch name := string(key); {
	case name == "type":
		e.scanNonText()
	case name == "thinking", name == "signature":
		e.other = true
		e.s.Skip()
	case name == "text" && e.s.Kind() == splice.String:
		at, _ := e.s.String()
		e.addDelta(core.Delta{Part: core.Part{Kind: core.KindText}, Span: at, Depth: 1})
	case name == "partial_json" && e.s.Kind() == splice.String:
		at, _ := e.s.String()
		e.addDelta(core.Delta{Part: core.Part{Kind: core.KindToolArgs}, Span: at, Depth: 1, JSON: true})
	case name == "stop_reason" && e.s.Kind() == splice.String:
		e.other = true
		from := e.s.Pos()
		if at, _ := e.s.String(); e.s.Err() == nil {
			e.ev.Finish = scan.ShiftSpan(at, e.base)
		}
		e.addOddStrings(from)
	default:
		if name == "citation" {
			e.ev.Offsets = citations{}
		}
		e.other = true
		e.readUnknown(key)
	}
}

// readBlockStart reads the start of a block. It is usually empty, but can hold text or a
// whole input.
func (e *event) readBlockStart(key []byte) {
	switch {
	case string(key) == "text" && e.s.Kind() == splice.String:
		if at, _ := e.s.String(); at.Len() > 0 {
			e.addDelta(core.Delta{Part: core.Part{Kind: core.KindText}, Span: at, Depth: 1})
		}
	case string(key) == "input" && e.s.Kind() == splice.Object:
		if at := e.s.Skip(); bytes.IndexByte(e.doc[at.Start:at.End], '"') >= 0 {
			e.addDelta(core.Delta{Part: core.Part{Kind: core.KindToolArgs}, Span: at, JSON: true})
		}
	case string(key) == "thinking", string(key) == "signature":
		e.s.Skip()
	default:
		if string(key) == "citations" {
			e.ev.Offsets = citations{}
		}
		e.readUnknown(key)
	}
}

// readMessage reads the start of a message, which has no content yet.
func (e *event) readMessage(key []byte) {
	e.other = true
	switch string(key) {
	case "usage":
		*e.tokens = tokens{}
		e.readUsage()
	case "id", "type", "role", "model":
		e.scanNonText()
	default:
		e.readUnknown(key)
	}
}

func (e *event) readUsage() {
	e.other = true
	from := e.s.Pos()
	e.counted = e.tokens.read(e.s, e.doc) || e.counted
	e.addOddStrings(from)
}

// scanNonText consumes a value that is not text, and shows what of it does not look like that.
func (e *event) scanNonText() {
	from := e.s.Pos()
	e.s.Skip()
	e.addOddStrings(from)
}

// addOddStrings shows what does not look like it should of a value that has been read; from is a
// place before it.
func (e *event) addOddStrings(from int) {
	if e.s.Err() == nil {
		scan.VisitOddStrings(e.doc, splice.Span{Start: from, End: e.s.Pos()}, e.addAside)
	}
}

func (e *event) addDelta(d core.Delta) {
	if e.s.Err() != nil {
		return
	}
	d.Span = scan.ShiftSpan(d.Span, e.base)
	e.ev.Deltas = append(e.ev.Deltas, d)
}

// readUnknown adds the texts of a member that is not known. Each is whole, as the
// texts of a citation are: with its quotes it is JSON of one string, of which
// nothing is held back.
func (e *event) readUnknown(key []byte) {
	leaves.VisitTexts(e.s, e.doc, zerocopy.String(key), func(_ string, at splice.Span) { e.addAside(at) })
}

// addAside adds the content of a string as a whole text.
func (e *event) addAside(at splice.Span) {
	e.other = true
	e.addDelta(core.Delta{
		Part: core.Part{Kind: core.KindOther, Choice: aside},
		Span: splice.Span{Start: at.Start - 1, End: at.End + 1}, JSON: true,
	})
}

// applyType applies the event's type and index, which can come last.
func (e *event) applyType() {
	for i := range e.ev.Deltas {
		e.ev.Deltas[i].Part.Index = e.index
	}
	switch e.typ {
	case "message_start":
		e.ev.Opening = len(e.ev.Deltas) == 0
	case "content_block_delta":
		e.ev.HasOnlyDeltas = len(e.ev.Deltas) > 0 && !e.other
	case "content_block_stop":
		e.ev.Ends = append(e.ev.Ends, core.Part{Kind: core.KindText, Index: e.index}, core.Part{Kind: core.KindToolArgs, Index: e.index})
	case "message_delta":
		e.ev.Closes = append(e.ev.Closes, 0)
	case "message_stop":
		e.ev.Done = true
	case "error":
		e.ev.Failed = true
	}
}
