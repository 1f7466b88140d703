package openai

import (
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
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

func itemPath(i int32, name string) string {
	p := "input[" + strconv.Itoa(int(i)) + "]"
	if name != "" {
		p += "." + name
	}
	return p
}

// items reads the input: a text, or the items of a conversation.
func (r *responsesRequest) items() {
	r.input = true
	switch r.s.Kind() {
	case splice.String:
		from := len(r.x.Request.Segments)
		r.segment(0, -1, "input", core.KindText, false, false)
		r.speak(from, core.RoleUser)
		r.x.Head.Messages = 1
		return
	case splice.Array:
	default:
		r.wrongType("input", "a string or an array of items")
		return
	}
	r.s.Enter()
	for i := int32(0); r.s.Next(); i++ {
		if r.s.Kind() != splice.Object {
			r.wrongType(itemPath(i, ""), "an object")
			continue
		}
		r.item(i)
		r.x.Head.Messages++
	}
	if r.x.Head.Messages == 0 {
		r.fail(bad("input", `"input" must hold at least one item`))
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
	from := len(r.x.Request.Segments)
	var it item
	r.s.Enter()
	for r.s.Next() {
		key := r.s.Key()
		it.look(string(key), r.s.Kind())
		switch string(key) {
		case "type":
			it.typ = r.word(i, "type")
		case "role":
			it.role = r.word(i, "role")
		case "id":
			it.id = r.word(i, "id")
		case "name", "namespace", "call_id", "status", "execution", "phase":
			r.word(i, view(key))
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
			r.tools(itemPath(i, "tools"), i)
		case "encrypted_content":
			r.s.Skip()
		default:
			r.other(string(key), 0, core.KindOther, i, -1)
		}
	}
	if r.s.Err() == nil {
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
			r.fail(bad(itemPath(i, it.odd), "invalid type for "+strconv.Quote(itemPath(i, it.odd))+": expected text"))
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
			r.fail(missing(itemPath(i, "type")))
		}
	case itemReasoning:
		for k := from; k < len(r.x.Request.Segments); k++ {
			r.x.Request.Segments[k].Kind = core.KindReasoning
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
		r.fail(missing(itemPath(i, "role")))
	case !ok:
		r.fail(bad(itemPath(i, "role"), "unknown role; use system, developer, user or assistant"))
	case !it.content && role != core.RoleAssistant:
		r.fail(missing(itemPath(i, "content")))
	}
	return role
}

// arguments are JSON text in a string, or JSON itself in a search for tools.
func (r *responsesRequest) arguments(i int32) {
	if r.s.Kind() == splice.String {
		r.segment(i, -1, "arguments", core.KindToolArgs, true, false)
		return
	}
	r.other("arguments", 0, core.KindToolArgs, i, -1)
}
