package bedrock

import (
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
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

// messages appends the turns. Converse has two roles that take turns: results of
// tools are the user's.
func (e *encoder) messages() *core.Error {
	e.b = append(splice.AppendKey(e.b, "messages"), '[')
	open := "" // the role of the message that is being written
	for i := range e.r.Messages {
		m := &e.r.Messages[i]
		role := "user"
		switch m.Role {
		case llm.System:
			continue
		case llm.Assistant:
			role = "assistant"
		}
		if m.Name != "" {
			e.r.Drop("messages.name")
		}
		for _, p := range m.Parts {
			if e.empty(p) {
				continue
			}
			if role != open {
				if open != "" {
					e.b = append(e.b, "]}"...)
				}
				e.b = append(splice.AppendComma(e.b), `{"role":"`...)
				e.b = append(append(e.b, role...), `","content":[`...)
				open = role
			}
			if err := e.part(p); err != nil {
				return err
			}
		}
	}
	if open != "" {
		e.b = append(e.b, "]}"...)
	}
	e.b = append(e.b, ']')
	return nil
}

// empty tells whether a part is left out: the API refuses a blank text, and takes
// back only its own reasoning.
func (e *encoder) empty(p llm.Part) bool {
	switch p.Kind {
	case llm.TextPart, llm.RefusalPart:
		return blank(p.Text)
	case llm.ReasoningPart:
		if returnable(p.Reasoning) {
			return false
		}
		e.r.Drop("reasoning")
		return true
	}
	return false
}

func (e *encoder) part(p llm.Part) *core.Error {
	switch p.Kind {
	case llm.TextPart, llm.RefusalPart:
		e.text(p.Text)
	case llm.ImagePart:
		return e.image(p.Image)
	case llm.CallPart:
		e.call(p.Call)
	case llm.ResultPart:
		return e.result(p.Result)
	case llm.ReasoningPart:
		e.reasoning(p.Reasoning)
	}
	return nil
}

// formats are the pictures that Converse takes.
var formats = map[string]string{"image/png": "png", "image/jpeg": "jpeg", "image/jpg": "jpeg", "image/gif": "gif", "image/webp": "webp"}

func (e *encoder) image(i *llm.Image) *core.Error {
	if i.Data == "" {
		return unsupported("image_url", e.t.Label+" does not fetch images: send the image itself as base64 data, not its URL")
	}
	format := formats[strings.ToLower(i.MediaType)]
	if format == "" {
		return unsupported("image_url", e.t.Label+" takes images as image/png, image/jpeg, image/gif or image/webp only")
	}
	if i.Detail != "" && i.Detail != "auto" {
		e.r.Drop("image_url.detail")
	}
	e.b = append(splice.AppendComma(e.b), `{"image":{"format":"`...)
	e.b = append(append(e.b, format...), `","source":{"bytes":`...)
	e.b = append(splice.AppendString(e.b, i.Data), "}}}"...)
	return nil
}

func (e *encoder) call(c *llm.Call) {
	if c.Signature != "" {
		e.r.Drop("thought_signature")
	}
	e.b = splice.AppendString(append(splice.AppendComma(e.b), `{"toolUse":{"toolUseId":`...), callID(c.ID))
	e.b = splice.AppendString(splice.AppendKey(e.b, "name"), c.Name)
	e.b = append(appendInput(splice.AppendKey(e.b, "input"), c.Input), "}}"...)
}

func (e *encoder) result(r *llm.Result) *core.Error {
	e.b = splice.AppendString(append(splice.AppendComma(e.b), `{"toolResult":{"toolUseId":`...), callID(r.CallID))
	e.b = append(splice.AppendKey(e.b, "content"), '[')
	for _, p := range r.Parts {
		if e.empty(p) {
			continue
		}
		if err := e.part(p); err != nil {
			return err
		}
	}
	e.b = append(e.b, ']')
	if r.Failed {
		e.b = append(e.b, `,"status":"error"`...)
	}
	e.b = append(e.b, "}}"...)
	return nil
}

// reasoning appends reasoning as it came: its signature covers every byte.
func (e *encoder) reasoning(g *llm.Reasoning) {
	e.b = append(splice.AppendComma(e.b), `{"reasoningContent":{`...)
	if g.Encrypted != "" {
		e.b = splice.AppendString(splice.AppendKey(e.b, "redactedContent"), g.Encrypted)
	} else {
		e.b = splice.AppendString(append(e.b, `"reasoningText":{"text":`...), g.Text)
		e.b = append(splice.AppendString(splice.AppendKey(e.b, "signature"), g.Signature), '}')
	}
	e.b = append(e.b, "}}"...)
}
