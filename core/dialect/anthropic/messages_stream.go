package anthropic

import (
	"bytes"
	"errors"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

var errNoEvent = errors.New("an event is not a JSON object")

// ScanEvent reads one event of a streamed answer.
func (Messages) ScanEvent(x *core.Exchange, ev *core.Event) error {
	n := scan.FindNotes[notes](x)
	doc, base, _ := scan.ReadEventData(ev, &n.joined)
	if len(bytes.TrimSpace(doc)) == 0 { // a comment or a blank line
		return nil
	}
	e := &n.event
	*e = event{ev: ev, s: &x.Scanner, doc: doc, base: base, tokens: &n.tokens}
	defer e.forget()
	if err := scan.OpenObject(e.s, e.doc, errNoEvent); err != nil {
		return err
	}
	e.readObject()
	if err := e.s.Err(); err != nil {
		return err
	}
	if e.counted {
		x.Usage = n.tokens.convertUsage()
	}
	e.applyType()
	return nil
}

// event is the state of one scan.
type event struct {
	ev      *core.Event
	s       *splice.Scanner
	doc     []byte
	base    int // where doc begins in the event
	tokens  *tokens
	typ     string
	index   int32
	counted bool
	other   bool // it carries more than pieces of text
}

// forget drops references to the event, because the notes outlive it.
func (e *event) forget() { *e = event{} }

func (e *event) readObject() {
	for e.s.Next() {
		switch key := e.s.Key(); string(key) {
		case "type":
			from := e.s.Pos()
			e.typ = scan.ReadAlias(e.s, e.doc)
			e.addOddStrings(from)
		case "index":
			from := e.s.Pos()
			e.index = scan.ReadIndex(e.s, e.doc)
			e.addOddStrings(from)
		case "delta":
			e.visitMembers(e.readDelta)
		case "content_block":
			e.other = true
			e.visitMembers(e.readBlockStart)
		case "message":
			e.visitMembers(e.readMessage)
		case "usage":
			e.readUsage()
		case "error": // the provider's own words
			e.s.Skip()
		default:
			e.other = true
			e.readUnknown(key)
		}
	}
	e.s.End()
}

// visitMembers calls read for each member of an object.
func (e *event) visitMembers(read func(key []byte)) {
	if e.s.Kind() != splice.Object {
		e.other = true
		e.readUnknown(nil)
		return
	}
	e.s.Enter()
	for e.s.Next() {
		read(e.s.Key())
	}
}
