package direct

import (
	"bytes"
	"errors"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

var errNotStreamed = errors.New("the API is not streamed")

// Types of the events of speech.
const (
	soundDelta = "speech.audio.delta"
	soundDone  = "speech.audio.done"
	soundError = "error"
)

// ScanEvent reads an event of speech, which the other APIs of this package do not have. It does not scan audio. All
// other values of the event are segments.
func (s *Shape) ScanEvent(x *core.Exchange, ev *core.Event) error {
	if !s.sound {
		return errNotStreamed
	}
	n := scan.FindNotes[notes](x)
	doc, base, _ := scan.ReadEventData(ev, &n.joined)
	switch string(bytes.TrimSpace(doc)) {
	case "": // a comment
		return nil
	case "[DONE]":
		ev.Done = true
		return nil
	}
	e := speechEvent{answer: answer{Response: scan.Response{X: x, S: &x.Scanner, Doc: doc}}, ev: ev, n: n, base: base}
	if err := scan.OpenObject(e.S, doc, errNotObject); err != nil {
		return err
	}
	for e.S.Next() {
		e.readMember(string(e.S.Key()))
	}
	e.S.End()
	if e.usage.Reported {
		x.Usage = e.usage
		s.completeUnits(x, n, &e.answer)
	}
	return e.S.Err()
}

// speechEvent is the state of the scan of one event.
type speechEvent struct {
	answer
	ev   *core.Event
	n    *notes
	base int // where Doc begins in the event
}

func (e *speechEvent) readMember(key string) {
	switch kind := e.S.Kind(); {
	case key == "type" && kind == splice.String:
		at, _ := e.S.String()
		switch string(e.Doc[at.Start:at.End]) {
		case soundDelta:
		case soundDone:
			e.ev.Done = true
		case soundError:
			e.ev.Failed = true
		default:
			e.addText(key, at)
		}
	case key == "audio" && kind == splice.String:
		if at, _ := e.S.String(); e.S.Err() == nil && !scan.IsBase64(e.Doc[at.Start:at.End]) {
			e.addText(key, at)
		}
	case key == "usage":
		e.readUsage()
	case key == "error" && kind != splice.Null: // the gateway words it
		e.ev.Failed = true
		e.S.Skip()
	default:
		leaves.VisitTexts(e.S, e.Doc, key, e.addText)
	}
}

// addText adds a text that no other event repeats.
func (e *speechEvent) addText(_ string, at splice.Span) {
	const formOnce = 0xff
	e.n.events++
	e.ev.Wholes = append(e.ev.Wholes, core.Delta{
		Part: core.Part{Kind: core.KindOther, Index: e.n.events, Form: formOnce}, Span: scan.ShiftSpan(at, e.base), Depth: 1,
	})
}

// AppendDelta appends nothing: no answer of these APIs is streamed as text.
func (*Shape) AppendDelta(dst, _ []byte, _ core.Part, _ string) []byte { return dst }

// AppendEnd ends a stream with an event that holds an error.
func (s *Shape) AppendEnd(dst, _, _ []byte, e *core.Error) []byte {
	return append(s.AppendError(append(dst, "data: "...), e), "\n\n"...)
}
