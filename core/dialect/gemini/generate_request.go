package gemini

import (
	"errors"
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// Scan checks a request and finds its texts. It refuses what no provider could
// read one way only: broken JSON, a field given twice, wrong types. The model and
// whether the answer is streamed are the proxy's, from the path, and stay.
func (Generate) Scan(x *core.Exchange) *core.Error {
	r := newRequest(x)
	return r.run(r.body)
}

func newRequest(x *core.Exchange) request {
	r := request{x: x, s: &x.Scanner, doc: x.Request.Raw, notes: notesOf(x)}
	*r.notes = notes{joined: r.notes.joined}
	x.Request.Marks = append(x.Request.Marks[:0], make([]splice.Span, marks)...)
	r.s.Reset(r.doc)
	return r
}

// request is the state of one scan.
type request struct {
	x     *core.Exchange
	s     *splice.Scanner
	doc   []byte
	notes *notes
	err   *core.Error
	at    string // the field that the request stands in, for a count
}

// run reads the one value of the body.
func (r *request) run(body func()) *core.Error {
	if r.s.Kind() == splice.Object {
		body()
	} else {
		r.s.Skip()
		r.fail(bad("", "the body must be a JSON object"))
	}
	r.s.End()
	if err := r.s.Err(); err != nil {
		return syntax(err)
	}
	return r.err
}

// syntax makes the client's error of a scanner's.
func syntax(err error) *core.Error {
	e := &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidJSON, Err: err, Public: "the body is not valid JSON"}
	var se *splice.SyntaxError
	if errors.As(err, &se) {
		if se.Reason == splice.ReasonDuplicateKey {
			e.Code = core.CodeDuplicateKey
			e.Public = "an object in the body names a key twice, at byte " + strconv.Itoa(se.Offset) + "; send each key once"
			return e
		}
		e.Public = "the body is not valid JSON: " + string(se.Reason) + " at byte " + strconv.Itoa(se.Offset)
	}
	return e
}

func (r *request) fail(e *core.Error) {
	if r.err == nil {
		r.err = e
	}
}

// wrongType notes the error and skips the value, so that the rest is checked.
func (r *request) wrongType(param, want string) {
	r.fail(bad(param, "invalid type for "+strconv.Quote(param)+": expected "+want))
	r.s.Skip()
}

// open enters an object. null is as good as absent.
func (r *request) open(param string) object {
	switch r.s.Kind() {
	case splice.Object:
		return open(r.s)
	case splice.Null:
		r.s.Null()
	default:
		r.wrongType(param, "an object")
	}
	return object{}
}

// shut notes the error of a field that was given in both spellings.
func (r *request) shut(o *object) {
	if o.twice != fUnknown {
		name := names[o.twice]
		r.fail(&core.Error{
			Kind: core.InvalidRequest, Code: core.CodeDuplicateKey, Param: name,
			Public: "an object in the body has " + name + " and " + snake(name) + ", which are one field; send it once",
		})
	}
}

func (r *request) body() {
	contents := false
	o := open(r.s)
	r.mark(markOpen, splice.Span{Start: r.s.Pos(), End: r.s.Pos()})
	for f, ok := o.next(); ok; f, ok = o.next() {
		contents = contents || f == fContents
		r.member(f, o.key)
	}
	r.shut(&o)
	if !contents {
		r.fail(missing(r.at + "contents"))
	}
}

// member reads a member of the body.
func (r *request) member(f field, key []byte) {
	switch f {
	case fContents:
		r.contents()
	case fSystemInstruction:
		r.system()
	case fTools:
		r.tools()
	case fToolConfig:
		r.toolConfig()
	case fGenerationConfig:
		r.config()
	case fCachedContent:
		if r.name("cachedContent") != "" {
			r.fail(unsupported("cachedContent", "cachedContent is not supported: send the content itself in \"contents\""))
		}
	case fModel:
		r.model()
	case fSafetySettings:
		r.s.Skip()
	default:
		r.unknown(string(key), core.RoleSystem, core.KindOther, -1, -1)
	}
}

func (r *request) mark(i int, at splice.Span) { r.x.Request.Marks[i] = at }

// model reads a model in the body. The one in the path counts.
func (r *request) model() {
	if r.s.Kind() != splice.String {
		r.name("model")
		return
	}
	at, _ := r.s.String()
	r.mark(markModel, at)
}

func (r *request) unknown(name string, role core.Role, kind core.SegmentKind, message, part int32) {
	leaves(&r.x.Request, r.s, r.doc, name, place{role, kind, message, part})
}

// name reads a string, which aliases the body; null is as good as absent.
func (r *request) name(param string) string {
	switch r.s.Kind() {
	case splice.String:
		return alias(r.s, r.doc)
	case splice.Null:
		r.s.Null()
	default:
		r.wrongType(param, "a string")
	}
	return ""
}

func isImage(mimeType string) bool { return strings.HasPrefix(mimeType, "image/") }
