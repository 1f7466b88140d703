package openai

import (
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/llm"
)

// partNames are the names of the events of a part.
type partNames struct {
	added, delta, done, ended string
	index                     string // the member with its place
	field                     string // the member with its text
	logprobs                  bool
}

var (
	textNames    = partNames{"content_part.added", "output_text.delta", "output_text.done", "content_part.done", "content_index", "text", true}
	refusalNames = partNames{"content_part.added", "refusal.delta", "refusal.done", "content_part.done", "content_index", "refusal", false}
	summaryNames = partNames{
		"reasoning_summary_part.added", "reasoning_summary_text.delta", "reasoning_summary_text.done", "reasoning_summary_part.done",
		"summary_index", "text", false,
	}
)

// chooseNames returns the event names of the open part.
func (e *responsesEncoder) chooseNames() *partNames {
	switch {
	case e.findCurrentItem().typ == itemReasoning:
		return &summaryNames
	case e.findCurrentPart().refusal:
		return &refusalNames
	}
	return &textNames
}

// openPart begins the announced part, in an item of its kind.
func (e *responsesEncoder) openPart(dst []byte) []byte {
	want := itemMessage
	if e.next.Kind == llm.ReasoningPart {
		want = itemReasoning
	}
	if !e.item || e.findCurrentItem().typ != want || want == itemReasoning {
		dst = e.openItem(e.closeItem(dst), &e.next)
	}
	it := e.findCurrentItem()
	it.parts = append(it.parts, encodedPart{refusal: e.next.Kind == llm.RefusalPart})
	e.part = true
	return e.appendPart(dst, e.chooseNames().added)
}

// appendPart appends an event with the part so far.
func (e *responsesEncoder) appendPart(dst []byte, typ string) []byte {
	dst = append(e.appendPlace(e.appendHead(dst, typ), e.chooseNames().index), `"part":`...)
	if e.findCurrentItem().typ == itemReasoning {
		dst = e.findCurrentPart().appendSummary(dst)
	} else {
		dst = e.findCurrentPart().append(dst)
	}
	return append(dst, "}\n\n"...)
}

// closePart ends the open part.
func (e *responsesEncoder) closePart(dst []byte) []byte {
	p := e.findCurrentPart()
	if p == nil {
		return dst
	}
	n := e.chooseNames()
	dst = appendMember(e.appendPlace(e.appendHead(dst, n.done), n.index), n.field, zerocopy.String(p.text))
	if n.logprobs {
		dst = p.appendLogprobs(dst)
	}
	dst = e.appendPart(append(dst, "}\n\n"...), n.ended)
	e.part = false
	return dst
}

// closeItem ends the open item after its parts.
func (e *responsesEncoder) closeItem(dst []byte) []byte {
	if !e.item {
		return dst
	}
	it := e.findCurrentItem()
	switch it.typ {
	case itemCall:
		dst = appendMember(e.appendPlace(e.appendHead(dst, "function_call_arguments.done"), ""), "arguments", zerocopy.String(it.input))
		dst = append(dst, "}\n\n"...)
	case itemCustom:
		dst = appendMember(e.appendPlace(e.appendHead(dst, "custom_tool_call_input.done"), ""), "input", zerocopy.String(it.input))
		dst = append(dst, "}\n\n"...)
	}
	e.item = false
	return e.appendItem(dst, "output_item.done", "completed")
}
