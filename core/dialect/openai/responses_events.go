package openai

import (
	"bytes"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// settle says what the event means, now that its type is known.
func (c *responsesEvent) settle() {
	switch string(c.typ) {
	case "response.output_text.delta", "response.refusal.delta", "response.reasoning_summary_text.delta", "response.reasoning_text.delta",
		"response.function_call_arguments.delta", "response.custom_tool_call_input.delta":
		p, isJSON := c.named()
		c.ev.Deltas = append(c.ev.Deltas, core.Delta{Part: p, Span: c.shift(c.delta), Depth: 1, JSON: isJSON})
		c.ev.Bare = true
	case "response.output_text.done", "response.refusal.done", "response.reasoning_summary_text.done", "response.reasoning_text.done",
		"response.function_call_arguments.done", "response.custom_tool_call_input.done":
		p, isJSON := c.named()
		c.ev.Ends = append(c.ev.Ends, p)
		c.ev.Wholes = append(c.ev.Wholes, core.Delta{Part: p, Span: c.shift(c.text), Depth: 1, JSON: isJSON})
	case "response.content_part.done":
		c.within(c.part, func(o *outputs) { c.partOf(o) })
	case "response.reasoning_summary_part.done":
		c.within(c.part, func(o *outputs) { o.part(c.output, c.summary, "summary", core.KindReasoning) })
	case "response.output_item.done":
		c.within(c.item, func(o *outputs) { o.item(c.output) })
	case "response.content_part.added", "response.reasoning_summary_part.added":
		c.once(c.part, func(o *outputs) { c.partOf(o) })
	case "response.output_item.added":
		c.once(c.item, func(o *outputs) { o.item(c.output) })
	case "response.created", "response.in_progress", "response.queued":
		c.ev.Opening, c.ev.Like = true, true
		c.once(c.response, c.answer)
	case "response.completed", "response.incomplete", "response.cancelled":
		c.ev.Done = true
		c.within(c.response, c.ended)
	case "response.failed":
		c.ev.Done, c.ev.Failed = true, true
		c.within(c.response, c.answer)
		c.status()
	case "error":
		c.ev.Failed = true
		c.status()
	default:
		c.unknown()
	}
}

// named is the part that an event of text is about.
func (c *responsesEvent) named() (p core.Part, isJSON bool) {
	p.Index = c.output
	switch name := c.typ[len("response."):]; {
	case bytes.HasPrefix(name, []byte("output_text")):
		p.Kind, p.Form = core.KindText, form(c.content)
	case bytes.HasPrefix(name, []byte("refusal")):
		p.Kind, p.Form = core.KindRefusal, form(c.content)
	case bytes.HasPrefix(name, []byte("reasoning_summary")):
		p.Kind, p.Form = core.KindReasoning, form(c.summary)
	case bytes.HasPrefix(name, []byte("reasoning_text")):
		p.Kind, p.Form = core.KindReasoning, form(c.content)|formRaw
	case bytes.HasPrefix(name, []byte("custom")):
		p.Kind, p.Form = core.KindToolArgs, formCustom
	default:
		p.Kind, isJSON = core.KindToolArgs, true
	}
	return p, isJSON
}

// partOf reads a content part, which may be one of reasoning.
func (c *responsesEvent) partOf(o *outputs) {
	from := len(c.ev.Wholes)
	o.part(c.output, c.content, "content", core.KindText)
	if c.s.Err() == nil && bytes.Contains(c.doc[c.part.Start:c.part.End], []byte(`"reasoning_text"`)) && c.typeOf(c.part) == "reasoning_text" {
		o.thought(0, from)
	}
}

// typeOf reads the type of a value.
func (c *responsesEvent) typeOf(at splice.Span) (typ string) {
	doc := c.doc[at.Start:at.End]
	c.s.Reset(doc)
	c.s.Enter()
	for c.s.Next() {
		if string(c.s.Key()) == "type" && c.s.Kind() == splice.String {
			typ = scan.Text(c.s, doc)
		} else {
			c.s.Skip()
		}
	}
	return typ
}

// within reads a value of the event that repeats texts.
func (c *responsesEvent) within(at splice.Span, read func(o *outputs)) {
	if at.Len() == 0 || c.doc[at.Start] != '{' {
		return
	}
	doc := c.doc[at.Start:at.End]
	c.s.Reset(doc)
	read(&outputs{s: c.s, doc: doc, base: c.base + at.Start, ev: c.ev, notes: c.notes})
}

// once reads a value whose texts, if it has any, stand for themselves.
func (c *responsesEvent) once(at splice.Span, read func(o *outputs)) {
	c.within(at, func(o *outputs) {
		from := len(c.ev.Wholes)
		read(o)
		kept := c.ev.Wholes[:from]
		for _, w := range c.ev.Wholes[from:] {
			if w.Span.Len() > 0 {
				w.Part = o.once(w.Part.Kind)
				kept = append(kept, w)
			}
		}
		c.ev.Wholes = kept
	})
}

// answer reads the answer as it is so far.
func (c *responsesEvent) answer(o *outputs) {
	o.s.Enter()
	for o.s.Next() {
		switch string(o.s.Key()) {
		case "output":
			o.all()
		case "usage":
			if u, ok := responsesUsage(o.s, o.doc); ok {
				c.x.Usage = u
			}
		default:
			o.s.Skip()
		}
	}
}

// ended reads the answer at its end, which tells why that is: its status, or what it
// is incomplete for.
func (c *responsesEvent) ended(o *outputs) {
	c.answer(o)
	var status, reason splice.Span
	o.s.Reset(o.doc)
	o.s.Enter()
	for o.s.Next() {
		switch string(o.s.Key()) {
		case "status":
			status = o.s.Skip()
		case "incomplete_details":
			if o.s.Kind() != splice.Object {
				o.s.Skip()
				break
			}
			o.s.Enter()
			for o.s.Next() {
				if string(o.s.Key()) == "reason" {
					reason = o.s.Skip()
				} else {
					o.s.Skip()
				}
			}
		default:
			o.s.Skip()
		}
	}
	if reason.Len() <= 2 || o.doc[reason.Start] != '"' {
		reason = status
	}
	if o.s.Err() == nil && reason.Len() > 2 && o.doc[reason.Start] == '"' {
		c.ev.Finish = splice.Span{Start: o.base + reason.Start + 1, End: o.base + reason.End - 1}
	}
}

// unknown reads an event of a type that is not known: its text is looked at, be
// it in pieces or not.
func (c *responsesEvent) unknown() {
	if c.ev.Failed { // an error without a type
		c.status()
		return
	}
	if bytes.HasSuffix(c.typ, []byte(".delta")) && c.delta.Len() > 0 {
		p := core.Part{Kind: core.KindOther, Index: c.output, Form: form(c.content)}
		c.ev.Deltas = append(c.ev.Deltas, core.Delta{Part: p, Span: c.shift(c.delta), Depth: 1})
		return
	}
	c.s.Reset(c.doc)
	o := outputs{s: c.s, doc: c.doc, base: c.base, ev: c.ev, notes: c.notes}
	o.rest(0, -1, "")
}

// status says what status the failure stands for.
func (c *responsesEvent) status() {
	code, _ := Responses{}.ReadError(c.doc)
	c.ev.Status = statusOf(code)
}
