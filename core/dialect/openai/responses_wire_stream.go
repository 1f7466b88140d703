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
func (ResponsesWire) DecodeStream() wire.StreamDecoder { return &responsesStream{live: -1} }

// responsesStream is the state of one streamed answer. One output item at a time is live
// and emitted as it arrives. An item that overlaps it is emitted when it is done, after
// the live one.
type responsesStream struct {
	split  sse.Splitter
	joined []byte
	r      reader
	in     wireEvent
	out    llm.Event
	emit   func(*llm.Event) error

	started, over bool
	live          int64
	kind          llm.PartKind // of the part that is open; 0: none
	place         int64        // its place in the item
	sent          int          // bytes of it
	done          map[int64]bool
	late          map[int64]bool // overlapped the live item; emitted when done
	waiting       []waitingItem
	calls         bool
}

type waitingItem struct {
	at   int64
	item decodedItem
}

// wireEvent holds the members of one event. Its spans lie in the event's data.
type wireEvent struct {
	typ                             []byte
	output, content, summary        int64
	delta, item, response, logprobs splice.Span
	escaped, isError                bool
}

// Decode emits the events that b completes.
func (d *responsesStream) Decode(b []byte, emit func(*llm.Event) error) error {
	if err := d.split.Write(b); err != nil {
		return err
	}
	d.emit = emit
	for raw := d.split.Next(); raw != nil; raw = d.split.Next() {
		if err := d.readEvent(raw); err != nil {
			return err
		}
	}
	return nil
}

// Close reads a last event that lacks its blank line, unless it was truncated.
func (d *responsesStream) Close(emit func(*llm.Event) error) error {
	rest := bytes.Clone(d.split.Rest())
	d.split.Reset()
	d.emit = emit
	if lo, hi, n := sse.FindData(rest); n != 1 || hi <= lo || !bytes.HasSuffix(bytes.TrimSpace(rest), []byte("}")) {
		return nil
	}
	if err := d.readEvent(rest); err != nil && d.r.s.Err() == nil {
		return err // invalid JSON means that it was truncated
	}
	return nil
}

func (d *responsesStream) readEvent(raw []byte) error {
	lo, hi, lines := sse.FindData(raw)
	if lines > 1 {
		d.joined = sse.Join(d.joined[:0], raw)
		raw = d.joined
		lo, hi, _ = sse.FindData(raw)
	}
	data := bytes.TrimSpace(raw[lo:hi])
	if d.over || len(data) == 0 || string(data) == "[DONE]" {
		return nil
	}
	d.r.reset(data)
	if d.r.s.Kind() != splice.Object {
		if err := d.r.s.Err(); err != nil {
			return err
		}
		return errNoObject
	}
	d.in = wireEvent{}
	d.readMembers()
	if err := d.r.s.Err(); err != nil {
		return err
	}
	return d.handleEvent()
}

// readMembers locates the members of the event. It takes no callback because it is hot:
// most events carry a few letters of text.
func (d *responsesStream) readMembers() {
	s, in := &d.r.s, &d.in
	s.Enter()
	for s.Next() {
		switch string(s.Key()) {
		case "type":
			if s.Kind() == splice.String {
				at, _ := s.String()
				in.typ = d.r.doc[at.Start:at.End]
			} else {
				s.Skip()
			}
		case "output_index":
			in.output = scan.ReadCount(s, d.r.doc)
		case "content_index":
			in.content = scan.ReadCount(s, d.r.doc)
		case "summary_index":
			in.summary = scan.ReadCount(s, d.r.doc)
		case "delta":
			if s.Kind() == splice.String {
				in.delta, in.escaped = s.String()
			} else {
				s.Skip()
			}
		case "item":
			in.item = s.Skip()
		case "response":
			in.response = s.Skip()
		case "logprobs":
			in.logprobs = s.Skip()
		case "error":
			in.isError = s.Kind() != splice.Null
			s.Skip()
		default:
			s.Skip()
		}
	}
	s.End()
}

// copyDelta returns a copy of the event's text.
func (d *responsesStream) copyDelta() string {
	raw := d.r.doc[d.in.delta.Start:d.in.delta.End]
	if d.in.escaped {
		return string(splice.AppendText(nil, raw))
	}
	return string(raw)
}

// emitEvent emits an event, and the start of the answer before the first one.
func (d *responsesStream) emitEvent(ev llm.Event) error {
	if !d.started {
		d.started = true
		if ev.Kind != llm.Started {
			d.out = llm.Event{Kind: llm.Started}
			if err := d.emit(&d.out); err != nil {
				return err
			}
		}
	}
	d.out = ev
	return d.emit(&d.out)
}
