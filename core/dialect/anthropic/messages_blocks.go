package anthropic

import (
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

var roles = map[string]core.Role{"user": core.RoleUser, "assistant": core.RoleAssistant, "system": core.RoleSystem}

func (r *request) readMessages() {
	r.seen.messages = true
	r.ReadMessages(r.readMessage)
}

// readMessage reads one message. Its role can follow its content, so segments get their
// role at the end.
func (r *request) readMessage(i int32) {
	from := len(r.X.Request.Segments)
	r.at = scan.Place{Kind: core.KindOther, Message: i, Part: -1}
	role, content := core.Role(0), false
	r.Place = r.at
	r.S.Enter()
	for r.S.Next() {
		switch key := r.S.Key(); string(key) {
		case "role":
			role = r.readRole(i)
		case "content":
			content = true
			if k := r.S.Kind(); k != splice.String && k != splice.Array {
				r.RejectType(scan.FormatPath("messages", i, "content"), "a string or an array of content blocks")
				continue
			}
			r.at.Kind = core.KindText
			r.readContent("content")
			r.at = scan.Place{Kind: core.KindOther, Message: i, Part: -1}
		default:
			r.readUnknown(key)
		}
	}
	if r.S.Err() != nil {
		return
	}
	r.Place = scan.Outside
	if role == 0 {
		r.Fail(scan.NewMissing(scan.FormatPath("messages", i, "role")))
	}
	if !content {
		r.Fail(scan.NewMissing(scan.FormatPath("messages", i, "content")))
	}
	for k := from; k < len(r.X.Request.Segments); k++ {
		if s := &r.X.Request.Segments[k]; s.Role == 0 {
			s.Role = role
		}
	}
}

func (r *request) readRole(i int32) core.Role {
	if r.S.Kind() != splice.String {
		r.RejectType(scan.FormatPath("messages", i, "role"), "a string")
		return core.RoleUser
	}
	role, ok := roles[scan.ReadAlias(r.S, r.Doc)]
	if !ok {
		role = core.RoleUser
		r.Fail(scan.NewInvalid(scan.FormatPath("messages", i, "role"), "unknown role; use user or assistant"))
	}
	return role
}

// readContent reads a string or an array of blocks. Nested blocks keep the place of
// their parent.
func (r *request) readContent(name string) {
	if r.S.Kind() == splice.String {
		at, _ := r.S.String()
		if r.S.Err() == nil && at.Len() > 0 {
			r.add(name, at, false)
		}
		return
	}
	top, joined := r.at.Part < 0, false
	r.S.Enter()
	for n := int32(0); r.S.Next(); n++ {
		if top {
			r.at.Part = n
		}
		if r.S.Kind() != splice.Object {
			r.RejectType(name, "content blocks that are objects")
			continue
		}
		joined = r.readBlock(name, joined)
	}
}

// readBlock reads one content block and reports whether it is text. joined says that the
// previous one was. The type can follow the content.
func (r *request) readBlock(name string, joined bool) (text bool) {
	from, outer := len(r.X.Request.Segments), r.at
	typ, elsewhere, signed, document := "", false, false, -1
	var thought splice.Span // the segment of the thought
	r.S.Enter()
	for r.S.Next() {
		r.at.Kind = core.KindOther
		switch key := r.S.Key(); string(key) {
		case "type":
			typ = r.ReadText("content.type")
		case "text":
			if r.S.Kind() != splice.String {
				r.RejectType(name, "text that is a string")
				continue
			}
			at, _ := r.S.String()
			if r.S.Err() == nil && at.Len() > 0 {
				r.at.Kind = outer.Kind
				r.add(name, at, joined && !text)
			}
			text = true
		case "thinking":
			r.at.Kind = core.KindReasoning
			thought = r.readThinking(name)
		case "signature":
			signed = r.readSignature()
		case "input":
			r.readInput(name)
		case "content":
			if k := r.S.Kind(); k == splice.String || k == splice.Array {
				r.at.Kind = core.KindText
				r.readContent(name)
				continue
			}
			r.readUnknown(key)
		case "source":
			elsewhere, document = r.readSource(name, outer.Kind)
		case "citations":
			if r.S.Kind() == splice.Array {
				r.X.Request.Offsets = citations{}
			}
			r.readUnknown(key)
		default:
			r.readUnknown(key)
		}
	}
	r.at = outer
	if typ == "" && r.S.Err() == nil {
		r.Fail(scan.NewMissing(name + ".type"))
	}
	if elsewhere && typ != "image" {
		r.RecordUnsupportedFile(name, "not in the request")
	}
	r.applyType(typ, from)
	if typ == "thinking" && signed { // an edit would break the call
		r.X.Request.Segments = slices.Delete(r.X.Request.Segments, thought.Start, thought.End)
	}
	if typ == "document" {
		r.X.Request.AddDocument(document)
	}
	return text
}
