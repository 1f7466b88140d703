package gemini

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

// EncodeStream writes a streamed answer. It sends text at once, and a call whole in one
// event, like Google's models. The last event has the finish reason and the usage.
func (Generate) EncodeStream(r *llm.Request) wire.StreamEncoder {
	return &streamEncoder{pair: r.Logprobs, thoughts: r.Thoughts}
}

type streamEncoder struct {
	id, model string
	pair      bool // log probabilities follow the text that they belong to
	thoughts  bool // the client receives the model's thoughts
	kind      llm.PartKind
	choice    int
	call      llm.Call
	input     []byte
	text      []byte // held for its log probabilities
	finish    llm.Finish
	usage     llm.Usage
}

// Append appends the events for ev.
func (e *streamEncoder) Append(dst []byte, ev *llm.Event) []byte {
	if ev.Kind != llm.Logprobs {
		dst = e.flush(dst, nil)
	}
	switch ev.Kind {
	case llm.Started:
		e.id, e.model = ev.ID, ev.Model
	case llm.Opened:
		dst = e.closePart(dst)
		e.kind, e.choice = ev.Part.Kind, ev.Choice
		switch {
		case ev.Part.Kind == llm.CallPart && ev.Part.Call != nil:
			e.call, e.input = *ev.Part.Call, append(e.input[:0], ev.Part.Call.Input...)
		case ev.Part.Kind == llm.ImagePart && ev.Part.Image != nil:
			dst = e.appendEnd(appendPart(e.appendBegin(dst), &ev.Part))
		}
	case llm.Delta:
		switch {
		case e.kind == llm.CallPart:
			e.input = append(e.input, ev.Text...)
		case ev.Text == "", e.kind == llm.ReasoningPart && !e.thoughts:
		case e.pair && e.kind != llm.ReasoningPart:
			e.text = append(e.text, ev.Text...)
		default:
			dst = e.appendEnd(appendText(e.appendBegin(dst), ev.Text, e.kind == llm.ReasoningPart))
		}
	case llm.Signed:
		if e.kind == llm.CallPart {
			e.call.Signature = ev.Text
		}
	case llm.Logprobs:
		dst = e.flush(dst, ev.Raw)
	case llm.Finished:
		dst = e.closePart(dst)
		e.finish = ev.Finish
	case llm.UsageEvent:
		e.usage = ev.Usage
	case llm.Failed:
		dst = Generate{}.AppendEnd(dst, nil, nil, convertError(ev.Error))
	case llm.Ended:
		dst = e.appendLast(dst)
	}
	return dst
}

// flush sends the text that waited for its log probabilities.
func (e *streamEncoder) flush(dst []byte, logprobs []byte) []byte {
	if len(e.text) == 0 {
		return dst
	}
	dst = appendText(e.appendBegin(dst), string(e.text), false)
	e.text = e.text[:0]
	return e.appendEndWith(dst, logprobs)
}

// closePart ends the open part.
func (e *streamEncoder) closePart(dst []byte) []byte {
	if e.kind == llm.CallPart {
		e.call.Input = string(e.input)
		dst = e.appendEnd(append(appendCall(e.appendBegin(dst), &e.call), '}'))
	}
	e.kind = 0
	return dst
}

func (e *streamEncoder) appendBegin(dst []byte) []byte {
	return append(dst, `data: {"candidates":[{"content":{"parts":[`...)
}

func (e *streamEncoder) appendEnd(dst []byte) []byte { return e.appendEndWith(dst, nil) }

func (e *streamEncoder) appendEndWith(dst, logprobs []byte) []byte {
	dst = append(dst, `],"role":"model"},"index":`...)
	dst = strconv.AppendInt(dst, int64(e.choice), 10)
	dst = appendLogprobs(dst, logprobs)
	dst = appendIdentity(append(dst, "}]"...), e.id, e.model)
	return append(append(dst, '}'), eventEnd...)
}

// appendLast ends the stream.
func (e *streamEncoder) appendLast(dst []byte) []byte {
	dst = appendText(e.appendBegin(e.closePart(dst)), "", false)
	dst = append(append(dst, `],"role":"model"},"finishReason":"`...), mapFinish(e.finish)...)
	dst = append(dst, `","index":`...)
	dst = strconv.AppendInt(dst, int64(e.choice), 10)
	dst = appendUsage(append(dst, "}]"...), e.usage)
	return append(append(appendIdentity(dst, e.id, e.model), '}'), eventEnd...)
}

// convertError converts an error of the provider.
func convertError(f *llm.Failure) *core.Error {
	e := &core.Error{Kind: core.BadGateway, Code: core.CodeUpstream, Public: "the provider ended the stream with an error"}
	if f == nil {
		return e
	}
	e.Status = f.Status
	if f.Code != "" {
		e.Code = f.Code
	}
	if f.Message != "" {
		e.Public = f.Message
	}
	return e
}
