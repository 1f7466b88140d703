package openai

import (
	"strconv"

	"github.com/headgate-dev/headgate/core/llm"
)

// responsesWriter appends the items of a request.
type responsesWriter struct {
	dst   []byte
	items int
	calls int      // that came without an id
	open  []string // generated ids of calls without a result
}

// beginItem begins an item.
func (w *responsesWriter) beginItem(typ string) {
	if w.items > 0 {
		w.dst = append(w.dst, ',')
	}
	w.items++
	w.dst = appendMember(append(w.dst, '{'), "type", typ)
}

// appendMessage appends a message as items.
func (w *responsesWriter) appendMessage(r *llm.Request, m *llm.Message) {
	if m.Name != "" {
		r.RecordDropped("messages.name")
	}
	from := 0
	for i := range m.Parts {
		switch p := &m.Parts[i]; p.Kind {
		case llm.TextPart, llm.ImagePart, llm.RefusalPart:
			continue
		case llm.CallPart:
			w.appendText(m.Role, m.Parts[from:i])
			w.appendCall(p.Call)
		case llm.ResultPart:
			w.appendText(m.Role, m.Parts[from:i])
			w.appendResult(p.Result)
		case llm.ReasoningPart:
			w.appendText(m.Role, m.Parts[from:i])
			w.appendReasoning(r, p.Reasoning)
		}
		from = i + 1
	}
	w.appendText(m.Role, m.Parts[from:])
}

// wireRoles are the names of roles.
var wireRoles = map[llm.Role]string{llm.System: "system", llm.User: "user", llm.Assistant: "assistant", llm.ToolRole: "user"}

// appendText appends texts, images and refusals as one message.
func (w *responsesWriter) appendText(role llm.Role, parts []llm.Part) {
	if len(parts) == 0 {
		return
	}
	w.beginItem(itemMessage)
	w.dst = appendMember(append(w.dst, ','), "role", wireRoles[role])
	w.dst = append(w.dst, `,"content":[`...)
	w.dst = appendParts(w.dst, parts, role == llm.Assistant)
	w.dst = append(w.dst, "]}"...)
}

// appendParts appends parts, separated by commas.
func appendParts(dst []byte, parts []llm.Part, output bool) []byte {
	typ := `{"type":"input_text",`
	if output {
		typ = `{"type":"output_text",`
	}
	for i := range parts {
		if i > 0 {
			dst = append(dst, ',')
		}
		switch p := &parts[i]; p.Kind {
		case llm.RefusalPart:
			dst = appendMember(append(dst, `{"type":"refusal",`...), "refusal", p.Text)
		case llm.ImagePart:
			dst = appendMember(append(dst, `{"type":"input_image",`...), "image_url", formatImageURL(p.Image))
			if p.Image.Detail != "" {
				dst = appendMember(append(dst, ','), "detail", p.Image.Detail)
			}
		default:
			dst = appendMember(append(dst, typ...), "text", p.Text)
		}
		dst = append(dst, '}')
	}
	return dst
}

func (w *responsesWriter) appendCall(c *llm.Call) {
	id := c.ID
	if id == "" {
		w.calls++
		id = "call_" + strconv.Itoa(w.calls)
		w.open = append(w.open, id)
	}
	switch c.Kind {
	case llm.CustomTool:
		w.beginItem(itemCustom)
	case llm.SearchTool:
		w.beginItem(itemSearch)
	default:
		w.beginItem(itemCall)
	}
	w.dst = appendMember(append(w.dst, ','), "call_id", id)
	if c.Kind == llm.SearchTool {
		w.dst = append(w.dst, `,"execution":"client","arguments":`...)
		w.dst = append(append(w.dst, encodeText(c.Input)...), '}')
		return
	}
	w.dst = appendMember(append(w.dst, ','), "name", c.Name)
	if c.Namespace != "" {
		w.dst = appendMember(append(w.dst, ','), "namespace", c.Namespace)
	}
	field := "arguments"
	if c.Kind == llm.CustomTool {
		field = "input"
	}
	w.dst = append(appendMember(append(w.dst, ','), field, c.Input), '}')
}

func (w *responsesWriter) appendResult(c *llm.Result) {
	id := c.CallID
	if id == "" && len(w.open) > 0 { // dialects without ids answer in order
		id, w.open = w.open[0], w.open[1:]
	}
	switch c.Kind {
	case llm.CustomTool:
		w.beginItem(itemCustomOutput)
	case llm.SearchTool: // its tools are among those of the request
		w.beginItem(itemSearchOutput)
		w.dst = appendMember(append(w.dst, ','), "call_id", id)
		w.dst = append(w.dst, `,"execution":"client","tools":[]}`...)
		return
	default:
		w.beginItem(itemOutput)
	}
	w.dst = appendMember(append(w.dst, ','), "call_id", id)
	w.dst = append(w.dst, `,"output":`...)
	if len(c.Parts) == 1 && c.Parts[0].Kind == llm.TextPart {
		w.dst = append(appendString(w.dst, c.Parts[0].Text), '}')
		return
	}
	if len(c.Parts) == 0 {
		w.dst = append(w.dst, `""}`...)
		return
	}
	w.dst = appendParts(append(w.dst, '['), c.Parts, false)
	w.dst = append(w.dst, "]}"...)
}

// appendReasoning appends reasoning that this vendor encrypted and drops any other.
func (w *responsesWriter) appendReasoning(r *llm.Request, t *llm.Reasoning) {
	if t.Vendor != vendor || t.Encrypted == "" {
		r.RecordDropped("reasoning")
		return
	}
	w.beginItem(itemReasoning)
	if t.ID != "" {
		w.dst = appendMember(append(w.dst, ','), "id", t.ID)
	}
	w.dst = append(w.dst, `,"summary":[`...)
	if t.Text != "" {
		w.dst = append(appendMember(append(w.dst, `{"type":"summary_text",`...), "text", t.Text), '}')
	}
	w.dst = append(appendMember(append(w.dst, `],`...), "encrypted_content", t.Encrypted), '}')
}
