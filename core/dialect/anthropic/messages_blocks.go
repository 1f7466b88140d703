package anthropic

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

var roles = map[string]core.Role{"user": core.RoleUser, "assistant": core.RoleAssistant, "system": core.RoleSystem}

func (r *request) messages() {
	r.seen.messages = true
	if r.s.Kind() != splice.Array {
		r.wrongType("messages", "an array of messages")
		return
	}
	r.s.Enter()
	for i := int32(0); r.s.Next(); i++ {
		if r.s.Kind() != splice.Object {
			r.wrongType(path(i, ""), "an object")
			continue
		}
		r.message(i)
		r.x.Head.Messages++
	}
	if r.x.Head.Messages == 0 {
		r.fail(bad("messages", `"messages" must hold at least one message`))
	}
}

func path(i int32, field string) string {
	p := "messages[" + strconv.Itoa(int(i)) + "]"
	if field != "" {
		p += "." + field
	}
	return p
}

// message reads one message. The role may come after the content, so segments
// get theirs at the end.
func (r *request) message(i int32) {
	from := len(r.x.Request.Segments)
	r.at = place{0, core.KindOther, i, -1}
	role, content := core.Role(0), false
	r.s.Enter()
	for r.s.Next() {
		switch key := r.s.Key(); string(key) {
		case "role":
			role = r.role(i)
		case "content":
			content = true
			if k := r.s.Kind(); k != splice.String && k != splice.Array {
				r.wrongType(path(i, "content"), "a string or an array of content blocks")
				continue
			}
			r.at.kind = core.KindText
			r.content("content")
			r.at = place{0, core.KindOther, i, -1}
		default:
			leaves(r.s, r.doc, key, r)
		}
	}
	if r.s.Err() != nil {
		return
	}
	if role == 0 {
		r.fail(missing(path(i, "role")))
	}
	if !content {
		r.fail(missing(path(i, "content")))
	}
	for k := from; k < len(r.x.Request.Segments); k++ {
		if s := &r.x.Request.Segments[k]; s.Role == 0 {
			s.Role = role
		}
	}
}

func (r *request) role(i int32) core.Role {
	if r.s.Kind() != splice.String {
		r.wrongType(path(i, "role"), "a string")
		return core.RoleUser
	}
	role, ok := roles[str(r.s, r.doc)]
	if !ok {
		role = core.RoleUser
		r.fail(bad(path(i, "role"), "unknown role; use user or assistant"))
	}
	return role
}

// content reads text or an array of blocks. The blocks that a block holds keep its
// place in the message.
func (r *request) content(name string) {
	if r.s.Kind() == splice.String {
		at, _ := r.s.String()
		if r.s.Err() == nil && at.Len() > 0 {
			r.add(name, at, false)
		}
		return
	}
	top, joined := r.at.part < 0, false
	r.s.Enter()
	for n := int32(0); r.s.Next(); n++ {
		if top {
			r.at.part = n
		}
		if r.s.Kind() != splice.Object {
			r.wrongType(name, "content blocks that are objects")
			continue
		}
		joined = r.block(name, joined)
	}
}

// block reads one content block; joined says that the one before was text. It
// reports whether this one is. What a block is may be said after what it holds.
func (r *request) block(name string, joined bool) (text bool) {
	from, outer := len(r.x.Request.Segments), r.at
	typ := ""
	r.s.Enter()
	for r.s.Next() {
		r.at.kind = core.KindOther
		switch key := r.s.Key(); string(key) {
		case "type":
			typ = r.text("content.type")
		case "text":
			if r.s.Kind() != splice.String {
				r.wrongType(name, "text that is a string")
				continue
			}
			at, _ := r.s.String()
			if r.s.Err() == nil && at.Len() > 0 {
				r.at.kind = outer.kind
				r.add(name, at, joined && !text)
			}
			text = true
		case "input":
			r.input(name)
		case "content":
			if k := r.s.Kind(); k == splice.String || k == splice.Array {
				r.at.kind = core.KindText
				r.content(name)
				continue
			}
			leaves(r.s, r.doc, key, r)
		case "source":
			r.source(name, outer.kind)
		default:
			leaves(r.s, r.doc, key, r)
		}
	}
	r.at = outer
	if typ == "" && r.s.Err() == nil {
		r.fail(missing(name + ".type"))
	}
	r.typed(typ, from)
	return text
}
