package openai

import (
	"bytes"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// applyType interprets the members by the event's type.
func (c *responsesEvent) applyType() {
	if c.notes.live && c.applyLive() {
		return
	}
	switch string(c.typ) {
	case "response.output_text.delta", "response.refusal.delta", "response.reasoning_summary_text.delta", "response.reasoning_text.delta",
		"response.function_call_arguments.delta", "response.custom_tool_call_input.delta":
		p, isJSON := c.findTextPart()
		c.ev.Deltas = append(c.ev.Deltas, core.Delta{Part: p, Span: c.shiftSpan(c.delta), Depth: 1, JSON: isJSON})
		c.ev.HasOnlyDeltas = true
	case "response.output_text.done", "response.refusal.done", "response.reasoning_summary_text.done", "response.reasoning_text.done",
		"response.function_call_arguments.done", "response.custom_tool_call_input.done":
		p, isJSON := c.findTextPart()
		c.ev.Ends = append(c.ev.Ends, p)
		c.ev.Wholes = append(c.ev.Wholes, core.Delta{Part: p, Span: c.shiftSpan(c.text), Depth: 1, JSON: isJSON})
	case "response.content_part.done":
		c.readRepeatedValue(c.part, func(o *outputScan) { c.readContentPart(o) })
	case "response.reasoning_summary_part.done":
		c.readRepeatedValue(c.part, func(o *outputScan) { o.readPart(c.output, c.summary, "summary", core.KindReasoning) })
	case "response.output_item.done":
		c.readRepeatedValue(c.item, func(o *outputScan) { o.readItem(c.output) })
	case "response.content_part.added", "response.reasoning_summary_part.added":
		c.readUniqueValue(c.part, func(o *outputScan) { c.readContentPart(o) })
	case "response.output_item.added":
		c.readUniqueValue(c.item, func(o *outputScan) { o.readItem(c.output) })
	case "response.created", "response.in_progress", "response.queued":
		c.ev.Opening, c.ev.IsTemplate = true, true
		c.readUniqueValue(c.response, c.readAnswer)
	case "response.completed", "response.incomplete", "response.cancelled":
		c.ev.Done = true
		c.readRepeatedValue(c.response, c.readEnd)
	case "response.failed":
		c.ev.Done, c.ev.Failed = true, true
		c.readRepeatedValue(c.response, c.readAnswer)
		c.setStatus()
	case "error":
		c.ev.Failed = true
		c.setStatus()
	default:
		c.readUnknownEvent()
		return
	}
	c.readRemainingMembers()
}

// readRemainingMembers adds the texts of members that events of this type do not have, and judges the
// values that repeat a text.
func (c *responsesEvent) readRemainingMembers() {
	o := c.newOutputScan()
	isDelta, isDone := bytes.HasSuffix(c.typ, []byte(".delta")), bytes.HasSuffix(c.typ, []byte(".done"))
	hasPart := bytes.HasPrefix(c.typ, []byte("response.content_part.")) || bytes.HasPrefix(c.typ, []byte("response.reasoning_summary_part."))
	hasItem := bytes.HasPrefix(c.typ, []byte("response.output_item."))
	if !isDelta && c.delta.Len() > 0 {
		o.add(o.newOncePart(core.KindOther), "delta", -1, c.delta, 1, false)
	}
	if (!isDone || hasPart || hasItem) && c.text.Len() > 0 {
		o.add(o.newOncePart(core.KindOther), "text", -1, c.text, 1, false)
	}
	if !c.ev.Failed && c.message.Len() > 0 {
		o.add(o.newOncePart(core.KindOther), "message", -1, c.message, 1, false)
	}
	for _, m := range [...]struct {
		at       splice.Span
		expected bool
	}{{c.part, hasPart}, {c.item, hasItem}, {c.response, !isDelta && !isDone && !hasPart && !hasItem}} {
		if m.at.Len() > 0 && (!m.expected || c.doc[m.at.Start] != '{') {
			doc := c.doc[m.at.Start:m.at.End]
			c.s.Reset(doc)
			inner := outputScan{x: c.x, s: c.s, doc: doc, base: c.base + m.at.Start, ev: c.ev, notes: c.notes}
			inner.readUnknownMember(0, -1, "")
		}
	}
	if len(c.ev.Deltas) > 0 && len(c.ev.Wholes) > 0 {
		c.ev.HasOnlyDeltas = false
	}
	if c.logprobs.Len() == 0 {
		return
	}
	text := c.delta
	if text.Len() == 0 {
		text = c.text
	}
	at := c.shiftSpan(c.logprobs)
	for i := range c.ev.Tied {
		if t := &c.ev.Tied[i]; t.Span == at {
			t.Loose = !scan.Repeats(c.doc, c.logprobs, text)
		}
	}
}

// findTextPart returns the part that a text event belongs to.
func (c *responsesEvent) findTextPart() (p core.Part, isJSON bool) {
	p.Index = c.output
	switch name := c.typ[len("response."):]; {
	case bytes.HasPrefix(name, []byte("output_text")):
		p.Kind, p.Form = core.KindText, chooseForm(c.content)
	case bytes.HasPrefix(name, []byte("refusal")):
		p.Kind, p.Form = core.KindRefusal, chooseForm(c.content)
	case bytes.HasPrefix(name, []byte("reasoning_summary")):
		p.Kind, p.Form = core.KindReasoning, chooseForm(c.summary)
	case bytes.HasPrefix(name, []byte("reasoning_text")):
		p.Kind, p.Form = core.KindReasoning, chooseForm(c.content)|formRaw
	case bytes.HasPrefix(name, []byte("custom")):
		p.Kind, p.Form = core.KindToolArgs, formCustom
	default:
		p.Kind, isJSON = core.KindToolArgs, true
	}
	return p, isJSON
}

// readContentPart reads a content part, which can be reasoning.
func (c *responsesEvent) readContentPart(o *outputScan) {
	from := len(c.ev.Wholes)
	o.readPart(c.output, c.content, "content", core.KindText)
	if c.s.Err() == nil && bytes.Contains(c.doc[c.part.Start:c.part.End], []byte(`"reasoning_text"`)) &&
		c.readType(c.part) == "reasoning_text" {
		o.markReasoning(0, from)
	}
}

// readType reads the type of a value.
func (c *responsesEvent) readType(at splice.Span) (typ string) {
	doc := c.doc[at.Start:at.End]
	c.s.Reset(doc)
	c.s.Enter()
	for c.s.Next() {
		if string(c.s.Key()) == "type" && c.s.Kind() == splice.String {
			typ = scan.ReadText(c.s, doc)
		} else {
			c.s.Skip()
		}
	}
	return typ
}

// readRepeatedValue reads a value that repeats texts.
func (c *responsesEvent) readRepeatedValue(at splice.Span, read func(o *outputScan)) {
	if at.Len() == 0 || c.doc[at.Start] != '{' {
		return
	}
	doc := c.doc[at.Start:at.End]
	c.s.Reset(doc)
	read(&outputScan{x: c.x, s: c.s, doc: doc, base: c.base + at.Start, ev: c.ev, notes: c.notes})
}

// readUniqueValue reads a value whose texts no other event repeats.
func (c *responsesEvent) readUniqueValue(at splice.Span, read func(o *outputScan)) {
	c.readRepeatedValue(at, func(o *outputScan) {
		from := len(c.ev.Wholes)
		read(o)
		kept := c.ev.Wholes[:from]
		for _, w := range c.ev.Wholes[from:] {
			if w.Span.Len() > 0 {
				w.Part = o.newOncePart(w.Part.Kind)
				kept = append(kept, w)
			}
		}
		c.ev.Wholes = kept
	})
}

// readAnswer reads the answer so far.
func (c *responsesEvent) readAnswer(o *outputScan) {
	o.s.Enter()
	for o.s.Next() {
		switch key := string(o.s.Key()); key {
		case "output":
			o.readItems()
		case "usage":
			from := o.s.Pos()
			if u, ok := readResponsesUsage(o.s, o.doc); ok {
				c.x.Usage = u
			}
			o.addOddStrings(from, -1, "usage")
		default:
			o.readAnswerMember(key)
		}
	}
}

// readEnd reads the final answer and why it ended: its status, or the reason why it is
// incomplete.
func (c *responsesEvent) readEnd(o *outputScan) {
	c.readAnswer(o)
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

// readUnknownEvent reads an event of an unknown type and collects its texts.
func (c *responsesEvent) readUnknownEvent() {
	if c.ev.Failed { // an error without a type
		c.setStatus()
		return
	}
	if bytes.HasSuffix(c.typ, []byte(".delta")) && c.delta.Len() > 0 {
		p := core.Part{Kind: core.KindOther, Index: c.output, Form: chooseForm(c.content)}
		c.ev.Deltas = append(c.ev.Deltas, core.Delta{Part: p, Span: c.shiftSpan(c.delta), Depth: 1})
		c.readRemainingMembers()
		return
	}
	c.ev.Wholes, c.ev.Tied = c.ev.Wholes[:0], c.ev.Tied[:0] // they are among what is read now
	c.s.Reset(c.doc)
	o := c.newOutputScan()
	o.readUnknownMember(0, -1, "")
}

// setStatus sets the HTTP status of a failure.
func (c *responsesEvent) setStatus() {
	code, _ := Responses{}.ReadError(c.doc)
	c.ev.Status = mapCode(code)
}
