package openai

import (
	"errors"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

var errAnswerNotObject = errors.New("the answer is not a JSON object")

// ScanResponse checks a whole answer, finds its texts and reads its usage.
func (Chat) ScanResponse(x *core.Exchange) error {
	r := response{x: x, s: &x.Scanner, doc: x.Response.Raw}
	if err := scan.Open(r.s, r.doc, errAnswerNotObject); err != nil {
		return err
	}
	for r.s.Next() {
		switch string(r.s.Key()) {
		case "choices":
			r.choices()
		case "usage":
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

type response struct {
	x   *core.Exchange
	s   *splice.Scanner
	doc []byte
}

func (r *response) choices() {
	if r.s.Kind() != splice.Array {
		r.s.Skip()
		return
	}
	r.s.Enter()
	for i := int32(0); r.s.Next(); i++ {
		if r.s.Kind() != splice.Object {
			r.s.Skip()
			continue
		}
		r.s.Enter()
		for r.s.Next() {
			switch key := string(r.s.Key()); {
			case key == "message" && r.s.Kind() == splice.Object:
				r.message(i)
			case key == "logprobs" && r.s.Kind() != splice.Null:
				r.x.Response.Tied = append(r.x.Response.Tied, core.Tied{Message: i, Span: r.s.Skip()})
			default:
				r.s.Skip()
			}
		}
	}
}

func (r *response) message(i int32) {
	r.s.Enter()
	for r.s.Next() {
		switch key := r.s.Key(); string(key) {
		case "content":
			r.text(i, "content", core.KindText)
		case "refusal":
			r.text(i, "refusal", core.KindRefusal)
		case "reasoning_content", "reasoning":
			r.text(i, "reasoning", core.KindReasoning)
		case "tool_calls":
			r.calls(i)
		case "function_call":
			r.arguments(i, -1)
		default:
			r.leaves(scan.View(key), i, -1)
		}
	}
}

func (r *response) leaves(name string, i, n int32) {
	chatLeaves.Add(&r.x.Response, r.s, r.doc, name, scan.Place{Role: core.RoleAssistant, Kind: core.KindOther, Message: i, Part: n})
}

// text reads a string or an array of text parts.
func (r *response) text(i int32, name string, kind core.SegmentKind) {
	switch r.s.Kind() {
	case splice.String:
		r.segment(i, -1, name, kind, false)
	case splice.Array:
		r.s.Enter()
		for n := int32(0); r.s.Next(); n++ {
			if r.s.Kind() != splice.Object {
				r.s.Skip()
				continue
			}
			r.s.Enter()
			for r.s.Next() {
				if key := r.s.Key(); string(key) == "text" && r.s.Kind() == splice.String {
					r.segment(i, n, name, kind, false)
				} else {
					r.leaves(scan.View(key), i, n)
				}
			}
		}
	default:
		r.s.Skip()
	}
}

func (r *response) calls(i int32) {
	if r.s.Kind() != splice.Array {
		r.s.Skip()
		return
	}
	r.s.Enter()
	for n := int32(0); r.s.Next(); n++ {
		if r.s.Kind() != splice.Object {
			r.s.Skip()
			continue
		}
		r.s.Enter()
		for r.s.Next() {
			switch key := r.s.Key(); string(key) {
			case "function", "custom":
				r.arguments(i, n)
			default:
				r.leaves(scan.View(key), i, n)
			}
		}
	}
}

// arguments reads a function's arguments, which are JSON text, or a custom
// tool's input, which is not.
func (r *response) arguments(i, n int32) {
	if r.s.Kind() != splice.Object {
		r.s.Skip()
		return
	}
	r.s.Enter()
	for r.s.Next() {
		key := scan.View(r.s.Key())
		if (key == "arguments" || key == "input") && r.s.Kind() == splice.String {
			r.segment(i, n, "tool_calls", core.KindToolArgs, key == "arguments")
		} else {
			r.leaves(key, i, n)
		}
	}
}

func (r *response) segment(i, n int32, name string, kind core.SegmentKind, isJSON bool) {
	at, _ := r.s.String()
	if r.s.Err() != nil || at.Len() == 0 {
		return
	}
	seg := core.Segment{Role: core.RoleAssistant, Kind: kind, Depth: 1, Message: i, Part: n, Field: name, Span: at}
	if isJSON {
		r.x.Response.AddJSON(seg)
		return
	}
	r.x.Response.Segments = append(r.x.Response.Segments, seg)
}
