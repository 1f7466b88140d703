package anthropic

import (
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// level says which object of an event is read.
type level uint8

const (
	levelEvent level = iota
	levelMessage
	levelBlock
	levelDelta
	levelError
	levelDetails
)

// members reads the fields of an object that count. Names mean one thing each on
// their level.
func (d *streamDecoder) members(at level) {
	if d.s.Kind() != splice.Object {
		d.s.Skip()
		return
	}
	in := &d.in
	d.s.Enter()
	for d.s.Next() {
		key := string(d.s.Key())
		switch {
		case key == "usage" && (at == levelEvent || at == levelMessage):
			if at == levelMessage {
				d.tokens = tokens{}
			}
			d.tokens.read(&d.s, d.doc)
		case at == levelEvent:
			d.top(key)
		case at == levelMessage && key == "id":
			in.id = d.text()
		case at == levelMessage && key == "model":
			in.model = d.text()
		case at == levelBlock:
			d.block(key)
		case at == levelDelta:
			d.delta(key)
		case at == levelError && key == "type":
			in.errType = d.text()
		case at == levelError && key == "message":
			in.errMessage = d.text()
		case at == levelDetails && key == "explanation":
			in.why = d.text()
		default:
			d.s.Skip()
		}
	}
}

func (d *streamDecoder) top(key string) {
	switch key {
	case "type":
		d.in.typ = d.word()
	case "message":
		d.members(levelMessage)
	case "content_block":
		d.members(levelBlock)
	case "delta":
		d.members(levelDelta)
	case "error":
		d.members(levelError)
	default:
		d.s.Skip()
	}
}

func (d *streamDecoder) block(key string) {
	b := &d.in.block
	switch key {
	case "type":
		b.Type = d.word()
	case "text":
		b.Text = d.text()
	case "id":
		b.ID = d.text()
	case "name":
		b.Name = d.text()
	case "thinking":
		b.Thinking = d.text()
	case "signature":
		b.Signature = d.text()
	case "data":
		b.Data = d.text()
	case "input":
		at := d.s.Skip()
		b.Input = d.doc[at.Start:at.End]
	default:
		d.s.Skip()
	}
}

func (d *streamDecoder) delta(key string) {
	switch key {
	case "text":
		d.in.text = d.text()
	case "partial_json":
		d.in.json = d.text()
	case "thinking":
		d.in.thinking = d.text()
	case "signature":
		d.in.signature = d.text()
	case "stop_reason":
		d.in.reason = d.text()
	case "stop_sequence":
		d.in.stop = d.text()
	case "stop_details":
		d.members(levelDetails)
	default:
		d.s.Skip()
	}
}

// word reads a string that is not kept.
func (d *streamDecoder) word() string {
	return scan.Alias(&d.s, d.doc)
}

// text reads a string that may be kept.
func (d *streamDecoder) text() string {
	return scan.Text(&d.s, d.doc)
}
