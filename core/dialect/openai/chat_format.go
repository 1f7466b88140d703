package openai

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// responseFormat reads how the answer is to look. Types that are not known are
// the provider's to judge.
func (r *request) responseFormat() {
	switch r.s.Kind() {
	case splice.Null:
		r.s.Null()
		return
	case splice.Object:
	default:
		r.wrongType("response_format", "an object")
		return
	}
	r.s.Enter()
	for r.s.Next() {
		switch key := r.s.Key(); string(key) {
		case "type":
			switch r.text("response_format.type") {
			case "json_object":
				r.x.Head.Format = core.FormatJSON
			case "json_schema":
				r.x.Head.Format = core.FormatSchema
			}
		case "json_schema":
			r.jsonSchema()
		default:
			r.unknown(view(key), core.RoleSystem, core.KindDefinition, -1, -1)
		}
	}
}

func (r *request) jsonSchema() {
	if r.s.Kind() != splice.Object {
		r.unknown("json_schema", core.RoleSystem, core.KindDefinition, -1, -1)
		return
	}
	r.s.Enter()
	for r.s.Next() {
		if key := r.s.Key(); string(key) == "strict" {
			r.x.Head.Strict = r.strict("response_format.json_schema.strict")
		} else {
			r.unknown(view(key), core.RoleSystem, core.KindDefinition, -1, -1)
		}
	}
}

// strict reads the switch of a schema, and marks it where it is on.
func (r *request) strict(param string) bool {
	r.s.Kind()
	at := r.s.Pos()
	on := r.boolean(param)
	if on {
		r.x.Request.Marks = append(r.x.Request.Marks, splice.Span{Start: at, End: r.s.Pos()})
	}
	return on
}
