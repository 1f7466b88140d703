package openai

import (
	"bytes"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

func (r *request) readToolChoice() {
	switch r.S.Kind() {
	case splice.String, splice.Null:
		r.ReadText("tool_choice")
	case splice.Object:
		r.readUnknownMember("tool_choice", core.RoleSystem, core.KindOther, -1, -1)
	default:
		r.RejectType("tool_choice", "a string or an object")
	}
}

// readSeed reads an integer of any size. The provider judges its range.
func (r *request) readSeed() {
	if r.S.Kind() != splice.Number {
		r.ReadInteger("seed", -1<<63)
		return
	}
	at := r.S.Number()
	if r.S.Err() != nil {
		return
	}
	raw := r.Doc[at.Start:at.End]
	if _, ok := splice.ParseInteger(raw); !ok && bytes.ContainsAny(raw, ".eE") {
		r.Fail(scan.NewInvalid("seed", `"seed" must be an integer`))
	}
}

// readStop reads the stop sequences as texts: the model answers with placeholders, so
// values that are redacted in the prompt must be redacted here too.
func (r *request) readStop() {
	switch r.S.Kind() {
	case splice.Null, splice.String:
		r.readUnknownMember("stop", core.RoleSystem, core.KindOther, -1, -1)
	case splice.Array:
		r.S.Enter()
		for n := int32(0); r.S.Next(); n++ {
			if r.S.Kind() != splice.String {
				r.RejectType("stop", "a string or an array of strings")
				continue
			}
			r.readUnknownMember("stop", core.RoleSystem, core.KindOther, -1, n)
		}
	default:
		r.RejectType("stop", "a string or an array of strings")
	}
}
