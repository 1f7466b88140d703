package webhook

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// Bounds of one call.
const (
	maxTexts    = 1 << 20 // bytes of text
	maxSegments = 256
)

// piece is one window of a text.
type piece struct {
	role   core.Role
	kind   core.SegmentKind
	path   string
	text   string
	before bool // other text of the same run stands before it
}

// body returns the JSON body of a call to the receiver.
func (s *Stage) body(x *core.Exchange, p core.Phase, stream bool, pieces []piece) []byte {
	size := 512
	for i := range pieces {
		size += len(pieces[i].text) + len(pieces[i].text)/8 + 96
	}
	dst := make([]byte, 0, size)
	dst = append(dst, `{"version":1,"link":`...)
	dst = appendQuoted(dst, s.o.Link)
	dst = appendQuoted(append(dst, `,"phase":`...), p.String())
	dst = append(dst, `,"stream":`...)
	if stream {
		dst = append(dst, "true"...)
	} else {
		dst = append(dst, "false"...)
	}
	tenant, key := "", ""
	if x.Principal != nil {
		tenant, key = x.Principal.Tenant, x.Principal.KeyID
	}
	dst = appendQuoted(append(dst, `,"exchange":`...), x.ID)
	dst = appendQuoted(append(dst, `,"tenant":`...), tenant)
	dst = appendQuoted(append(dst, `,"key":`...), key)
	dst = appendQuoted(append(dst, `,"shape":`...), x.Dialect)
	dst = appendQuoted(append(dst, `,"model":`...), x.Head.Model)
	if x.Target.Provider != "" {
		dst = appendQuoted(append(dst, `,"provider":`...), x.Target.Provider)
		dst = appendQuoted(append(dst, `,"target_model":`...), x.Target.Model)
	}
	dst = append(dst, `,"segments":[`...)
	for i := range pieces {
		q := &pieces[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendQuoted(append(dst, `{"role":`...), roleName(q.role))
		dst = appendQuoted(append(dst, `,"kind":`...), kindName(q.kind))
		if q.path != "" {
			dst = appendQuoted(append(dst, `,"path":`...), q.path)
		}
		if q.before {
			dst = append(dst, `,"before":true`...)
		}
		dst = append(appendQuoted(append(dst, `,"text":`...), q.text), '}')
	}
	return append(dst, "]}"...)
}

func appendQuoted(dst []byte, text string) []byte {
	return append(splice.AppendEscaped(append(dst, '"'), text), '"')
}

func roleName(r core.Role) string {
	switch r {
	case core.RoleSystem:
		return "system"
	case core.RoleUser:
		return "user"
	case core.RoleAssistant:
		return "assistant"
	case core.RoleTool:
		return "tool"
	}
	return "unknown"
}

func kindName(k core.SegmentKind) string {
	switch k {
	case core.KindText:
		return "text"
	case core.KindToolArgs:
		return "tool_args"
	case core.KindToolResult:
		return "tool_result"
	case core.KindReasoning:
		return "reasoning"
	case core.KindRefusal:
		return "refusal"
	case core.KindDefinition:
		return "definition"
	}
	return "other"
}
