package anthropic

import (
	"bytes"
	"errors"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/splice"
	"github.com/headgate-dev/headgate/core/sse"
)

var errNoEvent = errors.New("an event is not a JSON object")

// aside is the choice of texts that stand for themselves, beside those that
// arrive in pieces: they must not end those.
const aside = 1

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

// delta reads a piece of a content block, or what is told of the message at its
// end. Thinking and its signature leave as they came.
func (e *event) delta(key []byte) {
	switch name := string(key); {
	case name == "type":
		e.s.Skip()
	case name == "text" && e.s.Kind() == splice.String:
		at, _ := e.s.String()
		e.piece(core.Delta{Part: core.Part{Kind: core.KindText}, Span: at, Depth: 1})
	case name == "partial_json" && e.s.Kind() == splice.String:
		at, _ := e.s.String()
		e.piece(core.Delta{Part: core.Part{Kind: core.KindToolArgs}, Span: at, Depth: 1, JSON: true})
	default:
		e.other = true
		leaves(e.s, e.doc, key, e)
	}
}

// start reads the block that begins. It is empty as a rule, yet may hold text, or
// the whole of a call's input.
func (e *event) start(key []byte) {
	switch {
	case string(key) == "text" && e.s.Kind() == splice.String:
		if at, _ := e.s.String(); at.Len() > 0 {
			e.piece(core.Delta{Part: core.Part{Kind: core.KindText}, Span: at, Depth: 1})
		}
	case string(key) == "input" && e.s.Kind() == splice.Object:
		if at := e.s.Skip(); bytes.IndexByte(e.doc[at.Start:at.End], '"') >= 0 {
			e.piece(core.Delta{Part: core.Part{Kind: core.KindToolArgs}, Span: at, JSON: true})
		}
	default:
		leaves(e.s, e.doc, key, e)
	}
}

// message reads the message that begins: it has no content yet.
func (e *event) message(key []byte) {
	e.other = true
	if string(key) == "usage" {
		*e.tokens = tokens{}
		e.usage()
		return
	}
	leaves(e.s, e.doc, key, e)
}

func (e *event) usage() {
	e.other = true
	e.counted = e.tokens.read(e.s, e.doc) || e.counted
}

func (e *event) piece(d core.Delta) {
	if e.s.Err() != nil {
		return
	}
	d.Span.Start += e.base
	d.Span.End += e.base
	e.ev.Deltas = append(e.ev.Deltas, d)
}

// leaf takes a text that is whole, as a citation has them. With its quotes it is
// JSON of one string, which nothing is held back of.
func (e *event) leaf(_ []byte, at splice.Span) {
	e.piece(core.Delta{
		Part: core.Part{Kind: core.KindOther, Choice: aside},
		Span: splice.Span{Start: at.Start - 1, End: at.End + 1}, JSON: true,
	})
}

// settle does what waits for the event's type and index, which may come last.
func (e *event) settle() {
	for i := range e.ev.Deltas {
		e.ev.Deltas[i].Part.Index = e.index
	}
	switch e.typ {
	case "content_block_delta":
		e.ev.Bare = len(e.ev.Deltas) > 0 && !e.other
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
