package openai

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/sse"
)

// chatChunk is the "object" of a chunk.
const chatChunk = "chat.completion.chunk"

// shared are the members that all chunks of a stream share.
var shared = []string{"id", "object", "created", "model", "system_fingerprint", "service_tier"}

// appendHead starts a chunk with the shared members of an earlier one: `data: {"id":…,"choices":[`. object is the
// default of the member "object".
func appendHead(dst, like []byte, object string) []byte {
	dst = append(dst, "data: {"...)
	lo, hi, n := sse.FindData(like)
	if n == 1 {
		doc := like[lo:hi]
		var s splice.Scanner
		s.Reset(doc)
		if s.Kind() == splice.Object {
			s.Enter()
			for s.Next() {
				key := string(s.Key())
				at := s.Skip()
				for _, name := range shared {
					if key == name && s.Err() == nil {
						dst = append(append(append(dst, '"'), name...), `":`...)
						dst = append(append(dst, doc[at.Start:at.End]...), ',')
					}
				}
			}
		}
	} else {
		dst = append(append(append(dst, `"object":"`...), object...), `",`...)
	}
	return append(dst, `"choices":[`...)
}

// AppendDelta appends a chunk that carries text for a part.
func (Chat) AppendDelta(dst, like []byte, p core.Part, text string) []byte {
	dst = appendHead(dst, like, chatChunk)
	dst = append(dst, `{"index":`...)
	dst = strconv.AppendInt(dst, int64(p.Choice), 10)
	dst = append(dst, `,"delta":{`...)
	end := `"`
	switch {
	case p.Kind == core.KindRefusal:
		dst = append(dst, `"refusal":"`...)
	case p.Kind == core.KindReasoning && p.Form == formReasoning:
		dst = append(dst, `"reasoning":"`...)
	case p.Kind == core.KindReasoning:
		dst = append(dst, `"reasoning_content":"`...)
	case p.Kind == core.KindToolArgs && p.Index == legacyCall:
		dst, end = append(dst, `"function_call":{"arguments":"`...), `"}`
	case p.Kind == core.KindToolArgs:
		dst = append(dst, `"tool_calls":[{"index":`...)
		dst = strconv.AppendInt(dst, int64(p.Index), 10)
		if dst, end = append(dst, `,"function":{"arguments":"`...), `"}}]`; p.Form == formCustom {
			dst = append(dst[:len(dst)-len(`"function":{"arguments":"`)], `"custom":{"input":"`...)
		}
	default:
		dst = append(dst, `"content":"`...)
	}
	dst = splice.AppendEscaped(dst, text)
	dst = append(dst, end...)
	return append(dst, "},\"finish_reason\":null}]}\n\n"...)
}

// AppendEnd ends a stream early. A denial ends it normally with the finish_reason
// content_filter; a failure ends it with an error event and without [DONE].
func (d Chat) AppendEnd(dst, like, _ []byte, e *core.Error) []byte {
	if e.Kind == core.ContentFiltered || e.Kind == core.Forbidden {
		dst = appendHead(dst, like, chatChunk)
		return append(dst, "{\"index\":0,\"delta\":{},\"finish_reason\":\"content_filter\"}]}\n\ndata: [DONE]\n\n"...)
	}
	dst = append(dst, "data: "...)
	dst = d.AppendError(dst, e)
	return append(dst, "\n\n"...)
}

// AppendError appends an error body in OpenAI's shape.
func (Chat) AppendError(dst []byte, e *core.Error) []byte {
	dst = append(dst, `{"error":{"message":"`...)
	dst = splice.AppendEscaped(dst, e.Public)
	dst = append(dst, `","type":"`...)
	dst = splice.AppendEscaped(dst, e.Type())
	dst = append(dst, `","param":`...)
	if e.Param == "" {
		dst = append(dst, "null"...)
	} else {
		dst = append(dst, '"')
		dst = splice.AppendEscaped(dst, e.Param)
		dst = append(dst, '"')
	}
	dst = append(dst, `,"code":"`...)
	dst = splice.AppendEscaped(dst, e.Code)
	return append(dst, `"}}`...)
}
