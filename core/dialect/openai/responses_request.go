package openai

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// Scan validates a Responses request and finds its texts. It rejects what no route
// accepts: tools that the provider runs, state at the provider, sound.
func (Responses) Scan(x *core.Exchange) *core.Error {
	r := responsesRequest{request: request{Request: scan.NewRequest(x, responsesMarks)}}
	n := scan.FindNotes[responsesNotes](x)
	n.leaves, n.live = 0, false
	return r.ChooseError(r.readBody())
}

// responsesRequest is the state of one scan.
type responsesRequest struct {
	request
	input    bool
	live     bool // of the Realtime API, whose messages may be sound
	nested   bool // the tools being read are those of another tool
	repeated int  // bytes of namespaces in the names of their tools
}

func (r *responsesRequest) readBody() *core.Error {
	if e := r.Enter(); e != nil {
		return e
	}
	r.MarkFrom(markOpen, r.S.Pos())
	for r.S.Next() {
		start := r.S.Pos()
		r.readMember(string(r.S.Key()), start)
	}
	r.S.End()
	switch {
	case r.S.Err() != nil || r.Err != nil:
		return r.Err
	case !r.seen.model:
		return scan.NewMissing("model")
	case !r.input:
		return scan.NewMissing("input")
	}
	return nil
}

func (r *responsesRequest) readMember(key string, start int) {
	switch key {
	case "model":
		r.readModel()
	case "input":
		r.readItems()
	case "instructions":
		r.readInstructions()
	case "stream":
		r.X.Head.Stream = r.ReadBool(key)
	case "max_output_tokens":
		r.X.Head.MaxTokens = r.readLimit(key, start, markLimit)
	case "temperature":
		r.ReadBoundedNumber(key, 0, 2)
	case "top_p":
		r.ReadBoundedNumber(key, 0, 1)
	case "top_logprobs":
		r.ReadBoundedNumber(key, 0, 20)
	case "max_tool_calls":
		r.ReadInteger(key, 1)
	case "user":
		r.X.Head.User = r.ReadUser(key)
	case "safety_identifier":
		if id := r.ReadUser(key); r.X.Head.User == "" {
			r.X.Head.User = id
		}
	case "parallel_tool_calls":
		r.ReadBool(key)
	case "tools":
		r.readTools(key, -1)
	case "tool_choice":
		r.readChoice()
	case "text":
		r.readTextOptions()
	case "reasoning":
		r.readReasoning()
	case "store", "background":
		r.rejectTrue(key)
	case "previous_response_id", "conversation", "prompt":
		r.rejectValue(key)
	case "service_tier":
		r.readServiceTier()
	default:
		r.S.Kind()
		from := r.S.Pos()
		r.readUnknownItem(key, core.RoleSystem, core.KindOther, -1, -1)
		if scan.IsHostedMember(key) {
			r.RejectHostedMember(key, start, from)
		}
	}
}

func (r *responsesRequest) readUnknownItem(name string, role core.Role, kind core.SegmentKind, message, part int32) {
	r.AddLeaves(&responsesLeaves, name, scan.Place{Role: role, Kind: kind, Message: message, Part: part})
}

// readInstructions reads the system text of this request.
func (r *responsesRequest) readInstructions() {
	switch r.S.Kind() {
	case splice.Null:
		r.S.Null()
	case splice.String:
		from := len(r.X.Request.Segments)
		r.addSegment(-1, -1, "instructions", core.KindText, false, false)
		r.setRole(from, core.RoleSystem)
	default:
		r.RejectType("instructions", "a string")
	}
}

// setRole sets the role of the segments from the index from on.
func (r *responsesRequest) setRole(from int, role core.Role) {
	for k := from; k < len(r.X.Request.Segments); k++ {
		r.X.Request.Segments[k].Role = role
	}
}

func (r *responsesRequest) readChoice() {
	switch r.S.Kind() {
	case splice.String, splice.Null:
		r.ReadText("tool_choice")
	case splice.Object:
		r.readUnknownItem("tool_choice", core.RoleSystem, core.KindOther, -1, -1)
	default:
		r.RejectType("tool_choice", "a string or an object")
	}
}

// visitMembers calls f for each member of an object. Null has none.
func (r *responsesRequest) visitMembers(param string, f func(key string)) {
	switch r.S.Kind() {
	case splice.Null:
		r.S.Null()
	case splice.Object:
		r.S.Enter()
		for r.S.Next() {
			f(string(r.S.Key()))
		}
	default:
		r.RejectType(param, "an object")
	}
}

func (r *responsesRequest) readTextOptions() {
	r.visitMembers("text", func(key string) {
		switch key {
		case "format":
			r.readFormat()
		case "verbosity":
			r.ReadName("text.verbosity")
		default:
			r.readUnknownItem(key, core.RoleSystem, core.KindOther, -1, -1)
		}
	})
}

func (r *responsesRequest) readFormat() {
	r.visitMembers("text.format", func(key string) {
		switch key {
		case "type":
			switch t := r.ReadText("text.format.type"); t {
			case "json_object":
				r.X.Head.Format = llm.FormatJSON
			case "json_schema":
				r.X.Head.Format = llm.FormatSchema
			case "", "text":
			default:
				r.Fail(scan.NewInvalid("text.format.type", strconv.Quote(scan.ShortenName(t))+` is not a format; use "text", "json_object" or "json_schema"`))
			}
		default:
			r.readUnknownItem(key, core.RoleSystem, core.KindDefinition, -1, -1)
		}
	})
}

func (r *responsesRequest) readReasoning() {
	r.visitMembers("reasoning", func(key string) {
		if key == "effort" {
			r.X.Head.Effort = r.ReadName("reasoning.effort")
			return
		}
		r.readUnknownItem(key, core.RoleSystem, core.KindOther, -1, -1)
	})
}
