package anthropic

import (
	"bytes"
	"errors"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/sse"
)

var errNoEvent = errors.New("an event is not a JSON object")

// keepJoined is the size of the largest buffer for events of several data lines
// that is kept for the next one.
const keepJoined = 64 << 10

// ScanEvent reads one event of a streamed answer.
func (Messages) ScanEvent(x *core.Exchange, ev *core.Event) error {
	n := notesOf(x)
	doc := ev.Raw
	lo, hi, lines := sse.Data(doc)
	switch {
	case lines == 0: // a comment, or a blank line
		return nil
	case lines > 1:
		n.joined = sse.Join(n.joined[:0], doc)
		doc, ev.Joined = n.joined, n.joined
		lo, hi, _ = sse.Data(doc)
		if cap(n.joined) > keepJoined {
			n.joined = nil
		}
	}
	if len(bytes.TrimSpace(doc[lo:hi])) == 0 { // as good as a comment
		return nil
	}
	e := &n.event
	*e = event{ev: ev, s: &x.Scanner, doc: doc[lo:hi], base: lo, tokens: &n.tokens}
	defer e.forget()
	e.s.Reset(e.doc)
	if e.s.Kind() != splice.Object {
		if err := e.s.Err(); err != nil {
			return err
		}
		return errNoEvent
	}
	e.object()
	if err := e.s.Err(); err != nil {
		return err
	}
	if e.counted {
		x.Usage = n.tokens.usage()
	}
	e.settle()
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
	other   bool // something that is no text in pieces
}

// forget lets go of the event, which the notes outlive.
func (e *event) forget() { *e = event{} }

func (e *event) object() {
	e.s.Enter()
	for e.s.Next() {
		switch key := e.s.Key(); string(key) {
		case "type":
			e.typ = e.word()
		case "index":
			e.index = int32(min(count(e.s, e.doc), 1<<30))
		case "delta":
			e.fields(e.delta)
		case "content_block":
			e.other = true
			e.fields(e.start)
		case "message":
			e.fields(e.message)
		case "usage":
			e.usage()
		case "error": // the provider's own words
			e.s.Skip()
		default:
			e.other = true
			leaves(e.s, e.doc, key, e)
		}
	}
	e.s.End()
}

// word reads a string that is a name.
func (e *event) word() string {
	if e.s.Kind() != splice.String {
		e.s.Skip()
		return ""
	}
	return str(e.s, e.doc)
}

// fields hands over the members of an object, one by one.
func (e *event) fields(read func(key []byte)) {
	if e.s.Kind() != splice.Object {
		e.other = true
		e.s.Skip()
		return
	}
	e.s.Enter()
	for e.s.Next() {
		read(e.s.Key())
	}
}
