package openai

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

// open begins a part. Only a call of a function shows by itself.
func (e *chatEncoder) open(dst []byte, ev *llm.Event, c *chatOpen) []byte {
	c.part = ev.Part
	if ev.Part.Kind != llm.CallPart {
		c.refused = c.refused || ev.Part.Kind == llm.RefusalPart
		c.apart = ev.Part.Kind == llm.ReasoningPart && c.thought
		return dst
	}
	call := *ev.Part.Call // the event is valid during this call only
	if call.ID == "" {
		call.ID = chatNewID("call_")
	}
	c.part.Call = &call
	c.call, c.filled, c.input = c.calls, false, c.input[:0]
	c.calls++
	if call.Kind == llm.CustomTool {
		return dst
	}
	return e.call(dst, ev.Choice, c, "")
}

// call appends the chunk that names a call.
func (e *chatEncoder) call(dst []byte, choice int, c *chatOpen, input string) []byte {
	dst = chatInt(append(e.chunk(dst, choice, c), `"tool_calls":[{"index":`...), int64(c.call))
	dst = chatCall(append(dst, ','), c.part.Call, input)
	if s := c.part.Call.Signature; s != "" {
		dst = chatExtra(dst, s)
	}
	return chatEnd(append(dst, `}]`...), nil, "")
}

// close ends the part that is open: the input of a custom tool goes out, and
// arguments that never came are an empty object, since they must be JSON.
func (e *chatEncoder) close(dst []byte, choice int, c *chatOpen) []byte {
	if c.part.Kind == llm.CallPart {
		if c.part.Call.Kind == llm.CustomTool {
			dst = e.call(dst, choice, c, string(c.input))
		} else if !c.filled {
			dst = e.arguments(dst, choice, c, "{}")
		}
	}
	c.part = llm.Part{}
	return dst
}

func (e *chatEncoder) arguments(dst []byte, choice int, c *chatOpen, text string) []byte {
	c.filled = true
	dst = chatInt(append(e.chunk(dst, choice, c), `"tool_calls":[{"index":`...), int64(c.call))
	dst = chatString(append(dst, `,"function":{"arguments":`...), text)
	return chatEnd(append(dst, `}}]`...), nil, "")
}

// text appends a chunk with more of the part that is open.
func (e *chatEncoder) text(dst []byte, ev *llm.Event, c *chatOpen) []byte {
	if ev.Text == "" {
		return dst
	}
	name, text := "", ev.Text
	switch c.part.Kind {
	case llm.TextPart:
		name = `"content":`
	case llm.RefusalPart:
		name = `"refusal":`
	case llm.ReasoningPart:
		name = `"reasoning_content":`
		if c.apart {
			text = "\n\n" + text
		}
		c.thought, c.apart = true, false
	case llm.CallPart:
		if c.part.Call.Kind == llm.CustomTool {
			c.input = append(c.input, ev.Text...)
			return dst
		}
		return e.arguments(dst, ev.Choice, c, ev.Text)
	default:
		return dst
	}
	if e.r.Logprobs { // they come in an event of their own, and belong in this chunk
		c.delta = chatString(append(e.chunk(c.delta, ev.Choice, c), name...), text)
		return dst
	}
	dst = chatString(append(e.chunk(dst, ev.Choice, c), name...), text)
	return chatEnd(dst, nil, "")
}

// chatFailed appends the event of a provider's own error.
func chatFailed(dst []byte, f *llm.Failure) []byte {
	if f == nil {
		f = &llm.Failure{}
	}
	e := core.Error{Kind: core.BadGateway, Code: f.Code, Public: f.Message}
	switch {
	case f.Status == 429:
		e.Kind = core.RateLimited
	case f.Status >= 400 && f.Status < 500:
		e.Kind = core.InvalidRequest
	}
	if e.Code == "" {
		e.Code = core.CodeUpstream
	}
	dst = append(dst, "data: "...)
	dst = Chat{}.AppendError(dst, &e)
	return append(dst, "\n\n"...)
}
