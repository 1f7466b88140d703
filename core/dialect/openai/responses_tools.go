package openai

import (
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/hosted"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// Types of tools.
const (
	toolFunction  = "function"
	toolCustom    = "custom"
	toolNamespace = "namespace"
	toolSearch    = "tool_search"
	toolShell     = "shell"
)

// maxRepeated limits the bytes of a request that are copied to each tool of a namespace: its name, and its description for
// other dialects. Otherwise a body would grow with the square of its size.
const maxRepeated = 4 << 20

// readTools reads the tools of the request or of item i. It rejects tools that the
// provider runs; Responses providers judge other unknown types.
func (r *responsesRequest) readTools(param string, i int32) {
	switch r.S.Kind() {
	case splice.Null:
		r.S.Null()
		return
	case splice.Array:
	default:
		r.RejectType(param, "an array")
		return
	}
	r.S.Enter()
	for n := int32(0); r.S.Next(); n++ {
		if r.S.Kind() != splice.Object {
			r.RejectType(param, "an array of objects")
			continue
		}
		r.readTool(param+"["+strconv.Itoa(int(n))+"]", i, n)
	}
}

func (r *responsesRequest) readTool(param string, i, n int32) {
	from, start, first := len(r.X.Head.Tools), r.S.Pos(), r.CountHosted()
	var typ, name, environment, execution string
	named := false
	r.S.Enter()
	for r.S.Next() {
		switch key := string(r.S.Key()); key {
		case "type":
			typ = r.ReadText(param + "." + key)
		case "name":
			name = r.ReadName(param + "." + key)
			named = true
		case "tools":
			r.readNamespaceTools(param+"."+key, i)
		case "execution":
			execution = r.ReadText(param + "." + key)
		case "environment":
			environment = r.readEnvironment(param+"."+key, i, n)
		default:
			r.readUnknownItem(key, core.RoleSystem, core.KindDefinition, i, n)
		}
	}
	if r.S.Err() != nil {
		return
	}
	switch {
	case typ == "":
		r.Fail(scan.NewMissing(param + ".type"))
	case isProviderRun(typ), typ == toolShell && strings.HasPrefix(environment, "container"), typ == toolSearch && execution != "client":
		if r.RejectHosted(hosted.Tool{
			Type: strings.Clone(typ), Name: strings.Clone(name), Span: splice.Span{Start: start, End: r.S.Pos()},
		}, scan.NewUnsupportedError(param+".type", "tools of type "+strconv.Quote(typ)+
			" run at the provider and are not supported; use tools that you run yourself, or set `hosted_tools`")) {
			r.X.Head.Tools = append(r.X.Head.Tools, strings.Clone(typ))
		}
	case typ == toolNamespace:
		if from == len(r.X.Head.Tools) { // nothing of the namespace is left without them
			r.WidenHosted(first, splice.Span{Start: start, End: r.S.Pos()})
		}
		if r.repeated += (len(name) + len("__")) * (len(r.X.Head.Tools) - from); r.repeated > maxRepeated {
			r.Fail(scan.NewInvalid(param+".name", "the names of tools with those of their namespaces are longer than "+
				strconv.Itoa(maxRepeated)+" bytes together; shorten the names of namespaces"))
			return
		}
		for k := from; k < len(r.X.Head.Tools); k++ {
			r.X.Head.Tools[k] = name + "__" + r.X.Head.Tools[k]
		}
	case named:
		r.X.Head.Tools = append(r.X.Head.Tools, name)
	case typ == toolFunction || typ == toolCustom:
		r.Fail(scan.NewMissing(param + ".name"))
	default:
		r.X.Head.Tools = append(r.X.Head.Tools, strings.Clone(typ))
	}
}

// readNamespaceTools reads the tools of a namespace. They hold no others: names and paths would grow with each level.
func (r *responsesRequest) readNamespaceTools(param string, i int32) {
	if r.nested && r.S.Kind() != splice.Null {
		r.Fail(scan.NewInvalid(param, "tools can contain tools on one level only"))
		r.S.Skip()
		return
	}
	outer := r.nested
	r.nested = true
	r.readTools(param, i)
	r.nested = outer
}

// readEnvironment returns the type of the environment in which a shell tool runs.
func (r *responsesRequest) readEnvironment(param string, i, n int32) (typ string) {
	r.visitMembers(param, func(key string) {
		if key == "type" {
			typ = r.ReadText(param + "." + key)
			return
		}
		r.readUnknownItem(key, core.RoleSystem, core.KindDefinition, i, n)
	})
	return typ
}
