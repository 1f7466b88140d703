package openai

import (
	"errors"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

var errAnswerNotObject = errors.New("the answer is not a JSON object")

// ScanResponse validates a whole answer, finds its texts and reads its usage.
func (Chat) ScanResponse(x *core.Exchange) error {
	r := response{Response: scan.NewResponse(x)}
	x.Response.Offsets = chatOffsets{}
	if err := scan.OpenObject(r.S, r.Doc, errAnswerNotObject); err != nil {
		return err
	}
	for r.S.Next() {
		switch key := r.S.Key(); string(key) {
		case "choices":
			r.readChoices()
		case "usage":
			r.readUsage()
		case "id", "object", "model", "created", "system_fingerprint", "service_tier", "prompt_filter_results":
			r.ScanNonText("answer", -1, -1)
		default:
			r.readUnknownMember(zerocopy.String(key), -1, -1)
		}
	}
	r.S.End()
	return r.S.Err()
}

type response struct {
	scan.Response
}

func (r *response) readUsage() {
	from := r.S.Pos()
	if u, ok := readUsage(r.S, r.Doc); ok {
		r.X.Usage = u
	}
	r.AddOddStrings(from, "usage", -1, -1)
}

func (r *response) readChoices() {
	if r.S.Kind() != splice.Array {
		r.readUnknownMember("choices", -1, -1)
		return
	}
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
			case key == "message" && r.S.Kind() == splice.Object:
				r.readMessage(i)
			case key == "logprobs" && r.S.Kind() != splice.Null:
				r.X.Response.Tied = append(r.X.Response.Tied, core.Repetition{Message: i, Span: r.S.Skip()})
			case key == "index", key == "finish_reason", key == "content_filter_results", key == "content_filter_offsets":
				r.ScanNonText("choices", i, -1)
			default:
				r.readUnknownMember(key, i, -1)
			}
		}
		r.MarkLooseValues(tied, from)
	}
}

func (r *response) readMessage(i int32) {
	r.S.Enter()
	for r.S.Next() {
		switch key := r.S.Key(); string(key) {
		case "content":
			r.readText(i, "content", core.KindText)
		case "refusal":
			r.readText(i, "refusal", core.KindRefusal)
		case "reasoning_content", "reasoning":
			r.readText(i, "reasoning", core.KindReasoning)
		case "tool_calls":
			r.readCalls(i)
		case "function_call":
			r.readArguments(i, -1)
		default:
			r.readUnknownMember(zerocopy.String(key), i, -1)
		}
	}
}

func (r *response) readUnknownMember(name string, i, n int32) {
	chatLeaves.Add(&r.X.Response, r.S, r.Doc, name, scan.Place{Role: core.RoleAssistant, Kind: core.KindOther, Message: i, Part: n})
}

// readText reads a string or an array of text parts.
func (r *response) readText(i int32, name string, kind core.SegmentKind) {
	switch r.S.Kind() {
	case splice.String:
		r.addSegment(i, -1, name, kind, false)
	case splice.Array:
		r.S.Enter()
		for n := int32(0); r.S.Next(); n++ {
			if r.S.Kind() != splice.Object {
				r.readUnknownMember(name, i, n)
				continue
			}
			r.S.Enter()
			for r.S.Next() {
				if key := r.S.Key(); string(key) == "text" && r.S.Kind() == splice.String {
					r.addSegment(i, n, name, kind, false)
				} else {
					r.readUnknownMember(zerocopy.String(key), i, n)
				}
			}
		}
	default:
		r.readUnknownMember(name, i, -1)
	}
}

func (r *response) readCalls(i int32) {
	if r.S.Kind() != splice.Array {
		r.readUnknownMember("tool_calls", i, -1)
		return
	}
	r.S.Enter()
	for n := int32(0); r.S.Next(); n++ {
		if r.S.Kind() != splice.Object {
			r.readUnknownMember("tool_calls", i, n)
			continue
		}
		r.S.Enter()
		for r.S.Next() {
			switch key := r.S.Key(); string(key) {
			case "function", "custom":
				r.readArguments(i, n)
			default:
				r.readUnknownMember(zerocopy.String(key), i, n)
			}
		}
	}
}

// readArguments reads the arguments of a function, which are JSON text, or the input of
// a custom tool, which is plain text.
func (r *response) readArguments(i, n int32) {
	if r.S.Kind() != splice.Object {
		r.readUnknownMember("function", i, n)
		return
	}
	r.S.Enter()
	for r.S.Next() {
		key := zerocopy.String(r.S.Key())
		if (key == "arguments" || key == "input") && r.S.Kind() == splice.String {
			r.addSegment(i, n, "tool_calls", core.KindToolArgs, key == "arguments")
		} else {
			r.readUnknownMember(key, i, n)
		}
	}
}

func (r *response) addSegment(i, n int32, name string, kind core.SegmentKind, isJSON bool) {
	at, _ := r.S.String()
	if r.S.Err() != nil || at.Len() == 0 {
		return
	}
	seg := core.Segment{Role: core.RoleAssistant, Kind: kind, Depth: 1, Message: i, Part: n, Field: name, Span: at}
	if isJSON {
		r.X.Response.AddJSON(seg)
		return
	}
	r.X.Response.Segments = append(r.X.Response.Segments, seg)
}
