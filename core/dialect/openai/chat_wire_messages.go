package openai

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

func (w *chatWriter) appendMessages() {
	w.dst = append(w.dst, `,"messages":`...)
	comma := byte('[')
	begin := func(role string) {
		w.dst = append(append(w.dst, comma), `{"role":"`...)
		w.dst = append(append(w.dst, role...), '"')
		comma = ','
	}
	for i := range w.r.Messages {
		m := &w.r.Messages[i]
		switch m.Role {
		case llm.System:
			begin("system")
			w.appendContent(m.Parts, "\n\n", false)
		case llm.User:
			begin("user")
			w.appendContent(m.Parts, "", true)
		case llm.Assistant:
			begin("assistant")
			w.appendAssistant(m.Parts)
		case llm.ToolRole:
			for j := range m.Parts {
				if p := &m.Parts[j]; p.Kind == llm.ResultPart {
					begin("tool")
					w.appendResult(p.Result)
					w.dst = append(w.dst, '}')
				}
			}
			continue
		}
		w.appendText("name", m.Name, true)
		w.dst = append(w.dst, '}')
	}
	if comma == '[' {
		w.dst = append(w.dst, '[')
	}
	w.dst = append(w.dst, ']')
}

// appendContent appends text as a string, which all providers accept. It appends parts
// if there is an image, or if parts is set and there are several texts.
func (w *chatWriter) appendContent(ps []llm.Part, between string, parts bool) {
	w.dst = appendChatKey(w.dst, "content")
	texts, image := 0, false
	for i := range ps {
		switch ps[i].Kind {
		case llm.TextPart, llm.RefusalPart:
			texts++
		case llm.ImagePart:
			image = true
		}
	}
	if image || parts && texts > 1 {
		w.appendParts(ps)
		return
	}
	w.dst = appendChatString(w.dst, joinChatTexts(ps, between))
}

// joinChatTexts joins the texts of a message.
func joinChatTexts(ps []llm.Part, between string) string {
	var first string
	var all strings.Builder
	n := 0
	for i := range ps {
		if k := ps[i].Kind; k != llm.TextPart && k != llm.RefusalPart {
			continue
		}
		switch n++; n {
		case 1:
			first = ps[i].Text
			continue
		case 2:
			all.WriteString(first)
		}
		all.WriteString(between)
		all.WriteString(ps[i].Text)
	}
	if n < 2 {
		return first
	}
	return all.String()
}

func (w *chatWriter) appendParts(ps []llm.Part) {
	comma := byte('[')
	for i := range ps {
		switch p := &ps[i]; p.Kind {
		case llm.TextPart, llm.RefusalPart:
			w.dst = append(append(w.dst, comma), `{"type":"text","text":`...)
			w.dst = append(appendChatString(w.dst, p.Text), '}')
		case llm.ImagePart:
			w.dst = append(append(w.dst, comma), `{"type":"image_url","image_url":{"url":`...)
			w.appendImage(p.Image)
			w.appendText("detail", p.Image.Detail, true)
			w.dst = append(w.dst, `}}`...)
		default:
			continue
		}
		comma = ','
	}
	w.dst = append(w.dst, ']')
}

func (w *chatWriter) appendImage(img *llm.Image) {
	if img.URL != "" {
		w.dst = appendChatString(w.dst, img.URL)
		return
	}
	w.dst = splice.AppendEscaped(append(w.dst, `"data:`...), img.MediaType)
	w.dst = append(w.dst, ";base64,"...)
	w.dst = append(splice.AppendEscaped(w.dst, img.Data), '"') // appended without a copy because it is large
}

// appendAssistant appends a turn of the model. A refusal goes back as text, because few
// providers have a field for it.
func (w *chatWriter) appendAssistant(ps []llm.Part) {
	said, calls := false, 0
	reasoning := ""
	for i := range ps {
		switch p := &ps[i]; p.Kind {
		case llm.TextPart, llm.RefusalPart:
			said = true
		case llm.CallPart:
			calls++
		case llm.ReasoningPart:
			if p.Reasoning.Vendor == ChatVendor {
				reasoning += p.Reasoning.Text
			} else {
				w.r.RecordDropped("reasoning")
			}
		}
	}
	if said || calls == 0 {
		w.dst = appendChatString(appendChatKey(w.dst, "content"), joinChatTexts(ps, ""))
	} else {
		w.dst = append(w.dst, `,"content":null`...)
	}
	w.appendText("reasoning_content", reasoning, true)
	if calls > 0 {
		w.appendCalls(ps)
	}
}

// maxNear is how many open calls are searched by name before the first one is taken.
const maxNear = 256

// pendingCall is a call that got its identifier here.
type pendingCall struct{ name, id string }

func (w *chatWriter) appendCalls(ps []llm.Part) {
	comma := byte('[')
	w.dst = appendChatKey(w.dst, "tool_calls")
	for i := range ps {
		if ps[i].Kind != llm.CallPart {
			continue
		}
		c := *ps[i].Call
		if c.ID == "" {
			w.named++
			c.ID = "call_" + strconv.Itoa(w.named)
			w.open = append(w.open, pendingCall{c.Name, c.ID})
		}
		if c.Kind == llm.CustomTool && !w.t.CustomTools {
			w.refuse("messages", "does not take calls of custom tools")
		}
		if c.Signature != "" { // of another vendor
			w.r.RecordDropped("thought_signature")
		}
		if c.Input == "" && c.Kind != llm.CustomTool {
			c.Input = "{}"
		}
		w.dst = append(appendChatCall(append(w.dst, comma, '{'), &c, c.Input), '}')
		comma = ','
	}
	w.dst = append(w.dst, ']')
}

// appendResult appends the result of a tool up to the closing brace. Dialects without
// identifiers send results in the order of the calls, or match them by name.
func (w *chatWriter) appendResult(r *llm.Result) {
	id := r.CallID
	if id == "" && len(w.open) > 0 {
		near := w.open[:min(len(w.open), maxNear)]
		at := max(slices.IndexFunc(near, func(c pendingCall) bool { return c.name == r.Name }), 0)
		id = near[at].id
		copy(near[1:], near[:at])
		w.open = w.open[1:]
	}
	if r.Failed { // the dialect has no field for it
		w.r.RecordDropped("is_error")
	}
	w.dst = appendChatMember(w.dst, "tool_call_id", cmp.Or(id, r.Name))
	w.appendContent(r.Parts, "\n", false)
}
