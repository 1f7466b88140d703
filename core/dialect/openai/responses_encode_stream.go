package openai

import (
	"strconv"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

// responsesEncoder writes the events of one answer.
type responsesEncoder struct {
	a    encodedAnswer
	seq  int64
	next llm.Part // opened without text yet; a text that stays empty is omitted
	item bool     // the last item is open
	part bool     // and its last part
	over bool
}

// Append appends the events for ev.
func (e *responsesEncoder) Append(dst []byte, ev *llm.Event) []byte {
	if e.over || ev.Choice != 0 {
		return dst
	}
	if e.a.id == "" {
		e.a.setIdentity(ev.ID, ev.Model, ev.Created)
		dst = e.appendAnswer(dst, "created", "in_progress", "")
		dst = e.appendAnswer(dst, "in_progress", "in_progress", "")
	}
	switch ev.Kind {
	case llm.Opened:
		if dst = e.closePart(dst); ev.Part.Kind == llm.CallPart {
			dst = e.openItem(e.closeItem(dst), &ev.Part)
		}
		e.next = ev.Part
	case llm.Delta:
		dst = e.appendDelta(dst, ev.Text)
	case llm.Logprobs:
		if p := e.findCurrentPart(); p != nil {
			p.logprobs = append(p.logprobs, listLogprobTokens(ev.Raw)...)
		}
	case llm.Finished:
		dst = e.closeItem(e.closePart(dst))
		e.a.finish = ev.Finish
	case llm.UsageEvent:
		e.a.usage = ev.Usage
	case llm.Failed:
		e.a.failure = ev.Error
		dst = e.appendEnd(dst)
	case llm.Ended:
		dst = e.appendEnd(e.closeItem(e.closePart(dst)))
	}
	return dst
}

func (e *responsesEncoder) appendEnd(dst []byte) []byte {
	e.over = true
	status, reason := e.a.findStatus()
	return e.appendAnswer(dst, status, status, reason)
}

// appendAnswer appends an event with the answer so far.
func (e *responsesEncoder) appendAnswer(dst []byte, typ, status, reason string) []byte {
	dst = append(e.appendHead(dst, typ), `"response":`...)
	return append(e.a.append(dst, status, reason), "}\n\n"...)
}

// appendHead begins an event.
func (e *responsesEncoder) appendHead(dst []byte, typ string) []byte {
	dst = append(append(dst, "event: response."...), typ...)
	dst = append(append(dst, "\ndata: {\"type\":\"response."...), typ...)
	dst = strconv.AppendInt(append(dst, `","sequence_number":`...), e.seq, 10)
	e.seq++
	return append(dst, ',')
}

// appendPlace appends the place of the open item, and of its part if the event concerns
// one.
func (e *responsesEncoder) appendPlace(dst []byte, part string) []byte {
	it := e.findCurrentItem()
	dst = appendMember(dst, "item_id", it.id)
	dst = strconv.AppendInt(append(dst, `,"output_index":`...), int64(len(e.a.items)-1), 10)
	if part != "" {
		dst = append(append(append(dst, `,"`...), part...), `":`...)
		dst = strconv.AppendInt(dst, int64(max(len(it.parts)-1, 0)), 10)
	}
	return append(dst, ',')
}

func (e *responsesEncoder) findCurrentItem() *encodedItem { return &e.a.items[len(e.a.items)-1] }

// findCurrentPart returns the open part, or nil.
func (e *responsesEncoder) findCurrentPart() *encodedPart {
	if !e.part {
		return nil
	}
	it := e.findCurrentItem()
	return &it.parts[len(it.parts)-1]
}

// openItem begins an item.
func (e *responsesEncoder) openItem(dst []byte, p *llm.Part) []byte {
	e.a.items = append(e.a.items, e.a.newItem(p))
	e.item = true
	return e.appendItem(dst, "output_item.added", "in_progress")
}

// appendItem appends an event with the item so far.
func (e *responsesEncoder) appendItem(dst []byte, typ, status string) []byte {
	dst = strconv.AppendInt(append(e.appendHead(dst, typ), `"output_index":`...), int64(len(e.a.items)-1), 10)
	dst = e.findCurrentItem().append(append(dst, `,"item":`...), status)
	return append(dst, "}\n\n"...)
}

// appendDelta appends more text of the open part or call.
func (e *responsesEncoder) appendDelta(dst []byte, text string) []byte {
	if text == "" {
		return dst
	}
	if e.item && e.findCurrentItem().typ != itemMessage && e.findCurrentItem().typ != itemReasoning {
		return e.appendInput(dst, text)
	}
	if !e.part {
		dst = e.openPart(dst)
	}
	p := e.findCurrentPart()
	p.text = append(p.text, text...)
	n := e.chooseNames()
	dst = e.appendPlace(e.appendHead(dst, n.delta), n.index)
	dst = appendMember(dst, "delta", text)
	if n.logprobs {
		dst = append(dst, `,"logprobs":[]`...)
	}
	return append(dst, "}\n\n"...)
}

// appendInput appends more of a call's input. A tool search sends its input whole at the
// end.
func (e *responsesEncoder) appendInput(dst []byte, text string) []byte {
	it := e.findCurrentItem()
	it.input = append(it.input, text...)
	typ := "function_call_arguments.delta"
	switch it.typ {
	case itemSearch:
		return dst
	case itemCustom:
		typ = "custom_tool_call_input.delta"
	}
	dst = append(e.appendPlace(e.appendHead(dst, typ), ""), `"delta":"`...)
	return append(splice.AppendEscaped(dst, text), "\"}\n\n"...)
}
