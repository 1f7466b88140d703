package openai

import (
	"cmp"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/llm"
)

// Encode appends an answer as a chat completion.
func (Chat) Encode(dst []byte, r *llm.Request, a *llm.Response) []byte {
	id, created := a.ID, a.Created
	if id == "" {
		id = makeChatID("chatcmpl-")
	}
	if created == 0 {
		created = time.Now().Unix()
	}
	dst = appendChatString(append(dst, `{"id":`...), id)
	dst = appendChatInt(append(dst, `,"object":"chat.completion","created":`...), created)
	dst = appendChatMember(dst, "model", cmp.Or(a.Model, r.Model))
	dst = append(dst, `,"choices":[`...)
	for i := range a.Choices {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendChatInt(append(dst, `{"index":`...), int64(i))
		dst = appendChatChoice(dst, r, &a.Choices[i])
	}
	dst = append(dst, ']')
	if a.Usage.Reported {
		dst = appendChatUsage(appendChatKey(dst, "usage"), a.Usage)
	}
	return append(dst, '}')
}

func appendChatChoice(dst []byte, r *llm.Request, c *llm.Answer) []byte {
	var text, refusal, reasoning strings.Builder
	var said, refused bool
	var calls int
	for i := range c.Parts {
		switch p := &c.Parts[i]; p.Kind {
		case llm.TextPart:
			said = true
			text.WriteString(p.Text)
		case llm.RefusalPart:
			refused = true
			refusal.WriteString(p.Text)
		case llm.CallPart:
			calls++
		case llm.ReasoningPart:
			if p.Reasoning.Text != "" && reasoning.Len() > 0 {
				reasoning.WriteString("\n\n")
			}
			reasoning.WriteString(p.Reasoning.Text)
			if p.Reasoning.Signature != "" || p.Reasoning.Encrypted != "" {
				r.RecordDropped("reasoning.signature") // the dialect has no field for it
			}
		default:
			r.RecordDropped("content") // the dialect has no other parts
		}
	}
	dst = append(dst, `,"message":{"role":"assistant","content":`...)
	if said || !refused && calls == 0 {
		dst = appendChatString(dst, text.String())
	} else {
		dst = append(dst, "null"...)
	}
	if refused {
		dst = appendChatMember(dst, "refusal", refusal.String())
	} else {
		dst = append(dst, `,"refusal":null`...)
	}
	if reasoning.Len() > 0 {
		dst = appendChatMember(dst, "reasoning_content", reasoning.String())
	}
	if calls > 0 {
		dst = appendChatCalls(dst, c.Parts)
	}
	dst = append(dst, `},"logprobs":`...)
	if len(c.Logprobs) > 0 {
		dst = append(dst, c.Logprobs...)
	} else {
		dst = append(dst, "null"...)
	}
	if c.StopSequence != "" {
		r.RecordDropped("stop_sequence") // the dialect has no field for it
	}
	return append(appendChatMember(dst, "finish_reason", mapFinish(c.Finish, refused)), '}')
}

// appendChatCalls appends the member that holds the calls among parts.
func appendChatCalls(dst []byte, parts []llm.Part) []byte {
	dst = append(dst, `,"tool_calls":[`...)
	first := true
	for i := range parts {
		if parts[i].Kind != llm.CallPart {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		c := parts[i].Call
		dst = appendChatCall(append(dst, '{'), c, c.Input)
		if c.Signature != "" {
			dst = appendChatExtra(dst, c.Signature)
		}
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

// appendChatCall appends the members of a call: id, type, name and arguments.
func appendChatCall(dst []byte, c *llm.Call, input string) []byte {
	id := c.ID
	if id == "" {
		id = makeChatID("call_")
	}
	dst = appendChatString(append(dst, `"id":`...), id)
	name := llm.JoinName(c.Namespace, c.Name) // the shape has no namespaces, a client in its agent mode has
	if c.Kind == llm.CustomTool {
		dst = appendChatString(append(dst, `,"type":"custom","custom":{"name":`...), name)
		return append(appendChatMember(dst, "input", input), '}')
	}
	dst = appendChatString(append(dst, `,"type":"function","function":{"name":`...), name)
	return append(appendChatMember(dst, "arguments", input), '}')
}
