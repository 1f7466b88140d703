package gemini

import (
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// roles maps the roles of turns. Older clients send "function"; a turn without a role is
// the user's.
var roles = map[string]core.Role{
	"": core.RoleUser, "user": core.RoleUser, "model": core.RoleAssistant, "function": core.RoleTool, "tool": core.RoleTool,
}

// formatTurnPath names a field of a turn for an error.
func formatTurnPath(i, n int32, field string) string {
	p := "contents[" + strconv.Itoa(int(i)) + "]"
	if i < 0 {
		p = "systemInstruction"
	}
	if n >= 0 {
		p += ".parts[" + strconv.Itoa(int(n)) + "]"
	}
	if field != "" {
		p += "." + field
	}
	return p
}

func (r *request) readContents() {
	if k := r.S.Kind(); k != splice.Array && k != splice.Object {
		r.RejectType("contents", "an array of turns")
		return
	}
	n := int32(0)
	for l := openList(r.S); l.moveToNext(); n++ {
		r.readTurn(n)
		r.X.Head.Messages++
	}
	if n == 0 {
		r.Fail(scan.NewInvalid("contents", `"contents" must hold at least one turn`))
	}
}

// readTurn reads one turn. Its role can follow its parts, so segments get their role at
// the end.
func (r *request) readTurn(i int32) {
	if r.S.Kind() != splice.Object {
		r.RejectType(formatTurnPath(i, -1, ""), "an object")
		return
	}
	from, role := len(r.X.Request.Segments), core.RoleUser
	r.Place = scan.Place{Message: i, Part: -1}
	o := openObject(r.S)
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		switch f {
		case fRole:
			name := r.readTextAt(i, -1, "role")
			known := false
			if role, known = roles[name]; !known {
				r.Fail(scan.NewInvalid(formatTurnPath(i, -1, "role"), "unknown role; use user or model"))
			}
		case fParts:
			r.readParts(i)
		default:
			r.readUnknown(zerocopy.String(o.key), 0, core.KindOther, i, -1)
		}
	}
	r.Place = scan.Outside
	r.rejectRepeated(&o)
	for k := from; k < len(r.X.Request.Segments); k++ {
		if s := &r.X.Request.Segments[k]; s.Role == 0 {
			s.Role = role
		}
	}
}

// readSystem reads the system instruction and ignores its role.
func (r *request) readSystem() {
	from := len(r.X.Request.Segments)
	o := r.openObject("systemInstruction")
	for f, ok := o.readField(); ok; f, ok = o.readField() {
		switch f {
		case fRole:
			r.ReadText("systemInstruction.role")
		case fParts:
			r.readParts(-1)
		default:
			r.readUnknown(zerocopy.String(o.key), 0, core.KindOther, -1, -1)
		}
	}
	r.rejectRepeated(&o)
	for k := from; k < len(r.X.Request.Segments); k++ {
		r.X.Request.Segments[k].Role = core.RoleSystem
	}
}
