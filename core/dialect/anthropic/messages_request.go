package anthropic

import (
	"errors"
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// Scan checks a request and finds its texts. It refuses what could not be read
// one way only, and what no route takes: tools that run at the provider.
func (Messages) Scan(x *core.Exchange) *core.Error {
	r := request{x: x, s: &x.Scanner, doc: x.Request.Raw}
	return r.scan()
}

// request is the state of one scan.
type request struct {
	x     *core.Exchange
	s     *splice.Scanner
	doc   []byte
	count bool // a request to count tokens
	seen  struct{ model, messages bool }
	at    place // of what is being read
	err   *core.Error
}

// place is what the segments of a field have in common.
type place struct {
	role          core.Role
	kind          core.SegmentKind
	message, part int32
}

func (r *request) scan() *core.Error {
	notesOf(r.x).tokens = tokens{}
	r.x.Request.Marks = append(r.x.Request.Marks[:0], make([]splice.Span, marks)...)
	r.s.Reset(r.doc)
	e := r.body()
	if err := r.s.Err(); err != nil {
		return syntax(err)
	}
	return e
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
		e.Public += ": " + string(se.Reason) + " at byte " + strconv.Itoa(se.Offset)
	}
	return e
}

func (r *request) mark(i int, at splice.Span) { r.x.Request.Marks[i] = at }

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

func (r *request) body() *core.Error {
	if r.s.Kind() != splice.Object {
		r.s.Skip()
		return bad("", "the body must be a JSON object")
	}
	r.s.Enter()
	r.mark(markOpen, splice.Span{Start: r.s.Pos(), End: r.s.Pos()})
	for r.s.Next() {
		r.at = place{core.RoleSystem, core.KindOther, -1, -1}
		switch key := r.s.Key(); string(key) {
		case "model":
			r.model()
		case "messages":
			r.messages()
		case "system":
			r.system()
		case "max_tokens":
			r.limit()
		case "stream":
			r.x.Head.Stream = r.boolean("stream") && !r.count
		case "temperature":
			r.number("temperature", 0, 1)
		case "top_p":
			r.number("top_p", 0, 1)
		case "top_k":
			r.integer("top_k", 0)
		case "stop_sequences":
			r.stop()
		case "metadata":
			r.metadata()
		case "tools":
			r.tools()
		case "tool_choice", "thinking":
			r.object(string(key))
		case "output_config":
			r.output()
		case "output_format": // of the beta that output_config came from
			r.format("output_format")
		case "mcp_servers", "container":
			r.never(string(key))
		default:
			leaves(r.s, r.doc, key, r)
		}
	}
	r.s.End()
	switch {
	case r.s.Err() != nil || r.err != nil:
		return r.err
	case !r.seen.model:
		return missing("model")
	case !r.seen.messages:
		return missing("messages")
	}
	return nil
}

// leaf makes a segment of a string in a field that is not known.
func (r *request) leaf(name []byte, at splice.Span) { r.add(field(name), at, false) }

func (r *request) add(name string, at splice.Span, joined bool) {
	r.x.Request.Segments = append(r.x.Request.Segments, core.Segment{
		Role: r.at.role, Kind: r.at.kind, Depth: 1, Joined: joined, Message: r.at.message, Part: r.at.part, Field: name, Span: at,
	})
}
