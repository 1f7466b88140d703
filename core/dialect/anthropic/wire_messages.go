package anthropic

import (
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// appendSystem collects the texts of all system messages, which this dialect puts before
// the conversation.
func (e *encoder) appendSystem() {
	n, from := 0, 0
	for i := range e.r.Messages {
		m := &e.r.Messages[i]
		if m.Role != llm.System {
			continue
		}
		for k := range m.Parts {
			if p := &m.Parts[k]; p.Kind == llm.TextPart && strings.TrimSpace(p.Text) != "" {
				if n == 0 {
					e.b = append(e.b, `,"system":[`...)
					from = len(e.b)
				}
				e.appendComma(from)
				e.appendTextBlock(p.Text)
				n++
			}
		}
	}
	if n > 0 {
		e.b = append(e.b, ']')
	}
}

// appendComma appends a comma unless the list that starts at from is empty.
func (e *encoder) appendComma(from int) {
	if len(e.b) > from {
		e.b = append(e.b, ',')
	}
}

func (e *encoder) appendTextBlock(text string) {
	e.b = append(e.b, `{"type":"text","text":`...)
	e.appendString(text)
	e.b = append(e.b, '}')
}

var names = map[llm.Role]string{llm.User: "user", llm.Assistant: "assistant"}

// appendMessages appends the conversation as turns of user and assistant. It merges
// consecutive messages of one role. Tool results belong to the user.
func (e *encoder) appendMessages() *core.Error {
	e.b = append(e.b, `,"messages":[`...)
	list := len(e.b)
	role, blocks := llm.Role(0), 0 // of the message that is open
	for i := range e.r.Messages {
		m := &e.r.Messages[i]
		if m.Name != "" {
			e.r.RecordDropped("messages.name")
		}
		is := m.Role
		switch is {
		case llm.System:
			continue
		case llm.ToolRole:
			is = llm.User
		}
		for k := range m.Parts {
			before, opened := len(e.b), blocks
			if role != is {
				if role != 0 {
					e.b = append(e.b, `]},`...)
				}
				e.b = append(append(e.b, `{"role":"`...), names[is]...)
				e.b = append(e.b, `","content":[`...)
				blocks = len(e.b)
			}
			e.appendComma(blocks)
			if e.appendPart(&m.Parts[k], is) {
				role = is
			} else { // empty: write no turn
				e.b, blocks = e.b[:before], opened
			}
		}
	}
	if len(e.b) == list {
		return scan.NewUnsupportedError("messages", e.t.Label+" answers to a message of a user, and there is none; add one")
	}
	e.b = append(e.b, `]}]`...)
	return nil
}

// appendPart appends a part as a content block, and reports whether it became one.
func (e *encoder) appendPart(p *llm.Part, role llm.Role) bool {
	switch p.Kind {
	case llm.TextPart, llm.RefusalPart:
		if strings.TrimSpace(p.Text) == "" { // a text of nothing but space is refused with the whole request
			return false
		}
		e.appendTextBlock(p.Text)
	case llm.ImagePart:
		e.appendImage(p.Image)
	case llm.CallPart:
		e.appendCall(p.Call)
	case llm.ResultPart:
		e.appendResult(p.Result)
	case llm.ReasoningPart:
		return role == llm.Assistant && e.appendReasoning(p.Reasoning)
	default:
		return false
	}
	return true
}

func (e *encoder) appendImage(p *llm.Image) {
	if p.Detail != "" && p.Detail != "auto" {
		e.r.RecordDropped("image_url.detail")
	}
	if p.Data == "" {
		e.b = append(e.b, `{"type":"image","source":{"type":"url","url":`...)
		e.appendString(p.URL)
	} else {
		e.b = append(e.b, `{"type":"image","source":{"type":"base64","media_type":`...)
		e.appendString(p.MediaType)
		e.b = append(e.b, `,"data":`...)
		e.appendString(p.Data)
	}
	e.b = append(e.b, `}}`...)
}

func (e *encoder) appendCall(c *llm.Call) {
	if c.Signature != "" {
		e.r.RecordDropped("thought_signature")
	}
	e.b = append(e.b, `{"type":"tool_use","id":`...)
	e.appendString(e.ids.assignCallID(c))
	e.b = append(e.b, `,"name":`...)
	e.appendString(c.Name)
	e.b = append(e.b, `,"input":`...)
	e.b = append(appendInput(e.b, c.Input), '}')
}

func (e *encoder) appendResult(p *llm.Result) {
	e.b = append(e.b, `{"type":"tool_result","tool_use_id":`...)
	e.appendString(e.ids.resolveResultID(p))
	switch {
	case len(p.Parts) == 1 && p.Parts[0].Kind == llm.TextPart:
		e.b = append(e.b, `,"content":`...)
		e.appendString(p.Parts[0].Text)
	case len(p.Parts) > 0:
		e.b = append(e.b, `,"content":[`...)
		from := len(e.b)
		for i := range p.Parts {
			before := len(e.b)
			e.appendComma(from)
			if !e.appendPart(&p.Parts[i], llm.User) {
				e.b = e.b[:before]
			}
		}
		e.b = append(e.b, ']')
	}
	if p.Failed {
		e.b = append(e.b, `,"is_error":true`...)
	}
	e.b = append(e.b, '}')
}

// appendReasoning appends reasoning that Anthropic signed or sealed. It drops any other,
// which Anthropic rejects.
func (e *encoder) appendReasoning(p *llm.Reasoning) bool {
	switch {
	case p.Vendor == vendor && p.Encrypted != "":
		e.b = append(e.b, `{"type":"redacted_thinking","data":`...)
		e.appendString(p.Encrypted)
	case p.Vendor == vendor && p.Signature != "":
		e.b = append(e.b, `{"type":"thinking","thinking":`...)
		e.appendString(p.Text)
		e.b = append(e.b, `,"signature":`...)
		e.appendString(p.Signature)
	default:
		e.r.RecordDropped("reasoning")
		return false
	}
	e.b = append(e.b, '}')
	return true
}
