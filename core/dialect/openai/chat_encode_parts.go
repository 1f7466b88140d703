package openai

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

// openPart begins a part. Only a function call is visible to the client before its
// content.
func (e *chatEncoder) openPart(dst []byte, ev *llm.Event, c *chatEncoderChoice) []byte {
	c.part = ev.Part
	if ev.Part.Kind != llm.CallPart {
		c.refused = c.refused || ev.Part.Kind == llm.RefusalPart
		c.apart = ev.Part.Kind == llm.ReasoningPart && c.thought
		return dst
	}
	call := *ev.Part.Call // the event is valid only during this call
	if call.ID == "" {
		call.ID = makeChatID("call_")
	}
	c.part.Call = &call
	c.call, c.filled, c.input = c.calls, false, c.input[:0]
	c.calls++
	if call.Kind == llm.CustomTool {
		return dst
	}
	return e.appendCall(dst, ev.Choice, c, "")
}

// appendCall appends the first chunk of a call, with its name.
func (e *chatEncoder) appendCall(dst []byte, choice int, c *chatEncoderChoice, input string) []byte {
	dst = appendChatInt(append(e.appendChunk(dst, choice, c), `"tool_calls":[{"index":`...), int64(c.call))
	dst = appendChatCall(append(dst, ','), c.part.Call, input)
	if s := c.part.Call.Signature; s != "" {
		dst = appendChatExtra(dst, s)
	}
	return appendChatEnd(append(dst, `}]`...), nil, "")
}

// closePart ends the open part. It sends the input of a custom tool, and an empty object
// for a call that got no arguments, because arguments must be JSON.
func (e *chatEncoder) closePart(dst []byte, choice int, c *chatEncoderChoice) []byte {
	if c.part.Kind == llm.CallPart {
		if c.part.Call.Kind == llm.CustomTool {
			dst = e.appendCall(dst, choice, c, string(c.input))
		} else if !c.filled {
			dst = e.appendArguments(dst, choice, c, "{}")
		}
	}
	c.part = llm.Part{}
	return dst
}

func (e *chatEncoder) appendArguments(dst []byte, choice int, c *chatEncoderChoice, text string) []byte {
	c.filled = true
	dst = appendChatInt(append(e.appendChunk(dst, choice, c), `"tool_calls":[{"index":`...), int64(c.call))
	dst = appendChatString(append(dst, `,"function":{"arguments":`...), text)
	return appendChatEnd(append(dst, `}}]`...), nil, "")
}

// appendText appends a chunk with more text of the open part.
func (e *chatEncoder) appendText(dst []byte, ev *llm.Event, c *chatEncoderChoice) []byte {
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
		return e.appendArguments(dst, ev.Choice, c, ev.Text)
	default:
		return dst
	}
	if e.r.Logprobs { // log probabilities arrive in the next event and belong in this chunk
		c.delta = appendChatString(append(e.appendChunk(c.delta, ev.Choice, c), name...), text)
		return dst
	}
	dst = appendChatString(append(e.appendChunk(dst, ev.Choice, c), name...), text)
	return appendChatEnd(dst, nil, "")
}

// appendChatFailure appends the event for an error of the provider.
func appendChatFailure(dst []byte, f *llm.Failure) []byte {
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
