package openai

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// ScanResponse validates a whole answer, finds its texts and reads its usage.
func (Completions) ScanResponse(x *core.Exchange) error {
	r := response{Response: scan.NewResponse(x)}
	if err := scan.OpenObject(r.S, r.Doc, errAnswerNotObject); err != nil {
		return err
	}
	for r.S.Next() {
		switch key := zerocopy.String(r.S.Key()); {
		case key == "choices" && r.S.Kind() == splice.Array:
			r.readCompletions()
		case key == "usage":
			r.readUsage()
		case key == "id", key == "object", key == "model", key == "created", key == "system_fingerprint":
			r.ScanNonText("answer", -1, -1)
		default:
			r.readUnknownMember(key, -1, -1)
		}
	}
	r.S.End()
	return r.S.Err()
}

func (r *response) readCompletions() {
	r.S.Enter()
	for i := int32(0); r.S.Next(); i++ {
		if r.S.Kind() != splice.Object {
			r.readUnknownMember("choices", i, -1)
			continue
		}
		tied, from := len(r.X.Response.Tied), len(r.X.Response.Segments)
		r.S.Enter()
		for r.S.Next() {
			switch key := zerocopy.String(r.S.Key()); {
			case key == "text" && r.S.Kind() == splice.String:
				r.addSegment(i, -1, "text", core.KindText, false)
			case key == "logprobs" && r.S.Kind() != splice.Null:
				r.X.Response.Tied = append(r.X.Response.Tied, core.Repetition{Message: i, Span: r.S.Skip()})
			case key == "index", key == "finish_reason":
				r.ScanNonText("choices", i, -1)
			default:
				r.readUnknownMember(key, i, -1)
			}
		}
		r.MarkLooseValues(tied, from)
	}
}

// ScanEvent reads one chunk of a streamed answer.
func (Completions) ScanEvent(x *core.Exchange, ev *core.Event) error { return scanEvent(x, ev, true) }

// AppendDelta appends a chunk that carries text for a choice.
func (Completions) AppendDelta(dst, like []byte, p core.Part, text string) []byte {
	dst = appendHead(dst, like, completionsObject)
	dst = strconv.AppendInt(append(dst, `{"index":`...), int64(p.Choice), 10)
	dst = splice.AppendEscaped(append(dst, `,"text":"`...), text)
	return append(dst, "\",\"logprobs\":null,\"finish_reason\":null}]}\n\n"...)
}

// AppendEnd ends a stream early, like that of Chat.
func (c Completions) AppendEnd(dst, like, _ []byte, e *core.Error) []byte {
	if e.Kind == core.ContentFiltered || e.Kind == core.Forbidden {
		dst = appendHead(dst, like, completionsObject)
		return append(dst, "{\"index\":0,\"text\":\"\",\"logprobs\":null,\"finish_reason\":\"content_filter\"}]}\n\ndata: [DONE]\n\n"...)
	}
	dst = c.AppendError(append(dst, "data: "...), e)
	return append(dst, "\n\n"...)
}
