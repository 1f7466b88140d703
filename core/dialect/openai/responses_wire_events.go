package openai

import (
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

// handleEvent interprets an event by its type.
func (d *responsesStream) handleEvent() error {
	in := &d.in
	switch string(in.typ) {
	case "response.created", "response.in_progress", "response.queued":
		if d.started {
			return nil
		}
		a := d.readAnswer()
		return d.emitEvent(llm.Event{Kind: llm.Started, ID: a.id, Model: a.model, Created: a.created})
	case "response.output_item.added":
		return d.startItem()
	case "response.output_text.delta":
		return d.emitDelta(llm.TextPart, in.content)
	case "response.refusal.delta":
		return d.emitDelta(llm.RefusalPart, in.content)
	case "response.reasoning_summary_text.delta":
		return d.emitDelta(llm.ReasoningPart, in.summary)
	case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta":
		if d.kind != llm.CallPart || d.live != in.output || in.delta.Len() == 0 {
			return nil
		}
		return d.emitText(d.copyDelta())
	case "response.output_item.done":
		return d.endItem(in.output, d.readItem(in.item))
	case "response.completed", "response.incomplete", "response.cancelled":
		return d.emitFinish()
	case "response.failed", "error":
		return d.emitFailure()
	}
	if in.isError && len(in.typ) == 0 {
		return d.emitFailure()
	}
	return nil
}

func (d *responsesStream) readAnswer() (a decodedAnswer) {
	at := d.in.response
	if at.Len() == 0 {
		return a
	}
	a.reset(d.r.doc[at.Start:at.End])
	a.read()
	return a
}

func (d *responsesStream) readItem(at splice.Span) decodedItem {
	if at.Len() == 0 {
		return decodedItem{}
	}
	var r reader
	r.reset(d.r.doc[at.Start:at.End])
	return r.readItem()
}

// startItem makes an item the live one, unless another is live.
func (d *responsesStream) startItem() error {
	if d.live >= 0 || d.done[d.in.output] {
		d.markLate()
		return nil
	}
	it := d.readItem(d.in.item)
	d.live, d.kind = d.in.output, 0
	if len(it.parts) == 1 && it.parts[0].Kind == llm.CallPart {
		return d.openPart(it.parts[0])
	}
	return nil
}

// openPart emits the start of a part without its text.
func (d *responsesStream) openPart(p llm.Part) error {
	d.kind, d.sent = p.Kind, 0
	switch p.Kind {
	case llm.CallPart:
		d.calls = true
		c := *p.Call
		c.Input = ""
		p.Call = &c
	case llm.ReasoningPart:
		t := *p.Reasoning
		t.Text = ""
		p.Reasoning = &t
	default:
		p.Text = ""
	}
	return d.emitEvent(llm.Event{Kind: llm.Opened, Part: p})
}

func (d *responsesStream) emitText(text string) error {
	d.sent += len(text)
	return d.emitEvent(llm.Event{Kind: llm.Delta, Text: text})
}

// emitDelta emits text of the live item.
func (d *responsesStream) emitDelta(kind llm.PartKind, place int64) error {
	if d.in.delta.Len() == 0 || d.done[d.in.output] || d.late[d.in.output] {
		return nil
	}
	if d.live < 0 { // some providers do not announce items
		d.live, d.kind = d.in.output, 0
	}
	if d.live != d.in.output {
		d.markLate()
		return nil
	}
	switch {
	case d.kind == kind && d.place == place:
	case d.kind == kind && kind == llm.ReasoningPart: // the next of several summaries
		if err := d.emitText(between); err != nil {
			return err
		}
	default:
		p := llm.Part{Kind: kind}
		if kind == llm.ReasoningPart {
			p.Reasoning = &llm.Reasoning{Vendor: vendor}
		}
		if err := d.openPart(p); err != nil {
			return err
		}
	}
	d.place = place
	if err := d.emitText(d.copyDelta()); err != nil {
		return err
	}
	if at := d.in.logprobs; at.Len() > len("[]") && d.r.doc[at.Start] == '[' {
		return d.emitEvent(llm.Event{Kind: llm.Logprobs, Raw: convertLogprobs(d.r.doc[at.Start:at.End])})
	}
	return nil
}

// markLate marks an item that is emitted only when it is done.
func (d *responsesStream) markLate() {
	if d.late == nil {
		d.late = map[int64]bool{}
	}
	d.late[d.in.output] = true
}
