package gemini

import (
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// Scan validates a request and finds its texts. It rejects invalid JSON, a field given
// twice and wrong types. It does not touch Model and Stream of the head, which the proxy
// sets from the path.
func (Generate) Scan(x *core.Exchange) *core.Error {
	r := newRequest(x)
	return r.scanBody(r.readBody)
}

func newRequest(x *core.Exchange) request {
	r := request{Request: scan.NewRequest(x, marks), notes: scan.FindNotes[notes](x)}
	*r.notes = notes{joined: r.notes.joined}
	return r
}

// request is the state of one scan.
type request struct {
	scan.Request
	notes *notes
	at    string // the field that the request stands in, for a count
}

// scanBody reads the body, which must be one object.
func (r *request) scanBody(body func()) *core.Error {
	if r.S.Kind() == splice.Object {
		body()
	} else {
		r.S.Skip()
		r.Fail(scan.NewInvalid("", "the body must be a JSON object"))
	}
	r.S.End()
	return r.Request.ChooseError(r.Err)
}

// openObject opens an object. Null means absent.
func (r *request) openObject(param string) object {
	switch r.S.Kind() {
	case splice.Object:
		return openObject(r.S)
	case splice.Null:
		r.S.Null()
	default:
		r.RejectType(param, "an object")
	}
	return object{}
}

// rejectRepeated rejects a field that was given in both spellings.
func (r *request) rejectRepeated(o *object) {
	if o.twice != fUnknown {
		name := names[o.twice]
		r.Fail(&core.Error{
			Kind: core.InvalidRequest, Code: core.CodeDuplicateKey, Param: name,
			Public: "an object in the body has " + name + " and " + convertToSnake(name) + ", which are one field; send it once",
		})
	}
}

func (r *request) readBody() {
	contents := false
	o := openObject(r.S)
	r.Mark(markOpen, splice.Span{Start: r.S.Pos(), End: r.S.Pos()})
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		contents = contents || f == fContents
		r.readMember(f, o.key)
	}
	r.rejectRepeated(&o)
	if !contents {
		r.Fail(newMissingError(r.at + "contents"))
	}
}

// readMember reads a member of the body.
func (r *request) readMember(f field, key []byte) {
	switch f {
	case fContents:
		r.readContents()
	case fSystemInstruction:
		r.readSystem()
	case fTools:
		r.readTools()
	case fToolConfig:
		r.readToolConfig()
	case fGenerationConfig:
		r.readConfig()
	case fCachedContent:
		if r.ReadText("cachedContent") != "" {
			r.Fail(scan.NewUnsupportedError("cachedContent", "cachedContent is not supported: send the content itself in \"contents\""))
		}
	case fModel:
		r.readModel()
	default:
		r.readUnknown(zerocopy.String(key), core.RoleSystem, core.KindOther, -1, -1)
	}
}

// readModel marks a model in the body. The one in the path is used.
func (r *request) readModel() {
	if r.S.Kind() != splice.String {
		r.ReadText("model")
		return
	}
	at, _ := r.S.String()
	r.Mark(markModel, at)
}

func (r *request) readUnknown(name string, role core.Role, kind core.SegmentKind, message, part int32) {
	r.AddLeaves(&leaves, name, scan.Place{Role: role, Kind: kind, Message: message, Part: part})
}

func isImage(mimeType string) bool { return strings.HasPrefix(mimeType, "image/") }
