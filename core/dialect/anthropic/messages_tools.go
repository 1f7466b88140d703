package anthropic

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/hosted"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// clientTools are Anthropic's own tool types that the caller runs. They end in a date.
// All other types, future ones too, run at the provider and are rejected.
var clientTools = []string{"bash_", "text_editor_", "computer_", "memory_"}

// isClientRun reports whether the caller runs tools of a type.
func isClientRun(typ string) bool {
	if typ == "" || typ == "custom" {
		return true
	}
	for _, prefix := range clientTools {
		if date, ok := strings.CutPrefix(typ, prefix); ok && strings.Trim(date, "0123456789") == "" {
			return true
		}
	}
	return false
}

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
	r.at.Kind = core.KindDefinition
	r.S.Enter()
	l, known := r.BeginTools()
	for r.at.Part = known; r.S.Next(); r.at.Part++ {
		if r.S.Kind() != splice.Object {
			r.RejectType("tools", "an array of objects")
			continue
		}
		r.NoteTool(&l, r.readTool())
	}
	r.EndTools(&l)
}

// readTool reads one tool and returns where its name stands. It rejects a tool that runs at the provider instead of
// dropping it.
func (r *request) readTool() (name splice.Span) {
	named, start := false, r.S.Pos()
	var tool hosted.Tool
	r.S.Enter()
	for r.S.Next() {
		switch key := r.S.Key(); string(key) {
		case "type":
			if typ := r.ReadText("tools.type"); !isClientRun(typ) {
				tool.Type = strings.Clone(typ)
			}
		case "name":
			if r.S.Kind() != splice.String {
				r.RejectType("tools.name", "a string")
				continue
			}
			named = true
			name.Start = r.S.Pos() + 1
			tool.Name = strings.Clone(r.ReadPlain("name"))
			name.End = max(name.Start, r.S.Pos()-1)
		default:
			r.readUnknown(key)
		}
	}
	switch {
	case tool.Type != "":
		tool.Span = splice.Span{Start: start, End: r.S.Pos()}
		if !r.RejectHosted(tool, scan.NewUnsupportedError("tools",
			"tools of the type "+strconv.Quote(copyFieldName([]byte(tool.Type)))+" run at the provider, where the gateway cannot see them, "+
				"and are not supported; offer tools that the caller runs, or set `hosted_tools`")) {
			return name
		}
		tool.Name = cmp.Or(tool.Name, tool.Type)
	case !named:
		r.Fail(scan.NewMissing("tools.name"))
		return name
	}
	r.X.Head.Tools = append(r.X.Head.Tools, tool.Name)
	return name
}
