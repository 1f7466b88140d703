package anthropic

import (
	"errors"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/sse"
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

// DecodeStream reads a streamed answer.
func (MessagesWire) DecodeStream() wire.StreamDecoder { return &streamDecoder{} }

// streamDecoder decodes a stream. Blocks arrive one after the other, so a delta belongs
// to the latest block.
type streamDecoder struct {
	events sse.Splitter
	joined []byte
	s      splice.Scanner
	doc    []byte
	tokens tokens
	in     message // the event that is being read
	part   llm.PartKind
	said   bool // the open call has been given input
	calls  int  // of tools that are the caller's
	ended  bool
	out    llm.Event // reused
	emit   func(*llm.Event) error
	err    error // emit's
}

// message holds the fields of events of any type.
type message struct {
	typ                             string
	block                           answerBlock
	text, json, thinking, signature string
	id, model, reason, stop, why    string
	errType, errMessage             string
}

// Decode emits the events that b completes.
func (d *streamDecoder) Decode(b []byte, emit func(*llm.Event) error) error {
	if err := d.events.Write(b); err != nil {
		return err
	}
	for raw := d.events.Next(); raw != nil; raw = d.events.Next() {
		if err := d.readEvent(raw, emit); err != nil {
			return err
		}
	}
	return nil
}

// Close reads a last event that lacks its blank line.
func (d *streamDecoder) Close(emit func(*llm.Event) error) error {
	rest := d.events.Rest()
	if len(rest) == 0 {
		return nil
	}
	d.events.Reset()
	return d.readEvent(rest, emit)
}

var errNoStreamEvent = errors.New("an event of the stream is not a JSON object")

func (d *streamDecoder) readEvent(raw []byte, emit func(*llm.Event) error) error {
	lo, hi, lines := sse.FindData(raw)
	switch {
	case lines == 0 || d.ended:
		return nil
	case lines > 1:
		d.joined = sse.Join(d.joined[:0], raw)
		raw = d.joined
		lo, hi, _ = sse.FindData(raw)
	}
	d.doc, d.emit, d.err = raw[lo:hi], emit, nil
	if isBlank(d.doc) {
		return nil
	}
	d.in = message{}
	d.s.Reset(d.doc)
	if err := d.readObject(); err != nil {
		return err
	}
	d.emitEvent()
	return d.err
}

func isBlank(b []byte) bool {
	for _, c := range b {
		if c != ' ' && c != '\t' {
			return false
		}
	}
	return true
}

func (d *streamDecoder) readObject() error {
	if d.s.Kind() != splice.Object {
		if err := d.s.Err(); err != nil {
			return err
		}
		return errNoStreamEvent
	}
	d.readMembers(levelEvent)
	d.s.End()
	return d.s.Err()
}
