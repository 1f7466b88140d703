package cohere

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// appendMessages appends the conversation. Each tool result is a separate message.
func (e *encoder) appendMessages() *core.Error {
	e.B = append(splice.AppendKey(e.B, "messages"), '[')
	for i := range e.R.Messages {
		m := &e.R.Messages[i]
		if m.Name != "" {
			e.R.RecordDropped("messages.name")
		}
		var err *core.Error
		switch m.Role {
		case llm.System:
			err = e.appendMessage("system", m.Parts)
		case llm.User:
			err = e.appendMessage("user", m.Parts)
		case llm.Assistant:
			err = e.appendAssistant(m.Parts)
		case llm.ToolRole:
			for _, p := range m.Parts {
				if p.Kind != llm.ResultPart {
					continue
				}
				if err = e.appendResult(p.Result); err != nil {
					break
				}
			}
		}
		if err != nil {
			return err
		}
	}
	e.B = append(e.B, ']')
	return nil
}

func (e *encoder) beginMessage(role string) {
	e.B = append(append(append(splice.AppendComma(e.B), `{"role":"`...), role...), '"')
}

func (e *encoder) appendMessage(role string, parts []llm.Part) *core.Error {
	e.beginMessage(role)
	err := e.appendContent(parts)
	e.B = append(e.B, '}')
	return err
}

// appendContent appends text as a string and any other content as a list.
func (e *encoder) appendContent(parts []llm.Part) *core.Error {
	e.B = splice.AppendKey(e.B, "content")
	if len(parts) == 1 && (parts[0].Kind == llm.TextPart || parts[0].Kind == llm.RefusalPart) {
		e.B = splice.AppendString(e.B, parts[0].Text)
		return nil
	}
	e.B = append(e.B, '[')
	for _, p := range parts {
		switch p.Kind {
		case llm.TextPart, llm.RefusalPart:
			e.B = append(splice.AppendString(append(splice.AppendComma(e.B), `{"type":"text","text":`...), p.Text), '}')
		case llm.ReasoningPart:
			e.B = append(splice.AppendString(append(splice.AppendComma(e.B), `{"type":"thinking","thinking":`...), p.Reasoning.Text), '}')
		case llm.ImagePart:
			e.appendImage(p.Image)
		}
	}
	e.B = append(e.B, ']')
	return nil
}

func (e *encoder) appendImage(i *llm.Image) {
	e.B = append(splice.AppendComma(e.B), `{"type":"image_url","image_url":{"url":"`...)
	if i.Data == "" {
		e.B = splice.AppendEscaped(e.B, i.URL)
	} else {
		e.B = append(splice.AppendEscaped(append(e.B, "data:"...), i.MediaType), ";base64,"...)
		e.B = splice.AppendEscaped(e.B, i.Data)
	}
	e.B = append(e.B, '"')
	if i.Detail != "" {
		e.B = splice.AppendString(splice.AppendKey(e.B, "detail"), i.Detail)
	}
	e.B = append(e.B, "}}"...)
}

// appendAssistant appends a turn of the model: content, plan and calls.
func (e *encoder) appendAssistant(parts []llm.Part) *core.Error {
	var content, calls []llm.Part
	planned := ""
	for _, p := range parts {
		switch {
		case p.Kind == llm.CallPart:
			calls = append(calls, p)
		case p.Kind != llm.ReasoningPart:
			content = append(content, p)
		case p.Reasoning.Vendor != vendor || p.Reasoning.Text == "":
			e.R.RecordDropped("reasoning")
		case p.Reasoning.ID == plan:
			planned += p.Reasoning.Text
		default:
			content = append(content, p)
		}
	}
	if planned == "" && len(content) == 0 && len(calls) == 0 {
		return nil
	}
	e.beginMessage("assistant")
	if planned != "" {
		e.B = splice.AppendString(splice.AppendKey(e.B, plan), planned)
	}
	if len(content) > 0 {
		if err := e.appendContent(content); err != nil {
			return err
		}
	}
	if len(calls) > 0 {
		e.B = append(splice.AppendKey(e.B, "tool_calls"), '[')
		for _, p := range calls {
			e.appendCall(p.Call)
		}
		e.B = append(e.B, ']')
	}
	e.B = append(e.B, '}')
	return nil
}

func (e *encoder) appendCall(c *llm.Call) {
	if c.Signature != "" {
		e.R.RecordDropped("thought_signature")
	}
	args := c.Input
	if args == "" {
		args = "{}"
	}
	e.B = splice.AppendString(append(splice.AppendComma(e.B), `{"id":`...), c.ID)
	e.B = splice.AppendString(append(e.B, `,"type":"function","function":{"name":`...), c.Name)
	e.B = append(splice.AppendString(splice.AppendKey(e.B, "arguments"), args), "}}"...)
}

// appendResult appends the result of a tool. The API has no flag for a failure; the text
// says it.
func (e *encoder) appendResult(r *llm.Result) *core.Error {
	for _, p := range r.Parts {
		if p.Kind != llm.TextPart {
			return scan.NewUnsupportedError("messages", e.T.Label+" takes text alone as the result of a tool: send the image in a user message")
		}
	}
	if r.Failed {
		e.R.RecordDropped("is_error")
	}
	e.beginMessage("tool")
	e.B = splice.AppendString(splice.AppendKey(e.B, "tool_call_id"), r.CallID)
	if len(r.Parts) == 0 {
		e.B = append(e.B, `,"content":""}`...)
		return nil
	}
	err := e.appendContent(r.Parts)
	e.B = append(e.B, '}')
	return err
}
