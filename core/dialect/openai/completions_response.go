package openai

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// ScanResponse checks a whole answer, finds its texts and reads its usage.
func (Completions) ScanResponse(x *core.Exchange) error {
	r := response{x: x, s: &x.Scanner, doc: x.Response.Raw}
	if err := scan.Open(r.s, r.doc, errAnswerNotObject); err != nil {
		return err
	}
	for r.s.Next() {
		switch key := string(r.s.Key()); {
		case key == "choices" && r.s.Kind() == splice.Array:
			r.completions()
		case key == "usage":
			if u, ok := usage(r.s, r.doc); ok {
				x.Usage = u
			}
		default:
			r.s.Skip()
		}
	}
	r.s.End()
	return r.s.Err()
}

func (r *response) completions() {
	r.s.Enter()
	for i := int32(0); r.s.Next(); i++ {
		if r.s.Kind() != splice.Object {
			r.s.Skip()
			continue
		}
		r.s.Enter()
		for r.s.Next() {
			switch key := string(r.s.Key()); {
			case key == "text" && r.s.Kind() == splice.String:
				r.segment(i, -1, "text", core.KindText, false)
			case key == "logprobs" && r.s.Kind() != splice.Null:
				r.x.Response.Tied = append(r.x.Response.Tied, core.Tied{Message: i, Span: r.s.Skip()})
			default:
				r.s.Skip()
			}
		}
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

// AppendEnd ends a stream early, as that of chat does.
func (c Completions) AppendEnd(dst, like, _ []byte, e *core.Error) []byte {
	if e.Kind == core.ContentFiltered || e.Kind == core.Forbidden {
		dst = appendHead(dst, like, completionsObject)
		return append(dst, "{\"index\":0,\"text\":\"\",\"logprobs\":null,\"finish_reason\":\"content_filter\"}]}\n\ndata: [DONE]\n\n"...)
	}
	dst = c.AppendError(append(dst, "data: "...), e)
	return append(dst, "\n\n"...)
}
