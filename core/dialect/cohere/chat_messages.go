package cohere

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

// messages appends the conversation. A message is a role and a content, but that
// each result of a tool is a message of its own.
func (e *encoder) messages() *core.Error {
	e.b = append(splice.AppendKey(e.b, "messages"), '[')
	for i := range e.r.Messages {
		m := &e.r.Messages[i]
		if m.Name != "" {
			e.r.Drop("messages.name")
		}
		var err *core.Error
		switch m.Role {
		case llm.System:
			err = e.message("system", m.Parts)
		case llm.User:
			err = e.message("user", m.Parts)
		case llm.Assistant:
			err = e.assistant(m.Parts)
		case llm.ToolRole:
			for _, p := range m.Parts {
				if p.Kind != llm.ResultPart {
					continue
				}
				if err = e.result(p.Result); err != nil {
					break
				}
			}
		}
		if err != nil {
			return err
		}
	}
	e.b = append(e.b, ']')
	return nil
}

func (e *encoder) open(role string) {
	e.b = append(append(append(splice.AppendComma(e.b), `{"role":"`...), role...), '"')
}

func (e *encoder) message(role string, parts []llm.Part) *core.Error {
	e.open(role)
	err := e.content(parts)
	e.b = append(e.b, '}')
	return err
}

// content appends text as a string, and anything else as a list.
func (e *encoder) content(parts []llm.Part) *core.Error {
	e.b = splice.AppendKey(e.b, "content")
	if len(parts) == 1 && (parts[0].Kind == llm.TextPart || parts[0].Kind == llm.RefusalPart) {
		e.b = splice.AppendString(e.b, parts[0].Text)
		return nil
	}
	e.b = append(e.b, '[')
	for _, p := range parts {
		switch p.Kind {
		case llm.TextPart, llm.RefusalPart:
			e.b = append(splice.AppendString(append(splice.AppendComma(e.b), `{"type":"text","text":`...), p.Text), '}')
		case llm.ReasoningPart:
			e.b = append(splice.AppendString(append(splice.AppendComma(e.b), `{"type":"thinking","thinking":`...), p.Reasoning.Text), '}')
		case llm.ImagePart:
			e.image(p.Image)
		}
	}
	e.b = append(e.b, ']')
	return nil
}

func (e *encoder) image(i *llm.Image) {
	e.b = append(splice.AppendComma(e.b), `{"type":"image_url","image_url":{"url":"`...)
	if i.Data == "" {
		e.b = splice.AppendEscaped(e.b, i.URL)
	} else {
		e.b = append(splice.AppendEscaped(append(e.b, "data:"...), i.MediaType), ";base64,"...)
		e.b = splice.AppendEscaped(e.b, i.Data)
	}
	e.b = append(e.b, '"')
	if i.Detail != "" {
		e.b = splice.AppendString(splice.AppendKey(e.b, "detail"), i.Detail)
	}
	e.b = append(e.b, "}}"...)
}

// assistant appends what the model said. Text beside calls is content still; the
// plan and the calls have members of their own.
func (e *encoder) assistant(parts []llm.Part) *core.Error {
	var content, calls []llm.Part
	planned := ""
	for _, p := range parts {
		switch {
		case p.Kind == llm.CallPart:
			calls = append(calls, p)
		case p.Kind != llm.ReasoningPart:
			content = append(content, p)
		case p.Reasoning.Vendor != vendor || p.Reasoning.Text == "":
			e.r.Drop("reasoning")
		case p.Reasoning.ID == plan:
			planned += p.Reasoning.Text
		default:
			content = append(content, p)
		}
	}
	if planned == "" && len(content) == 0 && len(calls) == 0 {
		return nil
	}
	e.open("assistant")
	if planned != "" {
		e.b = splice.AppendString(splice.AppendKey(e.b, plan), planned)
	}
	if len(content) > 0 {
		if err := e.content(content); err != nil {
			return err
		}
	}
	if len(calls) > 0 {
		e.b = append(splice.AppendKey(e.b, "tool_calls"), '[')
		for _, p := range calls {
			e.call(p.Call)
		}
		e.b = append(e.b, ']')
	}
	e.b = append(e.b, '}')
	return nil
}

func (e *encoder) call(c *llm.Call) {
	if c.Signature != "" {
		e.r.Drop("thought_signature")
	}
	args := c.Input
	if args == "" {
		args = "{}"
	}
	e.b = splice.AppendString(append(splice.AppendComma(e.b), `{"id":`...), c.ID)
	e.b = splice.AppendString(append(e.b, `,"type":"function","function":{"name":`...), c.Name)
	e.b = append(splice.AppendString(splice.AppendKey(e.b, "arguments"), args), "}}"...)
}

// result appends what a tool gave back. There is no word for a tool's failure; what
// the tool said of it is in the text.
func (e *encoder) result(r *llm.Result) *core.Error {
	for _, p := range r.Parts {
		if p.Kind != llm.TextPart {
			return unsupported("messages", e.t.Label+" takes text alone as the result of a tool: send the image in a user message")
		}
	}
	if r.Failed {
		e.r.Drop("is_error")
	}
	e.open("tool")
	e.b = splice.AppendString(splice.AppendKey(e.b, "tool_call_id"), r.CallID)
	if len(r.Parts) == 0 {
		e.b = append(e.b, `,"content":""}`...)
		return nil
	}
	err := e.content(r.Parts)
	e.b = append(e.b, '}')
	return err
}
