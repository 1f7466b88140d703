package openai

import (
	"bytes"
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

func (r *request) boolean(param string) bool {
	switch r.s.Kind() {
	case splice.True, splice.False:
		return r.s.Bool()
	case splice.Null:
		r.s.Null()
	default:
		r.wrongType(param, "a boolean")
	}
	return false
}

func (r *request) text(param string) string {
	switch r.s.Kind() {
	case splice.String:
		return str(r.s, r.doc)
	case splice.Null:
		r.s.Null()
	default:
		r.wrongType(param, "a string")
	}
	return ""
}

// maxName bounds names that go into records.
const maxName = 512

func (r *request) name(param string) string {
	s := r.text(param)
	if len(s) > maxName {
		r.fail(bad(param, strconv.Quote(param)+" is longer than "+strconv.Itoa(maxName)+" bytes"))
		return ""
	}
	return s
}

func (r *request) toolChoice() {
	switch r.s.Kind() {
	case splice.String, splice.Null:
		r.s.Skip()
	case splice.Object:
		r.unknown("tool_choice", core.RoleSystem, core.KindOther, -1, -1)
	default:
		r.wrongType("tool_choice", "a string or an object")
	}
}

// seed reads an integer of any size: it is the provider's to judge.
func (r *request) seed() {
	if r.s.Kind() != splice.Number {
		r.integer("seed", -1<<63)
		return
	}
	at := r.s.Number()
	if r.s.Err() != nil {
		return
	}
	raw := r.doc[at.Start:at.End]
	if _, ok := splice.Integer(raw); !ok && bytes.ContainsAny(raw, ".eE") {
		r.fail(bad("seed", `"seed" must be an integer`))
	}
}

func (r *request) number(param string, lo, hi float64) {
	switch r.s.Kind() {
	case splice.Null:
		r.s.Null()
	case splice.Number:
		at := r.s.Number()
		if r.s.Err() != nil {
			return
		}
		if e := core.OutOfRange(param, r.doc[at.Start:at.End], lo, hi); e != nil {
			r.fail(e)
		}
	default:
		r.wrongType(param, "a number")
	}
}

func (r *request) integer(param string, least int64) int64 {
	switch r.s.Kind() {
	case splice.Null:
		r.s.Null()
		return 0
	case splice.Number:
	default:
		r.wrongType(param, "an integer")
		return 0
	}
	at := r.s.Number()
	if r.s.Err() != nil {
		return 0
	}
	v, e := core.Integer(param, r.doc[at.Start:at.End], least)
	if e != nil {
		r.fail(e)
	}
	return v
}

// stop reads the texts that end an answer. The model answers with placeholders,
// so what is redacted in its prompt is redacted here.
func (r *request) stop() {
	switch r.s.Kind() {
	case splice.Null, splice.String:
		r.unknown("stop", core.RoleSystem, core.KindOther, -1, -1)
	case splice.Array:
		r.s.Enter()
		for n := int32(0); r.s.Next(); n++ {
			if r.s.Kind() != splice.String {
				r.wrongType("stop", "a string or an array of strings")
				continue
			}
			r.unknown("stop", core.RoleSystem, core.KindOther, -1, n)
		}
	default:
		r.wrongType("stop", "a string or an array of strings")
	}
}
