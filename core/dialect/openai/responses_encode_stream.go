package openai

import (
	"strconv"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

// responsesEncoder writes the events of one answer.
type responsesEncoder struct {
	a    outAnswer
	seq  int64
	next llm.Part // opened, but without text yet: a text that stays empty is not shown
	item bool     // the last item is open
	part bool     // and its last part
	over bool
}

// Append appends what the client reads of an event.
func (e *responsesEncoder) Append(dst []byte, ev *llm.Event) []byte {
	if e.over || ev.Choice != 0 {
		return dst
	}
	if e.a.id == "" {
		e.a.begin(ev.ID, ev.Model, ev.Created)
		dst = e.answer(dst, "created", "in_progress", "")
		dst = e.answer(dst, "in_progress", "in_progress", "")
	}
	switch ev.Kind {
	case llm.Opened:
		if dst = e.closePart(dst); ev.Part.Kind == llm.CallPart {
			dst = e.open(e.closeItem(dst), &ev.Part)
		}
		e.next = ev.Part
	case llm.Delta:
		dst = e.delta(dst, ev.Text)
	case llm.Logprobs:
		if p := e.last(); p != nil {
			p.logprobs = append(p.logprobs, tokens(ev.Raw)...)
		}
	case llm.Finished:
		dst = e.closeItem(e.closePart(dst))
		e.a.finish = ev.Finish
	case llm.UsageEvent:
		e.a.usage = ev.Usage
	case llm.Failed:
		e.a.failure = ev.Error
		dst = e.end(dst)
	case llm.Ended:
		dst = e.end(e.closeItem(e.closePart(dst)))
	}
	return dst
}

func (e *responsesEncoder) end(dst []byte) []byte {
	e.over = true
	status, reason := e.a.status()
	return e.answer(dst, status, status, reason)
}

// answer appends an event that holds the answer as it is so far.
func (e *responsesEncoder) answer(dst []byte, typ, status, reason string) []byte {
	dst = append(e.head(dst, typ), `"response":`...)
	return append(e.a.append(dst, status, reason), "}\n\n"...)
}

// head begins an event.
func (e *responsesEncoder) head(dst []byte, typ string) []byte {
	dst = append(append(dst, "event: response."...), typ...)
	dst = append(append(dst, "\ndata: {\"type\":\"response."...), typ...)
	dst = strconv.AppendInt(append(dst, `","sequence_number":`...), e.seq, 10)
	e.seq++
	return append(dst, ',')
}

// at names the item that is open, and its part if the event is about one.
func (e *responsesEncoder) at(dst []byte, part string) []byte {
	it := e.current()
	dst = appendMember(dst, "item_id", it.id)
	dst = strconv.AppendInt(append(dst, `,"output_index":`...), int64(len(e.a.items)-1), 10)
	if part != "" {
		dst = append(append(append(dst, `,"`...), part...), `":`...)
		dst = strconv.AppendInt(dst, int64(max(len(it.parts)-1, 0)), 10)
	}
	return append(dst, ',')
}

func (e *responsesEncoder) current() *outItem { return &e.a.items[len(e.a.items)-1] }

// last is the part that is open, or nil.
func (e *responsesEncoder) last() *outPart {
	if !e.part {
		return nil
	}
	it := e.current()
	return &it.parts[len(it.parts)-1]
}

// open begins an item.
func (e *responsesEncoder) open(dst []byte, p *llm.Part) []byte {
	e.a.items = append(e.a.items, e.a.newItem(p))
	e.item = true
	return e.whole(dst, "output_item.added", "in_progress")
}

// whole appends an event with the item as it is so far.
func (e *responsesEncoder) whole(dst []byte, typ, status string) []byte {
	dst = strconv.AppendInt(append(e.head(dst, typ), `"output_index":`...), int64(len(e.a.items)-1), 10)
	dst = e.current().append(append(dst, `,"item":`...), status)
	return append(dst, "}\n\n"...)
}

// delta appends more text of what was opened last.
func (e *responsesEncoder) delta(dst []byte, text string) []byte {
	if text == "" {
		return dst
	}
	if e.item && e.current().typ != itemMessage && e.current().typ != itemReasoning {
		return e.input(dst, text)
	}
	if !e.part {
		dst = e.openPart(dst)
	}
	p := e.last()
	p.text = append(p.text, text...)
	n := e.names()
	dst = e.at(e.head(dst, n.delta), n.index)
	dst = appendMember(dst, "delta", text)
	if n.logprobs {
		dst = append(dst, `,"logprobs":[]`...)
	}
	return append(dst, "}\n\n"...)
}

// input appends more of a call's input. A search has it whole, at its end.
func (e *responsesEncoder) input(dst []byte, text string) []byte {
	it := e.current()
	it.input = append(it.input, text...)
	typ := "function_call_arguments.delta"
	switch it.typ {
	case itemSearch:
		return dst
	case itemCustom:
		typ = "custom_tool_call_input.delta"
	}
	dst = append(e.at(e.head(dst, typ), ""), `"delta":"`...)
	return append(splice.AppendEscaped(dst, text), "\"}\n\n"...)
}
