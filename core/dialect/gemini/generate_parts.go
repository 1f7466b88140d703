package gemini

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// readTextAt reads a text field of a turn, and readBoolAt a boolean. The path is only written for
// an error.
func (r *request) readTextAt(i, n int32, field string) string {
	if r.S.Kind() == splice.String {
		return r.ReadPlain(field)
	}
	return r.ReadText(formatTurnPath(i, n, field))
}

// readSignature reads the signature of a thought, and reports whether there is one.
func (r *request) readSignature(i, n int32) bool {
	if r.S.Kind() != splice.String {
		return r.readTextAt(i, n, "thoughtSignature") != ""
	}
	from := r.S.Pos()
	r.readUnknown("thoughtSignature", 0, core.KindOther, i, n)
	return r.S.Pos()-from > len(`""`)
}

func (r *request) readBoolAt(i, n int32, field string) bool {
	if k := r.S.Kind(); k == splice.True || k == splice.False {
		return r.S.Bool()
	}
	return r.ReadBool(formatTurnPath(i, n, field))
}

func (r *request) openObjectAt(i, n int32, field string) object {
	if r.S.Kind() == splice.Object {
		return openObject(r.S)
	}
	return r.openObject(formatTurnPath(i, n, field))
}

func (r *request) readParts(i int32) {
	if k := r.S.Kind(); k != splice.Array && k != splice.Object && k != splice.Null {
		r.RejectType(formatTurnPath(i, -1, "parts"), "an array of parts")
		return
	}
	joined, n := false, int32(0)
	for l := openList(r.S); l.moveToNext(); n++ {
		if r.S.Kind() != splice.Object {
			r.RejectType(formatTurnPath(i, n, ""), "an object")
			continue
		}
		joined = r.readPart(i, n, joined)
	}
}

// readPart reads one part and reports whether it is text. joined says that the previous
// part was. The flag for a thought can follow its text.
func (r *request) readPart(i, n int32, joined bool) bool {
	p := &r.X.Request
	from, text, thought, signed := len(p.Segments), false, false, false
	field := "parts"
	if i < 0 {
		field = "systemInstruction"
	}
	o := openObject(r.S)
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		switch f {
		case fText:
			if r.S.Kind() != splice.String {
				r.readTextAt(i, n, "text")
				continue
			}
			text = true
			if at, _ := r.S.String(); at.Len() > 0 && r.S.Err() == nil {
				p.Segments = append(p.Segments, core.Segment{
					Kind: core.KindText, Depth: 1, Joined: joined && len(p.Segments) == from, Message: i, Part: n, Field: field, Span: at,
				})
			}
		case fThought:
			thought = r.readBoolAt(i, n, "thought")
		case fThoughtSignature:
			signed = r.readSignature(i, n)
		case fFunctionCall:
			r.readCall(i, n)
		case fFunctionResponse:
			r.readResult(i, n)
		case fInlineData, fFileData:
			r.readBlob(i, n)
		default:
			r.readUnknown(zerocopy.String(o.key), 0, core.KindOther, i, n)
		}
	}
	r.rejectRepeated(&o)
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

// readCall reads a function call, whose arguments are a JSON object and not a string.
func (r *request) readCall(i, n int32) {
	o := r.openObjectAt(i, n, "functionCall")
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		if f == fArgs {
			r.readValues(i, n, "functionCall.args", core.Segment{Kind: core.KindToolArgs, Message: i, Part: n, Field: "functionCall.args"})
		} else {
			r.readUnknown(zerocopy.String(o.key), 0, core.KindOther, i, n)
		}
	}
	r.rejectRepeated(&o)
}

// readResult reads the result of a function.
func (r *request) readResult(i, n int32) {
	o := r.openObjectAt(i, n, "functionResponse")
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		switch f {
		case fResponse:
			r.readValues(i, n, "functionResponse.response", core.Segment{
				Role: core.RoleTool, Kind: core.KindToolResult, Message: i, Part: n, Field: "functionResponse.response",
			})
		case fParts:
			for l := openList(r.S); l.moveToNext(); {
				r.readResultPart(i, n)
			}
		default:
			r.readUnknown(zerocopy.String(o.key), core.RoleTool, core.KindOther, i, n)
		}
	}
	r.rejectRepeated(&o)
}

func (r *request) readResultPart(i, n int32) {
	o := r.openObjectAt(i, n, "functionResponse.parts")
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		if f == fInlineData || f == fFileData {
			r.readBlob(i, n)
		} else {
			r.readUnknown(zerocopy.String(o.key), core.RoleTool, core.KindToolResult, i, n)
		}
	}
	r.rejectRepeated(&o)
}

// readValues adds segments for the strings and numbers in an object.
func (r *request) readValues(i, n int32, field string, seg core.Segment) {
	if k := r.S.Kind(); k != splice.Object && k != splice.Null {
		r.RejectType(formatTurnPath(i, n, field), "an object")
		return
	}
	if seg.Span = r.S.Skip(); r.S.Err() == nil {
		r.X.Request.AddJSON(seg)
	}
}

// readBlob reads inline data or a file URI.
func (r *request) readBlob(i, n int32) {
	media, data, before, elsewhere := "", splice.Span{}, 0, false
	o := r.openObjectAt(i, n, "")
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		switch {
		case f == fMIMEType:
			if media = r.readTextAt(i, n, "mimeType"); isImage(media) {
				r.X.Head.Images = true
			}
		case f == fData && r.S.Kind() == splice.String:
			data, _ = r.S.String()
			before = len(r.X.Request.Segments)
		case f == fData:
			r.readUnknown(names[fData], 0, core.KindOther, i, n)
		default:
			elsewhere = elsewhere || f == fFileURI
			r.readUnknown(zerocopy.String(o.key), 0, core.KindOther, i, n)
		}
	}
	r.rejectRepeated(&o)
	if r.S.Err() != nil {
		return
	}
	if elsewhere && !scan.IsPicture(media) {
		r.RecordUnsupportedFile(formatTurnPath(i, n, "fileData"), media)
	}
	if data.Len() > 0 {
		r.InsertFile(before, formatTurnPath(i, n, "inlineData"), "inlineData", media, scan.Place{Message: i, Part: n}, data)
	}
}
