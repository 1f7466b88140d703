package anthropic

import (
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// level says which object of an event is being read.
type level uint8

const (
	levelEvent level = iota
	levelMessage
	levelBlock
	levelDelta
	levelError
	levelDetails
)

// readMembers reads the known members of an object. A name has one meaning per level.
func (d *streamDecoder) readMembers(at level) {
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
			d.readMember(key)
		case at == levelMessage && key == "id":
			in.id = d.readText()
		case at == levelMessage && key == "model":
			in.model = d.readText()
		case at == levelBlock:
			d.readBlock(key)
		case at == levelDelta:
			d.readDelta(key)
		case at == levelError && key == "type":
			in.errType = d.readText()
		case at == levelError && key == "message":
			in.errMessage = d.readText()
		case at == levelDetails && key == "explanation":
			in.why = d.readText()
		default:
			d.s.Skip()
		}
	}
}

func (d *streamDecoder) readMember(key string) {
	switch key {
	case "type":
		d.in.typ = d.readWord()
	case "message":
		d.readMembers(levelMessage)
	case "content_block":
		d.readMembers(levelBlock)
	case "delta":
		d.readMembers(levelDelta)
	case "error":
		d.readMembers(levelError)
	default:
		d.s.Skip()
	}
}

func (d *streamDecoder) readBlock(key string) {
	b := &d.in.block
	switch key {
	case "type":
		b.Type = d.readWord()
	case "text":
		b.Text = d.readText()
	case "id":
		b.ID = d.readText()
	case "name":
		b.Name = d.readText()
	case "thinking":
		b.Thinking = d.readText()
	case "signature":
		b.Signature = d.readText()
	case "data":
		b.Data = d.readText()
	case "input":
		at := d.s.Skip()
		b.Input = d.doc[at.Start:at.End]
	default:
		d.s.Skip()
	}
}

func (d *streamDecoder) readDelta(key string) {
	switch key {
	case "text":
		d.in.text = d.readText()
	case "partial_json":
		d.in.json = d.readText()
	case "thinking":
		d.in.thinking = d.readText()
	case "signature":
		d.in.signature = d.readText()
	case "stop_reason":
		d.in.reason = d.readText()
	case "stop_sequence":
		d.in.stop = d.readText()
	case "stop_details":
		d.readMembers(levelDetails)
	default:
		d.s.Skip()
	}
}

// readWord reads a string that is not retained.
func (d *streamDecoder) readWord() string {
	return scan.ReadAlias(&d.s, d.doc)
}

// readText reads a string that can be retained.
func (d *streamDecoder) readText() string {
	return scan.ReadText(&d.s, d.doc)
}
