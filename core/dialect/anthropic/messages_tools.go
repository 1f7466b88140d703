package anthropic

import (
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// clientTools are the tools with a schema of Anthropic's own that the caller runs.
// Their types end in a date. All others run at the provider, also those yet to
// come, and are refused.
var clientTools = []string{"bash_", "text_editor_", "computer_", "memory_"}

// clientRun reports whether the caller runs the tools of a type.
func clientRun(typ string) bool {
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
	r.at.kind = core.KindDefinition
	r.s.Enter()
	for r.at.part = 0; r.s.Next(); r.at.part++ {
		if r.s.Kind() != splice.Object {
			r.wrongType("tools", "an array of objects")
			continue
		}
		r.tool()
	}
}

// tool reads one tool. A tool that runs at the provider is refused, never dropped.
func (r *request) tool() {
	named := false
	r.s.Enter()
	for r.s.Next() {
		switch key := r.s.Key(); string(key) {
		case "type":
			if typ := r.text("tools.type"); !clientRun(typ) && r.s.Err() == nil {
				r.fail(unsupported("tools", "tools of the type "+strconv.Quote(field([]byte(typ)))+" run at the provider, out of the gateway's sight, and are not supported; offer tools that the caller runs"))
				named = true
			}
		case "name":
			if r.s.Kind() != splice.String {
				r.wrongType("tools.name", "a string")
				continue
			}
			named = true
			r.x.Head.Tools = append(r.x.Head.Tools, strings.Clone(str(r.s, r.doc)))
		default:
			leaves(r.s, r.doc, key, r)
		}
	}
	if !named {
		r.fail(missing("tools.name"))
	}
}
