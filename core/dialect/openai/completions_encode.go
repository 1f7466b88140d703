package openai

import (
	"cmp"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/llm"
)

// appendCompletionsHead appends an answer up to its choices.
func appendCompletionsHead(dst []byte, id, model string, created int64) []byte {
	if id == "" {
		id = makeChatID("cmpl-")
	}
	if created == 0 {
		created = time.Now().Unix()
	}
	dst = appendChatString(append(dst, `{"id":`...), id)
	dst = appendChatInt(append(dst, `,"object":"text_completion","created":`...), created)
	dst = appendChatMember(dst, "model", model)
	return append(dst, `,"choices":[`...)
}

// Encode appends an answer as a legacy completion.
func (Completions) Encode(dst []byte, r *llm.Request, a *llm.Response) []byte {
	dst = appendCompletionsHead(dst, a.ID, cmp.Or(a.Model, r.Model), a.Created)
	for i := range a.Choices {
		c := &a.Choices[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		var text strings.Builder
		for j := range c.Parts {
			if keepsCompletionsText(r, c.Parts[j].Kind) {
				text.WriteString(c.Parts[j].Text)
			}
		}
		offset := 0
		dst = appendChatString(append(dst, `{"text":`...), text.String())
		dst = appendChatInt(append(dst, `,"index":`...), int64(i))
		dst = appendCompletionsLogprobs(append(dst, `,"logprobs":`...), c.Logprobs, &offset)
		if c.StopSequence != "" {
			r.RecordDropped("stop_sequence") // the dialect has no field for it
		}
		dst = append(appendChatMember(dst, "finish_reason", mapFinish(c.Finish, false)), '}')
	}
	dst = append(dst, ']')
	if a.Usage.Reported {
		dst = appendChatUsage(appendChatKey(dst, "usage"), a.Usage)
	}
	return append(dst, '}')
}

// keepsCompletionsText reports whether a part is text. It drops any other part, because the
// dialect has no field for it.
func keepsCompletionsText(r *llm.Request, kind llm.PartKind) bool {
	switch kind {
	case llm.TextPart, llm.RefusalPart:
		return true
	case llm.ReasoningPart:
		r.RecordDropped("reasoning")
	default:
		r.RecordDropped("content")
	}
	return false
}
