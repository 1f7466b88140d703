package openai

import (
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/hosted"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// readTools reads the tools: functions, custom tools, and those that run at the provider.
func (r *request) readTools() {
	switch r.S.Kind() {
	case splice.Null:
		r.S.Null()
		return
	case splice.Array:
	default:
		r.RejectType("tools", "an array")
		return
	}
	r.S.Enter()
	for n := int32(0); r.S.Next(); n++ {
		if r.S.Kind() != splice.Object {
			r.RejectType("tools", "an array of objects")
			continue
		}
		r.readTool(n)
	}
}

// readTool reads a tool. Types other than "function" and "custom" run at the provider: web searches, interpreters.
func (r *request) readTool(n int32) {
	typed, start, typ := false, r.S.Pos(), ""
	r.S.Enter()
	for r.S.Next() {
		switch key := r.S.Key(); string(key) {
		case "type":
			typed = true
			if typ = strings.Clone(r.ReadText("tools.type")); typ == toolCustom {
				r.X.Head.HasCustomTools = true
			}
		case "function", "custom":
			r.readDefinition(n, string(key))
		default:
			r.readUnknownMember(zerocopy.String(key), core.RoleSystem, core.KindDefinition, -1, n)
		}
	}
	switch {
	case r.S.Err() != nil:
	case !typed:
		r.Fail(scan.NewMissing("tools.type"))
	case typ != toolFunction && typ != toolCustom:
		if r.RejectHosted(hosted.Tool{Type: typ, Span: splice.Span{Start: start, End: r.S.Pos()}},
			scan.NewUnsupportedError("tools", `a tool's type must be "function" or "custom": others run at the provider; leave them out, or set `+"`hosted_tools`")) {
			r.X.Head.Tools = append(r.X.Head.Tools, typ) // for policies
		}
	}
}

// readDefinition reads the name of a tool and the texts that describe it.
func (r *request) readDefinition(n int32, kind string) {
	if r.S.Kind() != splice.Object {
		r.RejectType("tools."+kind, "an object")
		return
	}
	r.S.Enter()
	for r.S.Next() {
		key := r.S.Key()
		if string(key) == "strict" {
			r.readStrict("tools." + kind + ".strict")
			continue
		}
		if string(key) != "name" {
			r.readUnknownMember(zerocopy.String(key), core.RoleSystem, core.KindDefinition, -1, n)
			continue
		}
		if r.S.Kind() != splice.String {
			r.RejectType("tools."+kind+".name", "a string")
			continue
		}
		r.X.Head.Tools = append(r.X.Head.Tools, strings.Clone(r.ReadPlain("name")))
	}
}
