package openai

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// responseFormat reads how the answer is to look. Types that are not known are
// the provider's to judge.
func (r *request) responseFormat() {
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
				r.X.Head.Format = core.FormatJSON
			case "json_schema":
				r.X.Head.Format = core.FormatSchema
			}
		case "json_schema":
			r.jsonSchema()
		default:
			r.unknown(scan.View(key), core.RoleSystem, core.KindDefinition, -1, -1)
		}
	}
}

func (r *request) jsonSchema() {
	if r.S.Kind() != splice.Object {
		r.unknown("json_schema", core.RoleSystem, core.KindDefinition, -1, -1)
		return
	}
	r.S.Enter()
	for r.S.Next() {
		if key := r.S.Key(); string(key) == "strict" {
			r.X.Head.Strict = r.strict("response_format.json_schema.strict")
		} else {
			r.unknown(scan.View(key), core.RoleSystem, core.KindDefinition, -1, -1)
		}
	}
}

// strict reads the switch of a schema, and marks it where it is on.
func (r *request) strict(param string) bool {
	r.S.Kind()
	at := r.S.Pos()
	on := r.ReadBool(param)
	if on {
		r.X.Request.Marks = append(r.X.Request.Marks, splice.Span{Start: at, End: r.S.Pos()})
	}
	return on
}
