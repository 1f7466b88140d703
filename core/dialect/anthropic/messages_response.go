package anthropic

import (
	"errors"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

var errNoObject = errors.New("the answer is not a JSON object")

// ScanResponse validates a whole answer, finds its texts and reads its usage.
func (Messages) ScanResponse(x *core.Exchange) error {
	r := response{Response: scan.NewResponse(x), part: -1}
	if err := r.openDocument(); err != nil {
		return err
	}
	x.Response.Offsets = citations{}
	for r.S.Next() {
		switch key := r.S.Key(); string(key) {
		case "content":
			r.readContent()
		case "usage":
			var t tokens
			from := r.S.Pos()
			if t.read(r.S, r.Doc) {
				x.Usage = t.convertUsage()
			}
			r.AddOddStrings(from, "usage", 0, -1)
		case "id", "type", "role", "model":
			r.ScanNonText("answer", 0, -1)
		default:
			r.readUnknown(key)
		}
	}
	r.S.End()
	return r.S.Err()
}

type response struct {
	scan.Response
	part int32
}

// openDocument enters the answer's object.
func (r *response) openDocument() error {
	return scan.OpenObject(r.S, r.Doc, errNoObject)
}

func (r *response) readContent() {
	if r.S.Kind() != splice.Array {
		r.readUnknown([]byte("content"))
		return
	}
	r.S.Enter()
	for r.part = 0; r.S.Next(); r.part++ {
		if r.S.Kind() == splice.Object {
			r.readBlock()
		} else {
			r.readUnknown([]byte("content"))
		}
	}
	r.part = -1
}

// readBlock reads a content block, whose type can follow its content.
func (r *response) readBlock() {
	from, typ := len(r.X.Response.Segments), ""
	r.S.Enter()
	for r.S.Next() {
		switch key := r.S.Key(); {
		case string(key) == "type" && r.S.Kind() == splice.String:
			at := r.S.Pos()
			typ = scan.ReadAlias(r.S, r.Doc)
			r.AddOddStrings(at, "type", 0, r.part)
		case string(key) == "text" && r.S.Kind() == splice.String:
			at, _ := r.S.String()
			r.add("content", core.KindText, at)
		case string(key) == "input" && r.S.Kind() == splice.Object:
			at := r.S.Skip()
			if r.S.Err() == nil {
				r.X.Response.AddJSON(core.Segment{Role: core.RoleAssistant, Kind: core.KindToolArgs, Part: r.part, Field: "input", Span: at})
			}
		default:
			r.readUnknown(key)
		}
	}
	if typ == "thinking" || typ == "redacted_thinking" { // signed, and sent back so
		r.X.Response.Segments = r.X.Response.Segments[:from]
	}
}

// readUnknown adds segments for the texts of a member that is not known.
func (r *response) readUnknown(key []byte) {
	leaves.Add(&r.X.Response, r.S, r.Doc, zerocopy.String(key), scan.Place{Role: core.RoleAssistant, Kind: core.KindOther, Part: r.part})
}

func (r *response) add(name string, kind core.SegmentKind, at splice.Span) {
	if r.S.Err() != nil || at.Len() == 0 {
		return
	}
	r.X.Response.Segments = append(r.X.Response.Segments, core.Segment{
		Role: core.RoleAssistant, Kind: kind, Depth: 1, Part: r.part, Field: name, Span: at,
	})
}
