package direct

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// member says how a member of a request is read.
type member struct {
	kind        kind
	least, most int64 // of a number, or of the elements of a list; most 0: no limit
	many        bool  // a form may repeat it
}

// kind is what a member holds.
type kind uint8

const (
	other        kind = iota // unknown: its texts are judged
	model                    // the name of the model
	prompt                   // a text that the model reads
	prompts                  // one such text, or a list of texts and objects
	name                     // an identifier
	names                    // a list of identifiers
	nameOrObject             // an identifier, or an object with one
	textFormat               // the form of a transcript
	user                     // the end user
	integer
	answers // how many pictures are wanted
	number
	flag
	file         // of a form
	stream       // a flag that must not be set
	streamFormat // how sound is streamed: as bytes, or as events
)

// leaves finds the texts of members and elements that are not known.
var leaves = scan.Leaves{IsQuiet: func(name string) bool { return quiet[name] }, IsSealed: scan.IsSealed}

// quiet are members whose strings are identifiers, addresses or data; see [scan.Leaves].
var quiet = map[string]bool{
	"id": true, "type": true, "object": true, "model": true, "url": true, "image_url": true, "image": true, "image_base64": true,
	"b64_json": true, "size": true, "quality": true, "background": true, "output_format": true, "format": true,
	"voice": true, "language": true,
	"task": true, "api_version": true, "version": true,
}

// Scan validates a request and finds its texts.
func (s *Shape) Scan(x *core.Exchange) *core.Error {
	x.Head.Task = s.task
	n := scan.FindNotes[notes](x)
	*n = notes{names: n.names[:0], joined: n.joined[:0]}
	if s.sound {
		n.form = Bytes
	}
	r := &request{Request: scan.NewRequest(x, markFiles), shape: s, n: n, given: map[string]bool{}}
	var e *core.Error
	if s.form {
		e = r.readForm()
	} else {
		e = r.ChooseError(r.readObject())
	}
	if e != nil {
		return e
	}
	if x.Head.Model == "" {
		x.Head.Model = s.model
	}
	n.letters = countTextBytes(x)
	x.Head.MaxUsage = s.most(n.letters, n)
	return nil
}

// request is the state of one scan.
type request struct {
	scan.Request
	shape *Shape
	n     *notes
	given map[string]bool
}

func (r *request) readObject() *core.Error {
	if e := r.Enter(); e != nil {
		return e
	}
	r.Mark(markOpen, splice.Span{Start: r.S.Pos(), End: r.S.Pos()})
	for r.S.Next() {
		key := string(r.S.Key())
		r.given[key] = true
		r.readMember(key, r.shape.members[key])
	}
	r.S.End()
	if r.S.Err() != nil || r.Err != nil {
		return r.Err
	}
	return r.checkGiven()
}

// checkGiven returns the error of a request that lacks a member.
func (r *request) checkGiven() *core.Error {
	if !r.given["model"] && r.shape.model == "" {
		return scan.NewMissing("model")
	}
	for _, key := range r.shape.needs {
		if !r.given[key] {
			return scan.NewMissing(key)
		}
	}
	return nil
}

func (r *request) readMember(key string, m member) {
	if key == "model" {
		m.kind = model
	}
	switch m.kind {
	case model:
		r.ReadModel(markModel)
	case prompt:
		if r.S.Kind() != splice.String {
			r.RejectType(key, "a string")
			return
		}
		r.addText(key, -1)
	case prompts:
		r.readTexts(key, m)
	case name, textFormat:
		r.ReadText(key)
	case names, nameOrObject, other:
		r.AddLeaves(&leaves, key, scan.Outside)
	case user:
		r.X.Head.User = r.ReadUser(key)
	case integer:
		r.checkMost(key, r.ReadInteger(key, m.least), m)
	case answers:
		r.n.answers = r.ReadInteger(key, m.least)
		r.checkMost(key, r.n.answers, m)
	case number:
		r.ReadBoundedNumber(key, float64(m.least), float64(m.most))
	case flag:
		r.ReadBool(key)
	case stream:
		if r.ReadBool(key) {
			r.Fail(newNotStreamedError(key))
		}
	case streamFormat:
		r.X.Head.Stream = r.ReadText(key) == "sse"
	case file:
		r.RejectType(key, "a file in a form")
	}
}

// newNotStreamedError returns the error of a request for events.
func newNotStreamedError(key string) *core.Error {
	return scan.NewUnsupportedError(key, strconv.Quote(key)+" is not supported here: the answer is sent as a whole, or as plain bytes, and not as events")
}

func (r *request) checkMost(key string, n int64, m member) {
	if m.most > 0 && n > m.most {
		r.Fail(scan.NewInvalid(key, strconv.Quote(key)+" must be "+strconv.FormatInt(m.most, 10)+" at most"))
	}
}

// addText adds the string that comes next as a text that the model reads.
func (r *request) addText(key string, part int32) {
	at, _ := r.S.String()
	if r.S.Err() != nil {
		return
	}
	if key == "query" {
		r.n.query = at.Len()
	}
	r.X.Head.Messages++
	if at.Len() > 0 {
		r.X.Request.Segments = append(r.X.Request.Segments, core.Segment{
			Role: core.RoleUser, Kind: core.KindText, Depth: 1, Message: -1, Part: part, Field: key, Span: at,
		})
	}
}

// readTexts reads one text, or a list of texts and of objects that hold texts.
func (r *request) readTexts(key string, m member) {
	const want = "a string or an array of strings and objects"
	switch r.S.Kind() {
	case splice.String:
		r.n.elements = 1
		r.addText(key, -1)
		return
	case splice.Array:
	default:
		r.RejectType(key, want)
		return
	}
	r.S.Enter()
	n := int32(0)
	for ; r.S.Next(); n++ {
		switch r.S.Kind() {
		case splice.String:
			r.addText(key, n)
		case splice.Object:
			r.X.Head.Messages++
			r.AddLeaves(&leaves, key, scan.Place{Role: core.RoleUser, Kind: core.KindText, Message: -1, Part: n})
		default:
			r.RejectType(scan.FormatPath(key, n, ""), "a string or an object")
		}
	}
	r.n.elements = int64(n)
	if n == 0 || int64(n) > m.most {
		r.Fail(scan.NewInvalid(key, strconv.Quote(key)+" must hold between 1 and "+strconv.FormatInt(m.most, 10)+" elements"))
	}
}

// setModel puts the model of a form into the head.
func (r *request) setModel(at splice.Span) {
	switch value := r.Doc[at.Start:at.End]; {
	case len(value) == 0:
		r.Fail(scan.NewInvalid("model", `"model" must not be empty`))
	case len(value) > scan.MaxName:
		r.Fail(scan.NewInvalid("model", `"model" is too long for a name`))
	default:
		r.X.Head.Model = zerocopy.String(value)
		r.Mark(markModel, at)
	}
}
