package gemini

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// nameAt, truthAt and openAt read fields of a turn. The path is only written for
// an error.
func (r *request) nameAt(i, n int32, field string) string {
	if r.s.Kind() == splice.String {
		return alias(r.s, r.doc)
	}
	return r.name(where(i, n, field))
}

func (r *request) truthAt(i, n int32, field string) bool {
	if k := r.s.Kind(); k == splice.True || k == splice.False {
		return r.s.Bool()
	}
	return r.boolean(where(i, n, field))
}

func (r *request) openAt(i, n int32, field string) object {
	if r.s.Kind() == splice.Object {
		return open(r.s)
	}
	return r.open(where(i, n, field))
}

func (r *request) parts(i int32) {
	if k := r.s.Kind(); k != splice.Array && k != splice.Object && k != splice.Null {
		r.wrongType(where(i, -1, "parts"), "an array of parts")
		return
	}
	joined, n := false, int32(0)
	for l := each(r.s); l.next(); n++ {
		if r.s.Kind() != splice.Object {
			r.wrongType(where(i, n, ""), "an object")
			continue
		}
		joined = r.part(i, n, joined)
	}
}

// part reads one part; joined says that the part before was text. It reports
// whether this one is. Whether it is a thought may come after its text.
func (r *request) part(i, n int32, joined bool) bool {
	p := &r.x.Request
	from, text, thought, signed := len(p.Segments), false, false, false
	field := "parts"
	if i < 0 {
		field = "systemInstruction"
	}
	o := open(r.s)
	for f, ok := o.next(); ok; f, ok = o.next() {
		switch f {
		case fText:
			if r.s.Kind() != splice.String {
				r.nameAt(i, n, "text")
				continue
			}
			text = true
			if at, _ := r.s.String(); at.Len() > 0 && r.s.Err() == nil {
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
			r.unknown(string(o.key), 0, core.KindOther, i, n)
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
			r.unknown(string(o.key), 0, core.KindOther, i, n)
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
			for l := each(r.s); l.next(); {
				r.resultPart(i, n)
			}
		default:
			r.unknown(string(o.key), core.RoleTool, core.KindOther, i, n)
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
			r.unknown(string(o.key), core.RoleTool, core.KindToolResult, i, n)
		}
	}
	r.shut(&o)
}

// values makes segments of the strings and numbers in an object.
func (r *request) values(i, n int32, field string, seg core.Segment) {
	if k := r.s.Kind(); k != splice.Object && k != splice.Null {
		r.wrongType(where(i, n, field), "an object")
		return
	}
	if seg.Span = r.s.Skip(); r.s.Err() == nil {
		r.x.Request.AddJSON(seg)
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
				r.x.Head.Images = true
			}
		case fData, fFileURI:
			r.s.Skip()
		default:
			r.unknown(string(o.key), 0, core.KindOther, i, n)
		}
	}
	r.shut(&o)
}
