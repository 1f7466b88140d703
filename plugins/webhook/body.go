package webhook

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/plugins/remote"
)

// encodeQuestion returns the JSON body of a call to the receiver.
func encodeQuestion(q *remote.Question) []byte {
	size := 512
	for i := range q.Pieces {
		size += len(q.Pieces[i].Text) + len(q.Pieces[i].Text)/8 + 96
	}
	dst := make([]byte, 0, size)
	dst = append(dst, `{"version":1,"link":`...)
	dst = appendQuoted(dst, q.Link)
	dst = appendQuoted(append(dst, `,"phase":`...), q.Phase.String())
	dst = append(dst, `,"stream":`...)
	if q.Stream {
		dst = append(dst, "true"...)
	} else {
		dst = append(dst, "false"...)
	}
	dst = appendQuoted(append(dst, `,"exchange":`...), q.Exchange)
	dst = appendQuoted(append(dst, `,"tenant":`...), q.Tenant)
	dst = appendQuoted(append(dst, `,"key":`...), q.Key)
	dst = appendQuoted(append(dst, `,"shape":`...), q.Shape)
	dst = appendQuoted(append(dst, `,"model":`...), q.Model)
	if q.Provider != "" {
		dst = appendQuoted(append(dst, `,"provider":`...), q.Provider)
		dst = appendQuoted(append(dst, `,"target_model":`...), q.TargetModel)
	}
	dst = append(dst, `,"segments":[`...)
	for i := range q.Pieces {
		p := &q.Pieces[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendQuoted(append(dst, `{"role":`...), nameRole(p.Role))
		dst = appendQuoted(append(dst, `,"kind":`...), nameKind(p.Kind))
		if p.Path != "" {
			dst = appendQuoted(append(dst, `,"path":`...), p.Path)
		}
		if p.Before {
			dst = append(dst, `,"before":true`...)
		}
		dst = append(appendQuoted(append(dst, `,"text":`...), p.Text), '}')
	}
	return append(dst, "]}"...)
}

func appendQuoted(dst []byte, text string) []byte {
	return append(splice.AppendEscaped(append(dst, '"'), text), '"')
}

func nameRole(r core.Role) string {
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

func nameKind(k core.SegmentKind) string {
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
