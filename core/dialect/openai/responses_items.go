package openai

import (
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
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

// speakers maps the roles of messages. A developer message is a system message.
var speakers = map[string]core.Role{
	"system": core.RoleSystem, "developer": core.RoleSystem, "user": core.RoleUser, "assistant": core.RoleAssistant,
}

// readItems reads the input: a string, or the items of a conversation.
func (r *responsesRequest) readItems() {
	r.input = true
	switch r.S.Kind() {
	case splice.String:
		from := len(r.X.Request.Segments)
		r.addSegment(0, -1, "input", core.KindText, false, false)
		r.setRole(from, core.RoleUser)
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
			r.RejectType(scan.FormatPath("input", i, ""), "an object")
			continue
		}
		r.readItem(i)
		r.X.Head.Messages++
	}
	if r.X.Head.Messages == 0 && !r.live {
		r.Fail(scan.NewInvalid("input", `"input" must hold at least one item`))
	}
}

// item is what the scan of an item has found.
type item struct {
	typ, role, id string
	content       bool
	odd           string // a member that is neither text nor parts
}

// readItem reads one item. Its type can follow its texts, so segments get their role at
// the end.
func (r *responsesRequest) readItem(i int32) {
	from := len(r.X.Request.Segments)
	var it item
	r.Place = scan.Place{Message: i, Part: -1}
	r.S.Enter()
	for r.S.Next() {
		key := r.S.Key()
		it.checkMember(string(key), r.S.Kind())
		switch string(key) {
		case "type":
			it.typ = r.readWord(i, "type")
		case "role":
			it.role = r.readWord(i, "role")
		case "id":
			it.id = r.readWord(i, "id")
		case "name", "namespace", "call_id", "status", "execution", "phase":
			r.readWord(i, zerocopy.String(key))
		case "content":
			it.content = r.readTexts(i, "content", core.KindText) || it.content
		case "summary":
			r.readTexts(i, "summary", core.KindText)
		case "output":
			r.readTexts(i, "output", core.KindToolResult)
		case "input":
			r.readTexts(i, "input", core.KindToolArgs)
		case "arguments":
			r.readArguments(i)
		case "tools":
			r.readTools(scan.FormatPath("input", i, "tools"), i)
		case "encrypted_content":
			r.readUnknownItem("encrypted_content", 0, core.KindOther, i, -1)
		default:
			r.readUnknownItem(string(key), 0, core.KindOther, i, -1)
		}
	}
	r.Place = scan.Outside
	if r.S.Err() == nil {
		r.applyType(i, it, from)
	}
}

// checkMember notes a member of the wrong type. Items of unknown types can have any.
func (it *item) checkMember(key string, kind splice.Kind) {
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

// applyType gives the texts of an item their roles and kinds.
func (r *responsesRequest) applyType(i int32, it item, from int) {
	role := core.RoleAssistant
	switch it.typ {
	case "", itemMessage, itemCall, itemCustom, itemOutput, itemCustomOutput:
		if it.odd != "" {
			r.Fail(scan.NewInvalid(scan.FormatPath("input", i, it.odd), "invalid type for "+strconv.Quote(scan.FormatPath("input", i,
				it.odd))+": expected text"))
		}
	}
	switch it.typ {
	case itemMessage:
		role = r.findItemRole(i, it)
	case "":
		switch {
		case it.role != "":
			role = r.findItemRole(i, it)
		case it.id == "": // an item_reference needs no type
			r.Fail(scan.NewMissing(scan.FormatPath("input", i, "type")))
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
	r.setRole(from, role)
}

func (r *responsesRequest) findItemRole(i int32, it item) core.Role {
	role, ok := speakers[it.role]
	switch {
	case it.role == "":
		r.Fail(scan.NewMissing(scan.FormatPath("input", i, "role")))
	case !ok:
		r.Fail(scan.NewInvalid(scan.FormatPath("input", i, "role"), "unknown role; use system, developer, user or assistant"))
	case !it.content && role != core.RoleAssistant:
		r.Fail(scan.NewMissing(scan.FormatPath("input", i, "content")))
	}
	return role
}

// readArguments reads arguments: JSON text in a string, or a JSON value for a tool
// search.
func (r *responsesRequest) readArguments(i int32) {
	if r.S.Kind() == splice.String {
		r.addSegment(i, -1, "arguments", core.KindToolArgs, true, false)
		return
	}
	r.readUnknownItem("arguments", 0, core.KindToolArgs, i, -1)
}
