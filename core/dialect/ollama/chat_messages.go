package ollama

import (
	"encoding/json"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

var roles = map[llm.Role]string{llm.System: "system", llm.User: "user", llm.Assistant: "assistant"}

// appendMessages appends the conversation. Each tool result is a separate message.
func (e *encoder) appendMessages() *core.Error {
	e.B = append(splice.AppendKey(e.B, "messages"), '[')
	named := map[string]string{} // the tools that were called, by the id of the call
	for i := range e.R.Messages {
		m := &e.R.Messages[i]
		if m.Name != "" {
			e.R.RecordDropped("messages.name")
		}
		if m.Role != llm.ToolRole {
			if err := e.appendMessage(roles[m.Role], m.Parts, named); err != nil {
				return err
			}
			continue
		}
		for _, p := range m.Parts {
			if p.Kind != llm.ResultPart {
				continue
			}
			if err := e.appendResult(p.Result, named); err != nil {
				return err
			}
		}
	}
	e.B = append(e.B, ']')
	return nil
}

func (e *encoder) beginMessage(role string, parts []llm.Part) {
	e.B = append(append(append(splice.AppendComma(e.B), `{"role":"`...), role...), '"')
	e.B = append(splice.AppendKey(e.B, "content"), '"')
	first := true
	for _, p := range parts {
		if p.Kind != llm.TextPart && p.Kind != llm.RefusalPart {
			continue
		}
		if !first { // texts that were apart stay apart: there is one string for them
			e.B = append(e.B, `\n`...)
		}
		e.B, first = splice.AppendEscaped(e.B, p.Text), false
	}
	e.B = append(e.B, '"')
}

// appendMessage appends a message of any role but tool.
func (e *encoder) appendMessage(role string, parts []llm.Part, named map[string]string) *core.Error {
	e.beginMessage(role, parts)
	e.appendThinking(parts)
	if err := e.appendImages(parts); err != nil {
		return err
	}
	open := false
	for _, p := range parts {
		if p.Kind != llm.CallPart {
			continue
		}
		if !open {
			e.B, open = append(splice.AppendKey(e.B, "tool_calls"), '['), true
		}
		named[p.Call.ID] = p.Call.Name
		e.appendCall(p.Call)
	}
	if open {
		e.B = append(e.B, ']')
	}
	e.B = append(e.B, '}')
	return nil
}

func (e *encoder) appendThinking(parts []llm.Part) {
	text := ""
	for _, p := range parts {
		switch {
		case p.Kind != llm.ReasoningPart:
		case p.Reasoning.Vendor != vendor:
			e.R.RecordDropped("reasoning")
		default:
			text += p.Reasoning.Text
		}
	}
	if text != "" {
		e.B = splice.AppendString(splice.AppendKey(e.B, "thinking"), text)
	}
}

func (e *encoder) appendImages(parts []llm.Part) *core.Error {
	open := false
	for _, p := range parts {
		if p.Kind != llm.ImagePart {
			continue
		}
		if p.Image.Data == "" {
			return scan.NewUnsupportedError("image_url", e.T.Label+" does not fetch images: send the image itself as base64 data, not its URL")
		}
		if p.Image.Detail != "" && p.Image.Detail != "auto" {
			e.R.RecordDropped("image_url.detail")
		}
		if !open {
			e.B, open = append(splice.AppendKey(e.B, "images"), '['), true
		}
		e.B = splice.AppendString(splice.AppendComma(e.B), p.Image.Data)
	}
	if open {
		e.B = append(e.B, ']')
	}
	return nil
}

func (e *encoder) appendCall(c *llm.Call) {
	if c.Signature != "" {
		e.R.RecordDropped("thought_signature")
	}
	e.B = append(splice.AppendComma(e.B), '{')
	if c.ID != "" {
		e.B = splice.AppendString(splice.AppendKey(e.B, "id"), c.ID)
	}
	e.B = splice.AppendString(append(splice.AppendKey(e.B, "function"), `{"name":`...), c.Name)
	e.B = append(appendInput(splice.AppendKey(e.B, "arguments"), c.Input), "}}"...)
}

// appendInput appends the input of a call, which must be an object. Other text, which
// models sometimes write, becomes a member of one.
func appendInput(dst []byte, input string) []byte {
	args := strings.TrimSpace(input)
	switch {
	case args == "":
		return append(dst, "{}"...)
	case args[0] == '{' && json.Valid([]byte(args)):
		return append(dst, args...)
	}
	return append(splice.AppendString(append(dst, `{"input":`...), input), '}')
}

// appendResult appends the result of a tool with the tool's name, which model templates
// need. The API has no flag for a failure; the text says it.
func (e *encoder) appendResult(r *llm.Result, named map[string]string) *core.Error {
	for _, p := range r.Parts {
		if p.Kind != llm.TextPart {
			return scan.NewUnsupportedError("messages", e.T.Label+" takes text alone as the result of a tool: send the image in a user message")
		}
	}
	if r.Failed {
		e.R.RecordDropped("is_error")
	}
	e.beginMessage("tool", r.Parts)
	name := r.Name
	if name == "" && r.CallID != "" {
		name = named[r.CallID]
	}
	if name != "" {
		e.B = splice.AppendString(splice.AppendKey(e.B, "tool_name"), name)
	}
	if r.CallID != "" {
		e.B = splice.AppendString(splice.AppendKey(e.B, "tool_call_id"), r.CallID)
	}
	e.B = append(e.B, '}')
	return nil
}
