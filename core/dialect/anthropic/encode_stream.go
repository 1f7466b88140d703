package anthropic

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

// EncodeStream writes a streamed answer to r.
func (Messages) EncodeStream(r *llm.Request) wire.StreamEncoder {
	return &streamEncoder{writer: writer{r: r}}
}

// streamEncoder writes events in Anthropic's order: message start, one block after the
// other, message end.
type streamEncoder struct {
	writer
	started, over bool
	index         int32        // of the block that is open, or of the next one
	open          llm.PartKind // 0: none
	calls         bool
	finish        llm.Finish
	sequence      string
	counts        llm.Usage
}

// Append appends the events for ev.
func (s *streamEncoder) Append(dst []byte, ev *llm.Event) []byte {
	if ev.Choice != 0 || s.over {
		return dst
	}
	s.b = dst
	switch ev.Kind {
	case llm.Started:
		s.appendStart(ev.ID, ev.Model)
	case llm.Opened:
		s.appendStart("", "")
		s.openBlock(&ev.Part)
	case llm.Delta:
		s.appendDelta(ev.Text)
	case llm.Signed:
		s.appendSignature(ev.Text)
	case llm.Finished:
		s.closeBlock()
		s.finish, s.sequence = ev.Finish, ev.StopSequence
	case llm.UsageEvent:
		s.counts = ev.Usage
	case llm.Failed:
		s.over = true
		s.b = Messages{}.AppendEnd(s.b, nil, nil, convertFailure(ev.Error))
	case llm.Ended:
		s.appendEnd()
	}
	dst, s.b = s.b, nil
	return dst
}

// convertFailure converts an error of the provider.
func convertFailure(f *llm.Failure) *core.Error {
	e := &core.Error{Kind: core.BadGateway, Code: core.CodeUpstream, Public: "the provider ended the stream with an error"}
	if f == nil {
		return e
	}
	if e.Status = f.Status; f.Code != "" {
		e.Code = f.Code
	}
	if f.Message != "" {
		e.Public = f.Message
	}
	return e
}

func (s *streamEncoder) beginEvent(name string) {
	s.b = append(append(s.b, "event: "...), name...)
	s.b = append(append(s.b, "\ndata: {\"type\":\""...), name...)
	s.b = append(s.b, '"')
}

func (s *streamEncoder) endEvent() { s.b = append(s.b, "}\n\n"...) }

func (s *streamEncoder) appendStart(id, model string) {
	if s.started {
		return
	}
	s.started = true
	s.beginEvent("message_start")
	s.b = append(s.b, `,"message":{`...)
	s.appendHead(id, model)
	s.b = append(s.b, `,"content":[],"stop_reason":null,"stop_sequence":null,"usage":`...)
	s.appendUsage(llm.Usage{})
	s.b = append(s.b, '}')
	s.endEvent()
}

func (s *streamEncoder) appendIndexed(name string) {
	s.beginEvent(name)
	s.b = append(s.b, `,"index":`...)
	s.b = strconv.AppendInt(s.b, int64(s.index), 10)
}

// openBlock opens a block. Anthropic's reasoning gets its signature at the end.
func (s *streamEncoder) openBlock(p *llm.Part) {
	s.closeBlock()
	switch {
	case p.Kind == llm.ReasoningPart && p.Reasoning.Vendor == vendor && p.Reasoning.Encrypted == "":
	case !s.isShown(p):
		return
	}
	s.open = p.Kind
	s.appendIndexed("content_block_start")
	s.b = append(s.b, `,"content_block":`...)
	switch p.Kind {
	case llm.CallPart:
		s.calls = true
		s.appendCall(p.Call)
		s.b = append(s.b, `{}}`...)
	case llm.ReasoningPart:
		s.appendReasoning(&llm.Reasoning{Encrypted: p.Reasoning.Encrypted})
	default:
		s.b = append(s.b, `{"type":"text","text":""}`...)
	}
	s.endEvent()
}

func (s *streamEncoder) appendDelta(text string) {
	switch s.open {
	case llm.CallPart:
		s.b = appendPiece(s.b, s.index, "input_json_delta", "partial_json", text)
	case llm.ReasoningPart:
		s.b = appendPiece(s.b, s.index, "thinking_delta", "thinking", text)
	case llm.TextPart, llm.RefusalPart:
		s.b = appendPiece(s.b, s.index, "text_delta", "text", text)
	}
}

func (s *streamEncoder) appendSignature(signature string) {
	switch s.open {
	case llm.ReasoningPart:
		s.b = appendPiece(s.b, s.index, "signature_delta", "signature", signature)
	case llm.CallPart:
		s.r.RecordDropped("thought_signature")
	}
}

func (s *streamEncoder) closeBlock() {
	if s.open != 0 {
		s.appendIndexed("content_block_stop")
		s.endEvent()
		s.index++
	}
	s.open = 0
}

func (s *streamEncoder) appendEnd() {
	s.over = true
	s.appendStart("", "")
	s.closeBlock()
	s.beginEvent("message_delta")
	s.b = append(s.b, `,"delta":{`...)
	s.appendStop(s.finish, s.sequence, s.calls)
	s.b = append(s.b, `},"usage":`...)
	s.appendUsage(s.counts)
	s.endEvent()
	s.beginEvent("message_stop")
	s.endEvent()
}
