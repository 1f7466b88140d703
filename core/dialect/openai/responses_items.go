package openai

import (
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// Types of items.
const (
	itemMessage      = "message"
	itemReasoning    = "reasoning"
	itemCall         = "function_call"
	itemOutput       = "function_call_output"
	itemCustom       = "custom_tool_call"
	itemCustomOutput = "custom_tool_call_output"
	itemSearch       = "tool_search_call"
	itemSearchOutput = "tool_search_output"
	itemTools        = "additional_tools"
	itemReference    = "item_reference"
)

// speakers are the roles of messages. A developer's message is a system message.
var speakers = map[string]core.Role{
	"system": core.RoleSystem, "developer": core.RoleSystem, "user": core.RoleUser, "assistant": core.RoleAssistant,
}

// items reads the input: a text, or the items of a conversation.
func (r *responsesRequest) items() {
	r.input = true
	switch r.S.Kind() {
	case splice.String:
		from := len(r.X.Request.Segments)
		r.segment(0, -1, "input", core.KindText, false, false)
		r.speak(from, core.RoleUser)
		r.X.Head.Messages = 1
		return
	case splice.Array:
	default:
		r.RejectType("input", "a string or an array of items")
		return
	}
	r.S.Enter()
	for i := int32(0); r.S.Next(); i++ {
		if r.S.Kind() != splice.Object {
			r.RejectType(scan.Path("input", i, ""), "an object")
			continue
		}
		r.item(i)
		r.X.Head.Messages++
	}
	if r.X.Head.Messages == 0 {
		r.Fail(scan.Invalid("input", `"input" must hold at least one item`))
	}
}

// item is what the scan of one item finds out.
type item struct {
	typ, role, id string
	content       bool
	odd           string // a member that is neither text nor parts
}

// item reads one item. Its type may come after its texts, so segments get their
// role at the end.
func (r *responsesRequest) item(i int32) {
	from := len(r.X.Request.Segments)
	var it item
	r.S.Enter()
	for r.S.Next() {
		key := r.S.Key()
		it.look(string(key), r.S.Kind())
		switch string(key) {
		case "type":
			it.typ = r.word(i, "type")
		case "role":
			it.role = r.word(i, "role")
		case "id":
			it.id = r.word(i, "id")
		case "name", "namespace", "call_id", "status", "execution", "phase":
			r.word(i, scan.View(key))
		case "content":
			it.content = r.texts(i, "content", core.KindText) || it.content
		case "summary":
			r.texts(i, "summary", core.KindText)
		case "output":
			r.texts(i, "output", core.KindToolResult)
		case "input":
			r.texts(i, "input", core.KindToolArgs)
		case "arguments":
			r.arguments(i)
		case "tools":
			r.tools(scan.Path("input", i, "tools"), i)
		case "encrypted_content":
			r.S.Skip()
		default:
			r.other(string(key), 0, core.KindOther, i, -1)
		}
	}
	if r.S.Err() == nil {
		r.settle(i, it, from)
	}
}

// look notes a member that should be text, or parts, and is not. Items of unknown
// types may have such.
func (it *item) look(key string, kind splice.Kind) {
	switch key {
	case "content", "output":
		if kind == splice.String || kind == splice.Array || kind == splice.Null {
			return
		}
	case "input", "arguments":
		if kind == splice.String || kind == splice.Null {
			return
		}
	default:
		return
	}
	it.odd = strings.Clone(key)
}

// settle gives the texts of an item their roles and kinds.
func (r *responsesRequest) settle(i int32, it item, from int) {
	role := core.RoleAssistant
	switch it.typ {
	case "", itemMessage, itemCall, itemCustom, itemOutput, itemCustomOutput:
		if it.odd != "" {
			r.Fail(scan.Invalid(scan.Path("input", i, it.odd), "invalid type for "+strconv.Quote(scan.Path("input", i, it.odd))+": expected text"))
		}
	}
	switch it.typ {
	case itemMessage:
		role = r.speaker(i, it)
	case "":
		switch {
		case it.role != "":
			role = r.speaker(i, it)
		case it.id == "": // an item_reference needs no type
			r.Fail(scan.Missing(scan.Path("input", i, "type")))
		}
	case itemReasoning:
		for k := from; k < len(r.X.Request.Segments); k++ {
			r.X.Request.Segments[k].Kind = core.KindReasoning
		}
	case itemOutput, itemCustomOutput:
		role = core.RoleTool
	case itemSearchOutput, itemTools:
		role = core.RoleSystem
	}
	r.speak(from, role)
}

func (r *responsesRequest) speaker(i int32, it item) core.Role {
	role, ok := speakers[it.role]
	switch {
	case it.role == "":
		r.Fail(scan.Missing(scan.Path("input", i, "role")))
	case !ok:
		r.Fail(scan.Invalid(scan.Path("input", i, "role"), "unknown role; use system, developer, user or assistant"))
	case !it.content && role != core.RoleAssistant:
		r.Fail(scan.Missing(scan.Path("input", i, "content")))
	}
	return role
}

// arguments are JSON text in a string, or JSON itself in a search for tools.
func (r *responsesRequest) arguments(i int32) {
	if r.S.Kind() == splice.String {
		r.segment(i, -1, "arguments", core.KindToolArgs, true, false)
		return
	}
	r.other("arguments", 0, core.KindToolArgs, i, -1)
}
