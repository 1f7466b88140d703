package bedrock

import (
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

func hasCalls(ms []llm.Message) bool {
	for i := range ms {
		for _, p := range ms[i].Parts {
			if p.Kind == llm.CallPart || p.Kind == llm.ResultPart {
				return true
			}
		}
	}
	return false
}

// appendMessages appends alternating turns of user and assistant. Tool results belong to
// the user.
func (e *encoder) appendMessages() *core.Error {
	e.B = append(splice.AppendKey(e.B, "messages"), '[')
	open := "" // the role of the message that is being written
	for i := range e.R.Messages {
		m := &e.R.Messages[i]
		role := "user"
		switch m.Role {
		case llm.System:
			continue
		case llm.Assistant:
			role = "assistant"
		}
		if m.Name != "" {
			e.R.RecordDropped("messages.name")
		}
		for _, p := range m.Parts {
			if e.isOmitted(p) {
				continue
			}
			if role != open {
				if open != "" {
					e.B = append(e.B, "]}"...)
				}
				e.B = append(splice.AppendComma(e.B), `{"role":"`...)
				e.B = append(append(e.B, role...), `","content":[`...)
				open = role
			}
			if err := e.appendPart(p); err != nil {
				return err
			}
		}
	}
	if open != "" {
		e.B = append(e.B, "]}"...)
	}
	e.B = append(e.B, ']')
	return nil
}

// isOmitted reports whether a part is omitted: the API rejects blank text and accepts
// only its own reasoning.
func (e *encoder) isOmitted(p llm.Part) bool {
	switch p.Kind {
	case llm.TextPart, llm.RefusalPart:
		return isBlank(p.Text)
	case llm.ReasoningPart:
		if canReturn(p.Reasoning) {
			return false
		}
		e.R.RecordDropped("reasoning")
		return true
	}
	return false
}

func (e *encoder) appendPart(p llm.Part) *core.Error {
	switch p.Kind {
	case llm.TextPart, llm.RefusalPart:
		e.appendText(p.Text)
	case llm.ImagePart:
		return e.appendImage(p.Image)
	case llm.CallPart:
		e.appendCall(p.Call)
	case llm.ResultPart:
		return e.appendResult(p.Result)
	case llm.ReasoningPart:
		e.appendReasoning(p.Reasoning)
	}
	return nil
}

// formats maps MIME types to Converse's image formats.
var formats = map[string]string{"image/png": "png", "image/jpeg": "jpeg", "image/jpg": "jpeg", "image/gif": "gif", "image/webp": "webp"}

func (e *encoder) appendImage(i *llm.Image) *core.Error {
	if i.Data == "" {
		return scan.NewUnsupportedError("image_url", e.T.Label+" does not fetch images: send the image itself as base64 data, not its URL")
	}
	format := formats[strings.ToLower(i.MediaType)]
	if format == "" {
		return scan.NewUnsupportedError("image_url", e.T.Label+" takes images as image/png, image/jpeg, image/gif or image/webp only")
	}
	if i.Detail != "" && i.Detail != "auto" {
		e.R.RecordDropped("image_url.detail")
	}
	e.B = append(splice.AppendComma(e.B), `{"image":{"format":"`...)
	e.B = append(append(e.B, format...), `","source":{"bytes":`...)
	e.B = append(splice.AppendString(e.B, i.Data), "}}}"...)
	return nil
}

func (e *encoder) appendCall(c *llm.Call) {
	if c.Signature != "" {
		e.R.RecordDropped("thought_signature")
	}
	e.B = splice.AppendString(append(splice.AppendComma(e.B), `{"toolUse":{"toolUseId":`...), cleanCallID(c.ID))
	e.B = splice.AppendString(splice.AppendKey(e.B, "name"), c.Name)
	e.B = append(appendInput(splice.AppendKey(e.B, "input"), c.Input), "}}"...)
}

func (e *encoder) appendResult(r *llm.Result) *core.Error {
	e.B = splice.AppendString(append(splice.AppendComma(e.B), `{"toolResult":{"toolUseId":`...), cleanCallID(r.CallID))
	e.B = append(splice.AppendKey(e.B, "content"), '[')
	for _, p := range r.Parts {
		if e.isOmitted(p) {
			continue
		}
		if err := e.appendPart(p); err != nil {
			return err
		}
	}
	e.B = append(e.B, ']')
	if r.Failed {
		e.B = append(e.B, `,"status":"error"`...)
	}
	e.B = append(e.B, "}}"...)
	return nil
}

// appendReasoning appends reasoning unchanged, because its signature covers every byte.
func (e *encoder) appendReasoning(g *llm.Reasoning) {
	e.B = append(splice.AppendComma(e.B), `{"reasoningContent":{`...)
	if g.Encrypted != "" {
		e.B = splice.AppendString(splice.AppendKey(e.B, "redactedContent"), g.Encrypted)
	} else {
		e.B = splice.AppendString(append(e.B, `"reasoningText":{"text":`...), g.Text)
		e.B = append(splice.AppendString(splice.AppendKey(e.B, "signature"), g.Signature), '}')
	}
	e.B = append(e.B, "}}"...)
}
