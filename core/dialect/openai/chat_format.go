package openai

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/llm"
)

// readResponseFormat reads the format of the answer. The provider judges unknown types.
func (r *request) readResponseFormat() {
	switch r.S.Kind() {
	case splice.Null:
		r.S.Null()
		return
	case splice.Object:
	default:
		r.RejectType("response_format", "an object")
		return
	}
	r.S.Enter()
	for r.S.Next() {
		switch key := r.S.Key(); string(key) {
		case "type":
			switch r.ReadText("response_format.type") {
			case "json_object":
				r.X.Head.Format = llm.FormatJSON
			case "json_schema":
				r.X.Head.Format = llm.FormatSchema
			}
		case "json_schema":
			r.readJsonSchema()
		default:
			r.readUnknownMember(zerocopy.String(key), core.RoleSystem, core.KindDefinition, -1, -1)
		}
	}
}

func (r *request) readJsonSchema() {
	if r.S.Kind() != splice.Object {
		r.readUnknownMember("json_schema", core.RoleSystem, core.KindDefinition, -1, -1)
		return
	}
	r.S.Enter()
	for r.S.Next() {
		if key := r.S.Key(); string(key) == "strict" {
			r.X.Head.Strict = r.readStrict("response_format.json_schema.strict")
		} else {
			r.readUnknownMember(zerocopy.String(key), core.RoleSystem, core.KindDefinition, -1, -1)
		}
	}
}

// readStrict reads the "strict" flag of a schema and marks it if it is true.
func (r *request) readStrict(param string) bool {
	r.S.Kind()
	at := r.S.Pos()
	on := r.ReadBool(param)
	if on {
		r.X.Request.Marks = append(r.X.Request.Marks, splice.Span{Start: at, End: r.S.Pos()})
	}
	return on
}
