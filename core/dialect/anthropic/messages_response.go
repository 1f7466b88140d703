package anthropic

import (
	"errors"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

var errNoObject = errors.New("the answer is not a JSON object")

// ScanResponse checks a whole answer, finds its texts and reads its usage.
func (Messages) ScanResponse(x *core.Exchange) error {
	r := response{x: x, s: &x.Scanner, doc: x.Response.Raw, part: -1}
	if err := r.open(); err != nil {
		return err
	}
	for r.s.Next() {
		switch key := r.s.Key(); string(key) {
		case "content":
			r.content()
		case "usage":
			var t tokens
			if t.read(r.s, r.doc) {
				x.Usage = t.usage()
			}
		default:
			r.readUnknown(key)
		}
	}
	r.s.End()
	return r.s.Err()
}

type response struct {
	x    *core.Exchange
	s    *splice.Scanner
	doc  []byte
	part int32
}

// open enters the answer's object.
func (r *response) open() error {
	return scan.Open(r.s, r.doc, errNoObject)
}

func (r *response) content() {
	if r.s.Kind() != splice.Array {
		r.s.Skip()
		return
	}
	r.s.Enter()
	for r.part = 0; r.s.Next(); r.part++ {
		if r.s.Kind() == splice.Object {
			r.block()
		} else {
			r.s.Skip()
		}
	}
	r.part = -1
}

// block reads a content block. What it is may be said after what it holds.
func (r *response) block() {
	from, typ := len(r.x.Response.Segments), ""
	r.s.Enter()
	for r.s.Next() {
		switch key := r.s.Key(); {
		case string(key) == "type" && r.s.Kind() == splice.String:
			typ = scan.Alias(r.s, r.doc)
		case string(key) == "text" && r.s.Kind() == splice.String:
			at, _ := r.s.String()
			r.add("content", core.KindText, at)
		case string(key) == "input" && r.s.Kind() == splice.Object:
			at := r.s.Skip()
			if r.s.Err() == nil {
				r.x.Response.AddJSON(core.Segment{Role: core.RoleAssistant, Kind: core.KindToolArgs, Part: r.part, Field: "input", Span: at})
			}
		default:
			r.readUnknown(key)
		}
	}
	if typ == "thinking" || typ == "redacted_thinking" { // signed, and sent back so
		r.x.Response.Segments = r.x.Response.Segments[:from]
	}
}

// readUnknown adds segments for the texts of a member that is not known.
func (r *response) readUnknown(key []byte) {
	leaves.Add(&r.x.Response, r.s, r.doc, scan.View(key), scan.Place{Role: core.RoleAssistant, Kind: core.KindOther, Part: r.part})
}

func (r *response) add(name string, kind core.SegmentKind, at splice.Span) {
	if r.s.Err() != nil || at.Len() == 0 {
		return
	}
	r.x.Response.Segments = append(r.x.Response.Segments, core.Segment{
		Role: core.RoleAssistant, Kind: kind, Depth: 1, Part: r.part, Field: name, Span: at,
	})
}
