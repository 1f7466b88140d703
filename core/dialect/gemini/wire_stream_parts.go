package gemini

import (
	"github.com/headgate-dev/headgate/core/llm"
)

func (d *streamDecoder) emitPart(c *choice, p *part, emit func(*llm.Event) error) error {
	switch {
	case p.call != nil:
		return d.emitCall(c, p, emit)
	case p.inline != nil && p.inline.decodeImage() != nil:
		c.open = llm.ImagePart
		return d.emit(emit, llm.Event{Kind: llm.Opened, Choice: c.index, Part: llm.Part{Kind: llm.ImagePart, Image: p.inline.decodeImage()}})
	case p.thought:
		return d.emitText(c, llm.ReasoningPart, p, emit)
	}
	return d.emitText(c, llm.TextPart, p, emit)
}

// emitText emits text or a thought. The signature of a text follows as reasoning without
// text.
func (d *streamDecoder) emitText(c *choice, kind llm.PartKind, p *part, emit func(*llm.Event) error) error {
	if p.text != "" {
		if err := d.openPart(c, kind, emit); err != nil {
			return err
		}
		if err := d.emit(emit, llm.Event{Kind: llm.Delta, Choice: c.index, Text: p.text}); err != nil {
			return err
		}
	}
	if p.signature == "" {
		return nil
	}
	if kind == llm.TextPart {
		c.open = 0
	}
	if err := d.openPart(c, llm.ReasoningPart, emit); err != nil {
		return err
	}
	c.open = 0
	return d.emit(emit, llm.Event{Kind: llm.Signed, Choice: c.index, Text: p.signature})
}

// openPart opens a part unless the open one has the same kind.
func (d *streamDecoder) openPart(c *choice, kind llm.PartKind, emit func(*llm.Event) error) error {
	if c.open == kind {
		return nil
	}
	c.open = kind
	p := llm.Part{Kind: kind}
	if kind == llm.ReasoningPart {
		p.Reasoning = &llm.Reasoning{Vendor: vendor}
	}
	return d.emit(emit, llm.Event{Kind: llm.Opened, Choice: c.index, Part: p})
}

// emitCall emits a function call, which arrives whole.
func (d *streamDecoder) emitCall(c *choice, p *part, emit func(*llm.Event) error) error {
	k := &llm.Call{ID: d.chunk.makeCallID(p.call, c.calls), Name: p.call.name}
	c.calls++
	c.open = llm.CallPart
	if err := d.emit(emit, llm.Event{Kind: llm.Opened, Choice: c.index, Part: llm.Part{Kind: llm.CallPart, Call: k}}); err != nil {
		return err
	}
	if err := d.emit(emit, llm.Event{Kind: llm.Delta, Choice: c.index, Text: p.call.encodeInput()}); err != nil {
		return err
	}
	if p.signature == "" {
		return nil
	}
	return d.emit(emit, llm.Event{Kind: llm.Signed, Choice: c.index, Text: p.signature})
}
