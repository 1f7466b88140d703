package openai

import (
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// Types of tools that are understood.
const (
	toolFunction  = "function"
	toolCustom    = "custom"
	toolNamespace = "namespace"
	toolSearch    = "tool_search"
	toolShell     = "shell"
)

// tools reads tools on offer: in the request, or in item i. One that the provider
// runs is refused; other unknown types are left to providers of this shape.
func (r *responsesRequest) tools(param string, i int32) {
	switch r.s.Kind() {
	case splice.Null:
		r.s.Null()
		return
	case splice.Array:
	default:
		r.wrongType(param, "an array")
		return
	}
	r.s.Enter()
	for n := int32(0); r.s.Next(); n++ {
		if r.s.Kind() != splice.Object {
			r.wrongType(param, "an array of objects")
			continue
		}
		r.tool(param+"["+strconv.Itoa(int(n))+"]", i, n)
	}
}

func (r *responsesRequest) tool(param string, i, n int32) {
	from := len(r.x.Head.Tools)
	var typ, name, environment string
	named := false
	r.s.Enter()
	for r.s.Next() {
		switch key := string(r.s.Key()); key {
		case "type":
			typ = r.text(param + "." + key)
		case "name":
			name = r.name(param + "." + key)
			named = true
		case "tools":
			r.tools(param+"."+key, i)
		case "environment":
			environment = r.environment(param+"."+key, i, n)
		default:
			r.other(key, core.RoleSystem, core.KindDefinition, i, n)
		}
	}
	if r.s.Err() != nil {
		return
	}
	switch {
	case typ == "":
		r.fail(missing(param + ".type"))
	case providerRun(typ) || typ == toolShell && strings.HasPrefix(environment, "container"):
		r.fail(unsupported(param+".type", "tools of type "+strconv.Quote(typ)+" run at the provider and are not supported; use tools that you run yourself"))
	case typ == toolNamespace:
		for k := from; k < len(r.x.Head.Tools); k++ {
			r.x.Head.Tools[k] = name + "__" + r.x.Head.Tools[k]
		}
	case named:
		r.x.Head.Tools = append(r.x.Head.Tools, name)
	case typ == toolFunction || typ == toolCustom:
		r.fail(missing(param + ".name"))
	default:
		r.x.Head.Tools = append(r.x.Head.Tools, typ)
	}
}

// environment gives the type of the place where a shell tool runs.
func (r *responsesRequest) environment(param string, i, n int32) (typ string) {
	r.fields(param, func(key string) {
		if key == "type" {
			typ = r.text(param + "." + key)
			return
		}
		r.other(key, core.RoleSystem, core.KindDefinition, i, n)
	})
	return typ
}
