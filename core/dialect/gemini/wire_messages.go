package gemini

import (
	"github.com/headgate-dev/headgate/core/llm"
)

// noSignature is Google's documented signature for a call that its model did not sign,
// or whose signature the client's dialect could not carry.
const noSignature = "skip_thought_signature_validator"

// appendMessages appends contents and the system instruction.
func (w *writer) appendMessages() {
	var system []string
	for i := range w.r.Messages {
		m := &w.r.Messages[i]
		if m.Name != "" {
			w.r.RecordDropped("messages.name")
		}
		if m.Role != llm.System {
			continue
		}
		for k := range m.Parts {
			switch p := &m.Parts[k]; {
			case p.Kind != llm.TextPart:
				w.r.RecordDropped("image in a system message")
			case p.Text != "":
				system = append(system, p.Text)
			}
		}
	}
	w.appendKey("contents")
	w.dst = append(w.dst, '[')
	none := len(w.dst)
	var last llm.Role
	named := map[string]string{} // the name of the tool of each call
	for i := range w.r.Messages {
		m := &w.r.Messages[i]
		if m.Role == llm.System {
			continue
		}
		last = w.appendTurn(m, last, named, i)
	}
	if last != 0 {
		w.dst = append(w.dst, "]}"...)
	}
	if len(w.dst) == none && len(system) > 0 { // there must be a turn: the instruction is one
		w.dst = append(w.dst, `{"role":"user","parts":[`...)
		w.appendTexts(system)
		w.dst = append(w.dst, "]}]"...)
		return
	}
	w.dst = append(w.dst, ']')
	if len(system) > 0 {
		w.appendKey("systemInstruction")
		w.dst = append(w.dst, `{"parts":[`...)
		w.appendTexts(system)
		w.dst = append(w.dst, "]}"...)
	}
}

func (w *writer) appendTexts(list []string) {
	for _, s := range list {
		w.dst = appendText(appendComma(w.dst), s, false)
	}
}

// appendTurn appends a message to the open turn if it has the same role, else as a new
// turn. It returns the role of the open turn.
func (w *writer) appendTurn(m *llm.Message, last llm.Role, named map[string]string, i int) llm.Role {
	from := len(w.dst)
	if m.Role != last {
		if last != 0 {
			w.dst = append(w.dst, "]},"...)
		}
		w.dst = append(w.dst, `{"role":"`...)
		if m.Role == llm.Assistant {
			w.dst = append(w.dst, `model","parts":[`...)
		} else {
			w.dst = append(w.dst, `user","parts":[`...)
		}
	}
	empty := len(w.dst)
	if m.Role != last {
		w.called = false
	}
	for k := range m.Parts {
		w.appendPart(&m.Parts[k], named, i)
	}
	if len(w.dst) == empty && m.Role != last { // nothing to say: no turn
		w.dst = w.dst[:from]
		return last
	}
	return m.Role
}

func (w *writer) appendPart(p *llm.Part, named map[string]string, i int) {
	switch p.Kind {
	case llm.TextPart, llm.RefusalPart:
		if p.Text != "" { // Google refuses empty text
			w.dst = appendText(appendComma(w.dst), p.Text, false)
		}
	case llm.ImagePart:
		w.appendImage(p.Image)
	case llm.CallPart:
		c := *p.Call
		named[c.ID] = c.Name
		if w.sentinel && !w.called && c.Signature == "" {
			c.Signature = noSignature
		}
		w.called = true
		w.dst = append(appendCall(appendComma(w.dst), &c), '}')
	case llm.ResultPart:
		w.appendResult(p.Result, named, i)
	case llm.ReasoningPart:
		w.appendReasoning(p.Reasoning)
	}
}

// appendReasoning appends reasoning that Google signed and drops any other.
func (w *writer) appendReasoning(r *llm.Reasoning) {
	if r.Vendor != vendor || r.Signature == "" {
		w.r.RecordDropped("reasoning")
		return
	}
	w.dst = appendText(appendComma(w.dst), r.Text, r.Text != "")
	w.dst = append(w.dst[:len(w.dst)-1], `,"thoughtSignature":`...)
	w.appendString(r.Signature)
	w.dst = append(w.dst, '}')
}
