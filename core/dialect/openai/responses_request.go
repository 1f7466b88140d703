package openai

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// Scan checks a Responses request and finds its texts. What the gateway does not
// let through on any route is refused here: tools that the provider runs, state
// that the provider keeps, files.
func (Responses) Scan(x *core.Exchange) *core.Error {
	r := responsesRequest{request: request{x: x, s: &x.Scanner, doc: x.Request.Raw}}
	responsesNotesOf(x).leaves = 0
	x.Request.Marks = append(x.Request.Marks[:0], make([]splice.Span, responsesMarks)...)
	r.s.Reset(r.doc)
	e := r.body()
	if err := r.s.Err(); err != nil {
		return syntax(err)
	}
	return e
}

// responsesRequest is the state of one scan.
type responsesRequest struct {
	request
	input bool
}

func (r *responsesRequest) body() *core.Error {
	if r.s.Kind() != splice.Object {
		r.s.Skip()
		return bad("", "the body must be a JSON object")
	}
	r.s.Enter()
	r.mark(markOpen, splice.Span{Start: r.s.Pos(), End: r.s.Pos()})
	for r.s.Next() {
		start := r.s.Pos()
		r.member(string(r.s.Key()), start)
	}
	r.s.End()
	switch {
	case r.s.Err() != nil || r.err != nil:
		return r.err
	case !r.seen.model:
		return missing("model")
	case !r.input:
		return missing("input")
	}
	return nil
}

func (r *responsesRequest) member(key string, start int) {
	switch key {
	case "model":
		r.model()
	case "input":
		r.items()
	case "instructions":
		r.instructions()
	case "stream":
		r.x.Head.Stream = r.boolean(key)
	case "max_output_tokens":
		r.x.Head.MaxTokens = r.limit(key, start, markLimit)
	case "temperature":
		r.number(key, 0, 2)
	case "top_p":
		r.number(key, 0, 1)
	case "top_logprobs":
		r.number(key, 0, 20)
	case "max_tool_calls":
		r.integer(key, 1)
	case "user":
		r.x.Head.User = r.name(key)
	case "safety_identifier":
		if id := r.name(key); r.x.Head.User == "" {
			r.x.Head.User = id
		}
	case "parallel_tool_calls":
		r.boolean(key)
	case "tools":
		r.tools(key, -1)
	case "tool_choice":
		r.choice()
	case "text":
		r.textOptions()
	case "reasoning":
		r.reasoning()
	case "store", "background":
		r.mustBeFalse(key)
	case "previous_response_id", "conversation", "prompt":
		r.mustBeNull(key)
	case "service_tier":
		r.serviceTier()
	default:
		r.other(key, core.RoleSystem, core.KindOther, -1, -1)
	}
}

func (r *responsesRequest) other(name string, role core.Role, kind core.SegmentKind, message, part int32) {
	others(&r.x.Request, r.s, r.doc, name, place{role, kind, message, part})
}

// instructions are the system's text of this call.
func (r *responsesRequest) instructions() {
	switch r.s.Kind() {
	case splice.Null:
		r.s.Null()
	case splice.String:
		from := len(r.x.Request.Segments)
		r.segment(-1, -1, "instructions", core.KindText, false, false)
		r.speak(from, core.RoleSystem)
	default:
		r.wrongType("instructions", "a string")
	}
}

// speak gives the segments that were found since from their role.
func (r *responsesRequest) speak(from int, role core.Role) {
	for k := from; k < len(r.x.Request.Segments); k++ {
		r.x.Request.Segments[k].Role = role
	}
}

func (r *responsesRequest) choice() {
	switch r.s.Kind() {
	case splice.String, splice.Null:
		r.s.Skip()
	case splice.Object:
		r.other("tool_choice", core.RoleSystem, core.KindOther, -1, -1)
	default:
		r.wrongType("tool_choice", "a string or an object")
	}
}

// fields calls f for each member of an object; null has none.
func (r *responsesRequest) fields(param string, f func(key string)) {
	switch r.s.Kind() {
	case splice.Null:
		r.s.Null()
	case splice.Object:
		r.s.Enter()
		for r.s.Next() {
			f(string(r.s.Key()))
		}
	default:
		r.wrongType(param, "an object")
	}
}

func (r *responsesRequest) textOptions() {
	r.fields("text", func(key string) {
		switch key {
		case "format":
			r.format()
		case "verbosity":
			r.name("text.verbosity")
		default:
			r.other(key, core.RoleSystem, core.KindOther, -1, -1)
		}
	})
}

func (r *responsesRequest) format() {
	r.fields("text.format", func(key string) {
		switch key {
		case "type":
			switch t := r.text("text.format.type"); t {
			case "json_object":
				r.x.Head.Format = core.FormatJSON
			case "json_schema":
				r.x.Head.Format = core.FormatSchema
			case "", "text":
			default:
				r.fail(bad("text.format.type", strconv.Quote(field(t))+` is no format; use "text", "json_object" or "json_schema"`))
			}
		default:
			r.other(key, core.RoleSystem, core.KindDefinition, -1, -1)
		}
	})
}

func (r *responsesRequest) reasoning() {
	r.fields("reasoning", func(key string) {
		if key == "effort" {
			r.x.Head.Effort = r.name("reasoning.effort")
			return
		}
		r.other(key, core.RoleSystem, core.KindOther, -1, -1)
	})
}
