package openai

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// roles maps the roles of messages. Older clients send "function".
var roles = map[string]core.Role{
	"system": core.RoleSystem, "developer": core.RoleSystem, "user": core.RoleUser,
	"assistant": core.RoleAssistant, "tool": core.RoleTool, "function": core.RoleTool,
}

func (r *request) readMessages() {
	r.seen.messages = true
	r.ReadMessages(r.readMessage)
}

// readMessage reads one message. Its role can follow its content, so segments get their
// role at the end.
func (r *request) readMessage(i int32) {
	from := len(r.X.Request.Segments)
	var role core.Role
	content, calls := false, false
	r.Place = scan.Place{Message: i, Part: -1}
	r.S.Enter()
	for r.S.Next() {
		switch key := r.S.Key(); string(key) {
		case "role":
			role = r.readRole(i)
		case "content":
			content = r.readContent(i, "content", core.KindText)
		case "refusal":
			r.readContent(i, "refusal", core.KindRefusal)
		case "reasoning_content", "reasoning":
			r.readContent(i, string(key), core.KindReasoning)
		case "tool_calls":
			calls = r.readToolCalls(i)
		case "function_call":
			calls = r.readFunctionCall(i)
		case "name", "tool_call_id":
			r.ReadIdentifier("messages", i, zerocopy.String(key))
		default:
			r.readUnknownMember(zerocopy.String(key), 0, core.KindOther, i, -1)
		}
	}
	if r.S.Err() != nil {
		return
	}
	r.Place = scan.Outside
	if role == 0 {
		r.Fail(scan.NewMissing(scan.FormatPath("messages", i, "role")))
	}
	if !content && !calls && role != core.RoleAssistant {
		r.Fail(scan.NewMissing(scan.FormatPath("messages", i, "content")))
	}
	for k := from; k < len(r.X.Request.Segments); k++ {
		s := &r.X.Request.Segments[k]
		s.Role = role
		if role == core.RoleTool && s.Kind == core.KindText {
			s.Kind = core.KindToolResult
		}
	}
}

func (r *request) readRole(i int32) core.Role {
	if r.S.Kind() != splice.String {
		r.RejectType(scan.FormatPath("messages", i, "role"), "a string")
		return core.RoleUser
	}
	at, escaped := r.S.String()
	if r.S.Err() != nil {
		return core.RoleUser
	}
	raw := r.Doc[at.Start:at.End]
	if escaped {
		raw = splice.AppendText(nil, raw)
	}
	role, ok := roles[string(raw)]
	if !ok {
		r.Fail(scan.NewInvalid(scan.FormatPath("messages", i, "role"), "unknown role; use system, developer, user, assistant, tool or function"))
		return core.RoleUser
	}
	return role
}

// readContent reads a string or an array of parts, and reports whether there was
// content.
func (r *request) readContent(i int32, name string, kind core.SegmentKind) bool {
	switch r.S.Kind() {
	case splice.Null:
		r.S.Null()
		return false
	case splice.String:
		r.addSegment(i, -1, name, kind, false, false)
		return true
	case splice.Array:
	default:
		r.RejectType(scan.FormatPath("messages", i, name), "a string or an array of parts")
		return true
	}
	r.S.Enter()
	n, joined := int32(0), false
	for ; r.S.Next(); n++ {
		if r.S.Kind() != splice.Object {
			r.RejectType(scan.FormatPath("messages", i, name), "parts that are objects")
			continue
		}
		joined = r.readPart(i, n, name, kind, joined)
	}
	return n > 0
}

// readPart reads one content part and reports whether it is text. joined says that the
// previous part was.
func (r *request) readPart(i, n int32, name string, kind core.SegmentKind, joined bool) (text bool) {
	r.S.Enter()
	for r.S.Next() {
		switch key := r.S.Key(); string(key) {
		case "text", "refusal":
			if r.S.Kind() != splice.String {
				r.RejectType(scan.FormatPath("messages", i, name), "text that is a string")
				continue
			}
			r.addSegment(i, n, name, kind, false, joined && !text)
			text = true
		case "type":
			if r.S.Kind() != splice.String {
				r.RejectType(scan.FormatPath("messages", i, name), "a part with a type")
				continue
			}
			r.ReadPlain("type")
		case "image_url":
			r.X.Head.Images = true
			r.readUnknownMember("image_url", 0, core.KindOther, i, n)
		case "file":
			r.readFile(i, n)
		case "document_url": // Mistral's
			r.readFileMember("document_url", scan.FormatPath("messages", i, "content"), i, n)
		default:
			r.readUnknownMember(zerocopy.String(key), 0, core.KindOther, i, n)
		}
	}
	return text
}

// addSegment adds a segment for the string that comes next.
func (r *request) addSegment(i, n int32, name string, kind core.SegmentKind, isJSON, joined bool) {
	at, _ := r.S.String()
	if r.S.Err() != nil || at.Len() == 0 {
		return
	}
	seg := core.Segment{Kind: kind, Depth: 1, Joined: joined, Message: i, Part: n, Field: name, Span: at}
	if isJSON {
		r.X.Request.AddJSON(seg)
		return
	}
	r.X.Request.Segments = append(r.X.Request.Segments, seg)
}

func (r *request) readToolCalls(i int32) bool {
	switch r.S.Kind() {
	case splice.Null:
		r.S.Null()
		return false
	case splice.Array:
	default:
		r.RejectType(scan.FormatPath("messages", i, "tool_calls"), "an array")
		return false
	}
	r.S.Enter()
	n := int32(0)
	for ; r.S.Next(); n++ {
		if r.S.Kind() != splice.Object {
			r.RejectType(scan.FormatPath("messages", i, "tool_calls"), "objects")
			continue
		}
		r.S.Enter()
		for r.S.Next() {
			switch key := r.S.Key(); string(key) {
			case "function":
				r.readCall(i, n, "arguments", true)
			case "custom":
				r.X.Head.HasCustomTools = true
				r.readCall(i, n, "input", false)
			default:
				r.readUnknownMember(zerocopy.String(key), 0, core.KindOther, i, n)
			}
		}
	}
	return n > 0
}

func (r *request) readFunctionCall(i int32) bool {
	if r.S.Kind() == splice.Null {
		r.S.Null()
		return false
	}
	r.readCall(i, -1, "arguments", true)
	return true
}

// readCall reads the object that holds a function's name and arguments.
func (r *request) readCall(i, n int32, args string, isJSON bool) {
	if r.S.Kind() != splice.Object {
		r.RejectType(scan.FormatPath("messages", i, "tool_calls"), "objects")
		return
	}
	r.S.Enter()
	for r.S.Next() {
		key := r.S.Key()
		if string(key) != args {
			r.readUnknownMember(zerocopy.String(key), 0, core.KindOther, i, n)
			continue
		}
		if r.S.Kind() != splice.String {
			r.RejectType(scan.FormatPath("messages", i, "tool_calls"), args+" as a string")
			continue
		}
		r.addSegment(i, n, "tool_calls", core.KindToolArgs, isJSON, false)
	}
}
