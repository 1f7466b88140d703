package openai

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// tools reads the tools on offer: functions and custom tools. A tool of any
// other type is refused, never dropped.
func (r *request) tools() {
	switch r.s.Kind() {
	case splice.Null:
		r.s.Null()
		return
	case splice.Array:
	default:
		r.wrongType("tools", "an array")
		return
	}
	r.s.Enter()
	for n := int32(0); r.s.Next(); n++ {
		if r.s.Kind() != splice.Object {
			r.wrongType("tools", "an array of objects")
			continue
		}
		r.tool(n)
	}
}

func (r *request) tool(n int32) {
	typed := false
	r.s.Enter()
	for r.s.Next() {
		switch key := r.s.Key(); string(key) {
		case "type":
			typed = true
			switch t := r.text("tools.type"); {
			case t == "custom":
				r.x.Head.Custom = true
			case t != "function" && r.s.Err() == nil:
				r.fail(unsupported("tools", `a tool's type must be "function" or "custom"`))
			}
		case "function", "custom":
			r.definition(n, string(key))
		default:
			r.unknown(view(key), core.RoleSystem, core.KindDefinition, -1, n)
		}
	}
	if !typed {
		r.fail(missing("tools.type"))
	}
}

// definition reads a tool's name and the texts that describe it.
func (r *request) definition(n int32, kind string) {
	if r.s.Kind() != splice.Object {
		r.wrongType("tools."+kind, "an object")
		return
	}
	r.s.Enter()
	for r.s.Next() {
		key := r.s.Key()
		if string(key) == "strict" {
			r.strict("tools." + kind + ".strict")
			continue
		}
		if string(key) != "name" {
			r.unknown(view(key), core.RoleSystem, core.KindDefinition, -1, n)
			continue
		}
		if r.s.Kind() != splice.String {
			r.wrongType("tools."+kind+".name", "a string")
			continue
		}
		r.x.Head.Tools = append(r.x.Head.Tools, str(r.s, r.doc))
	}
}
