package gemini

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/splice"
)

// roles maps the roles of a turn to ours. Older clients send "function"; a turn
// without a role is the user's.
var roles = map[string]core.Role{
	"": core.RoleUser, "user": core.RoleUser, "model": core.RoleAssistant, "function": core.RoleTool, "tool": core.RoleTool,
}

// where names a field of a turn, as the client spells it.
func where(i, n int32, field string) string {
	p := "contents[" + strconv.Itoa(int(i)) + "]"
	if i < 0 {
		p = "systemInstruction"
	}
	if n >= 0 {
		p += ".parts[" + strconv.Itoa(int(n)) + "]"
	}
	if field != "" {
		p += "." + field
	}
	return p
}

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

func (r *request) contents() {
	if k := r.s.Kind(); k != splice.Array && k != splice.Object {
		r.wrongType("contents", "an array of turns")
		return
	}
	n := int32(0)
	for l := each(r.s); l.next(); n++ {
		r.turn(n)
		r.x.Head.Messages++
	}
	if n == 0 {
		r.fail(bad("contents", `"contents" must hold at least one turn`))
	}
}

// turn reads one turn. The role may come after the parts, so segments get theirs
// at the end.
func (r *request) turn(i int32) {
	if r.s.Kind() != splice.Object {
		r.wrongType(where(i, -1, ""), "an object")
		return
	}
	from, role := len(r.x.Request.Segments), core.RoleUser
	o := open(r.s)
	for f, ok := o.next(); ok; f, ok = o.next() {
		switch f {
		case fRole:
			name := r.nameAt(i, -1, "role")
			known := false
			if role, known = roles[name]; !known {
				r.fail(bad(where(i, -1, "role"), "unknown role; use user or model"))
			}
		case fParts:
			r.parts(i)
		default:
			r.unknown(string(o.key), 0, core.KindOther, i, -1)
		}
	}
	r.shut(&o)
	for k := from; k < len(r.x.Request.Segments); k++ {
		if s := &r.x.Request.Segments[k]; s.Role == 0 {
			s.Role = role
		}
	}
}

// system reads the system instruction. Its role says nothing.
func (r *request) system() {
	from := len(r.x.Request.Segments)
	o := r.open("systemInstruction")
	for f, ok := o.next(); ok; f, ok = o.next() {
		switch f {
		case fRole:
			r.name("systemInstruction.role")
		case fParts:
			r.parts(-1)
		default:
			r.unknown(string(o.key), 0, core.KindOther, -1, -1)
		}
	}
	r.shut(&o)
	for k := from; k < len(r.x.Request.Segments); k++ {
		r.x.Request.Segments[k].Role = core.RoleSystem
	}
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
