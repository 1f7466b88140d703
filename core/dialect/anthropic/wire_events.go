package anthropic

import (
	"bytes"

	"github.com/headgate-dev/headgate/core/llm"
)

// emitEvent emits the neutral events for the current one. It ignores unknown types of
// events and blocks.
func (d *streamDecoder) emitEvent() {
	in := &d.in
	switch in.typ {
	case "message_start":
		d.send(llm.Event{Kind: llm.Started, ID: in.id, Model: in.model, Usage: d.tokens.convertUsage()})
	case "content_block_start":
		d.openBlock()
	case "content_block_delta":
		d.emitDelta()
	case "content_block_stop":
		if d.part == llm.CallPart && !d.said { // a call without arguments
			d.send(llm.Event{Kind: llm.Delta, Text: "{}"})
		}
		d.part = 0
	case "message_delta":
		d.emitFinish()
	case "message_stop":
		d.ended = true
		d.send(llm.Event{Kind: llm.Ended})
	case "error":
		d.ended = true
		d.send(llm.Event{Kind: llm.Failed, Error: &llm.Failure{Status: mapErrorStatus(in.errType), Code: in.errType, Message: in.errMessage}})
	}
}

func (d *streamDecoder) send(ev llm.Event) {
	if d.err == nil {
		d.out = ev
		d.err = d.emit(&d.out)
	}
}

// openBlock emits the start of a block, then the text that it already holds.
func (d *streamDecoder) openBlock() {
	b := d.in.block
	d.part, d.said = 0, false
	text, signature, input := b.Text, b.Signature, b.Input
	b.Text, b.Signature, b.Input = "", "", nil
	if b.Type == "thinking" {
		text, b.Thinking = b.Thinking, ""
	}
	p, ok := b.decodePart()
	if !ok {
		return
	}
	switch {
	case p.Kind == llm.CallPart:
		p.Call.Input = ""
		d.calls++
	case b.Name == answerTool:
		p.Text = ""
	}
	if b.Type == "tool_use" {
		text = ""
		if input = bytes.TrimSpace(input); len(input) > 2 && input[0] == '{' {
			text = string(input)
		}
	}
	d.part = p.Kind
	if b.Type == "tool_use" {
		d.part = llm.CallPart
	}
	d.send(llm.Event{Kind: llm.Opened, Part: p})
	d.emitText(text)
	if signature != "" {
		d.send(llm.Event{Kind: llm.Signed, Text: signature})
	}
}

// emitDelta emits the text of a delta of the open block's kind.
func (d *streamDecoder) emitDelta() {
	switch d.part {
	case llm.TextPart:
		d.emitText(d.in.text)
	case llm.CallPart:
		d.emitText(d.in.json)
	case llm.ReasoningPart:
		d.emitText(d.in.thinking)
		if d.in.signature != "" {
			d.send(llm.Event{Kind: llm.Signed, Text: d.in.signature})
		}
	}
}

func (d *streamDecoder) emitText(text string) {
	if text != "" {
		d.said = true
		d.send(llm.Event{Kind: llm.Delta, Text: text})
	}
}

func (d *streamDecoder) emitFinish() {
	in := &d.in
	if in.reason != "" {
		finish := finishes[in.reason]
		if finish == llm.FinishTools && d.calls == 0 { // the only call was the answer
			finish = llm.FinishStop
		}
		if finish == llm.FinishRefusal && in.why != "" {
			d.send(llm.Event{Kind: llm.Opened, Part: llm.Part{Kind: llm.RefusalPart}})
			d.send(llm.Event{Kind: llm.Delta, Text: in.why})
		}
		d.send(llm.Event{Kind: llm.Finished, Finish: finish, StopSequence: in.stop})
	}
	if u := d.tokens.convertUsage(); u.Reported {
		d.send(llm.Event{Kind: llm.UsageEvent, Usage: u})
	}
}
