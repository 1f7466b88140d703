package gemini

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// nameAt, truthAt and openAt read fields of a turn. The path is only written for
// an error.
func (r *request) nameAt(i, n int32, field string) string {
	if r.S.Kind() == splice.String {
		return scan.Alias(r.S, r.Doc)
	}
	return r.ReadText(where(i, n, field))
}

func (r *request) truthAt(i, n int32, field string) bool {
	if k := r.S.Kind(); k == splice.True || k == splice.False {
		return r.S.Bool()
	}
	return r.ReadBool(where(i, n, field))
}

func (r *request) openAt(i, n int32, field string) object {
	if r.S.Kind() == splice.Object {
		return open(r.S)
	}
	return r.open(where(i, n, field))
}

func (r *request) parts(i int32) {
	if k := r.S.Kind(); k != splice.Array && k != splice.Object && k != splice.Null {
		r.RejectType(where(i, -1, "parts"), "an array of parts")
		return
	}
	joined, n := false, int32(0)
	for l := each(r.S); l.next(); n++ {
		if r.S.Kind() != splice.Object {
			r.RejectType(where(i, n, ""), "an object")
			continue
		}
		joined = r.part(i, n, joined)
	}
}

// part reads one part; joined says that the part before was text. It reports
// whether this one is. Whether it is a thought may come after its text.
func (r *request) part(i, n int32, joined bool) bool {
	p := &r.X.Request
	from, text, thought, signed := len(p.Segments), false, false, false
	field := "parts"
	if i < 0 {
		field = "systemInstruction"
	}
	o := open(r.S)
	for f, ok := o.next(); ok; f, ok = o.next() {
		switch f {
		case fText:
			if r.S.Kind() != splice.String {
				r.nameAt(i, n, "text")
				continue
			}
			text = true
			if at, _ := r.S.String(); at.Len() > 0 && r.S.Err() == nil {
				p.Segments = append(p.Segments, core.Segment{
					Kind: core.KindText, Depth: 1, Joined: joined && len(p.Segments) == from, Message: i, Part: n, Field: field, Span: at,
				})
			}
		case fThought:
			thought = r.truthAt(i, n, "thought")
		case fThoughtSignature:
			signed = r.nameAt(i, n, "thoughtSignature") != ""
		case fFunctionCall:
			r.call(i, n)
		case fFunctionResponse:
			r.result(i, n)
		case fInlineData, fFileData:
			r.blob(i, n)
		default:
			r.unknown(scan.View(o.key), 0, core.KindOther, i, n)
		}
	}
	r.shut(&o)
	if !thought {
		return text
	}
	if signed { // what was signed goes back as it came
		p.Segments = p.Segments[:from]
		return false
	}
	for k := from; k < len(p.Segments); k++ {
		p.Segments[k].Joined = false
		if p.Segments[k].Kind == core.KindText {
			p.Segments[k].Kind = core.KindReasoning
		}
	}
	return false
}

// call reads a function call. Its arguments are JSON in the document itself.
func (r *request) call(i, n int32) {
	o := r.openAt(i, n, "functionCall")
	for f, ok := o.next(); ok; f, ok = o.next() {
		if f == fArgs {
			r.values(i, n, "functionCall.args", core.Segment{Kind: core.KindToolArgs, Message: i, Part: n, Field: "functionCall.args"})
		} else {
			r.unknown(scan.View(o.key), 0, core.KindOther, i, n)
		}
	}
	r.shut(&o)
}

// result reads what a function gave back.
func (r *request) result(i, n int32) {
	o := r.openAt(i, n, "functionResponse")
	for f, ok := o.next(); ok; f, ok = o.next() {
		switch f {
		case fResponse:
			r.values(i, n, "functionResponse.response", core.Segment{
				Role: core.RoleTool, Kind: core.KindToolResult, Message: i, Part: n, Field: "functionResponse.response",
			})
		case fParts:
			for l := each(r.S); l.next(); {
				r.resultPart(i, n)
			}
		default:
			r.unknown(scan.View(o.key), core.RoleTool, core.KindOther, i, n)
		}
	}
	r.shut(&o)
}

func (r *request) resultPart(i, n int32) {
	o := r.openAt(i, n, "functionResponse.parts")
	for f, ok := o.next(); ok; f, ok = o.next() {
		if f == fInlineData || f == fFileData {
			r.blob(i, n)
		} else {
			r.unknown(scan.View(o.key), core.RoleTool, core.KindToolResult, i, n)
		}
	}
	r.shut(&o)
}

// values makes segments of the strings and numbers in an object.
func (r *request) values(i, n int32, field string, seg core.Segment) {
	if k := r.S.Kind(); k != splice.Object && k != splice.Null {
		r.RejectType(where(i, n, field), "an object")
		return
	}
	if seg.Span = r.S.Skip(); r.S.Err() == nil {
		r.X.Request.AddJSON(seg)
	}
}

// blob reads inline data or the address of a file: nothing in it is text but a
// name.
func (r *request) blob(i, n int32) {
	o := r.openAt(i, n, "")
	for f, ok := o.next(); ok; f, ok = o.next() {
		switch f {
		case fMIMEType:
			if isImage(r.nameAt(i, n, "mimeType")) {
				r.X.Head.Images = true
			}
		case fData, fFileURI:
			r.S.Skip()
		default:
			r.unknown(scan.View(o.key), 0, core.KindOther, i, n)
		}
	}
	r.shut(&o)
}
