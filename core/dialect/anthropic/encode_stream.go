package anthropic

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

// EncodeStream writes a streamed answer to r, event by event.
func (Messages) EncodeStream(r *llm.Request) core.StreamEncoder {
	return &streamEncoder{writer: writer{r: r}}
}

// streamEncoder writes events in Anthropic's order: the message begins, blocks
// begin, go on and stop one after the other, the message ends.
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

// Append appends what the client reads of ev.
func (s *streamEncoder) Append(dst []byte, ev *llm.Event) []byte {
	if ev.Choice != 0 || s.over {
		return dst
	}
	s.b = dst
	switch ev.Kind {
	case llm.Started:
		s.start(ev.ID, ev.Model)
	case llm.Opened:
		s.start("", "")
		s.begin(&ev.Part)
	case llm.Delta:
		s.delta(ev.Text)
	case llm.Signed:
		s.signed(ev.Text)
	case llm.Finished:
		s.close()
		s.finish, s.sequence = ev.Finish, ev.StopSequence
	case llm.UsageEvent:
		s.counts = ev.Usage
	case llm.Failed:
		s.over = true
		s.b = Messages{}.AppendEnd(s.b, nil, nil, failure(ev.Error))
	case llm.Ended:
		s.end()
	}
	dst, s.b = s.b, nil
	return dst
}

// failure makes our error of a provider's.
func failure(f *llm.Failure) *core.Error {
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

func (s *streamEncoder) event(name string) {
	s.b = append(append(s.b, "event: "...), name...)
	s.b = append(append(s.b, "\ndata: {\"type\":\""...), name...)
	s.b = append(s.b, '"')
}

func (s *streamEncoder) done() { s.b = append(s.b, "}\n\n"...) }

func (s *streamEncoder) start(id, model string) {
	if s.started {
		return
	}
	s.started = true
	s.event("message_start")
	s.b = append(s.b, `,"message":{`...)
	s.head(id, model)
	s.b = append(s.b, `,"content":[],"stop_reason":null,"stop_sequence":null,"usage":`...)
	s.usage(llm.Usage{})
	s.b = append(s.b, '}')
	s.done()
}

func (s *streamEncoder) at(name string) {
	s.event(name)
	s.b = append(s.b, `,"index":`...)
	s.b = strconv.AppendInt(s.b, int64(s.index), 10)
}

// begin opens a block. Reasoning of this vendor is signed at its end.
func (s *streamEncoder) begin(p *llm.Part) {
	s.close()
	switch {
	case p.Kind == llm.ReasoningPart && p.Reasoning.Vendor == vendor && p.Reasoning.Encrypted == "":
	case !s.shown(p):
		return
	}
	s.open = p.Kind
	s.at("content_block_start")
	s.b = append(s.b, `,"content_block":`...)
	switch p.Kind {
	case llm.CallPart:
		s.calls = true
		s.call(p.Call)
		s.b = append(s.b, `{}}`...)
	case llm.ReasoningPart:
		s.reasoning(&llm.Reasoning{Encrypted: p.Reasoning.Encrypted})
	default:
		s.b = append(s.b, `{"type":"text","text":""}`...)
	}
	s.done()
}

func (s *streamEncoder) delta(text string) {
	switch s.open {
	case llm.CallPart:
		s.b = appendPiece(s.b, s.index, "input_json_delta", "partial_json", text)
	case llm.ReasoningPart:
		s.b = appendPiece(s.b, s.index, "thinking_delta", "thinking", text)
	case llm.TextPart, llm.RefusalPart:
		s.b = appendPiece(s.b, s.index, "text_delta", "text", text)
	}
}

func (s *streamEncoder) signed(signature string) {
	switch s.open {
	case llm.ReasoningPart:
		s.b = appendPiece(s.b, s.index, "signature_delta", "signature", signature)
	case llm.CallPart:
		s.r.Drop("thought_signature")
	}
}

func (s *streamEncoder) close() {
	if s.open != 0 {
		s.at("content_block_stop")
		s.done()
		s.index++
	}
	s.open = 0
}

func (s *streamEncoder) end() {
	s.over = true
	s.start("", "")
	s.close()
	s.event("message_delta")
	s.b = append(s.b, `,"delta":{`...)
	s.stop(s.finish, s.sequence, s.calls)
	s.b = append(s.b, `},"usage":`...)
	s.usage(s.counts)
	s.done()
	s.event("message_stop")
	s.done()
}
