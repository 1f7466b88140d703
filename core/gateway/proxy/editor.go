package proxy

import (
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

// editorName is the dialect name of the editor client's requests.
const editorName = "ide.chat"

// editorResponses is the editor client in agent mode: it sends a Responses body and expects a chat answer.
type editorResponses struct {
	wire.Translator             // of the request
	answer          openai.Chat // of everything else
}

var _ wire.Translator = editorResponses{}

func (editorResponses) Name() string { return editorName }

func (d editorResponses) ScanResponse(x *core.Exchange) error { return d.answer.ScanResponse(x) }

func (d editorResponses) AppendError(b []byte, e *core.Error) []byte {
	return d.answer.AppendError(b, e)
}

func (d editorResponses) ReadError(b []byte) (string, string) { return d.answer.ReadError(b) }

// ScanEvent lets the usage through: a Responses body always asks for it.
func (d editorResponses) ScanEvent(x *core.Exchange, ev *core.Event) error {
	err := d.answer.ScanEvent(x, ev)
	ev.Withhold = false
	return err
}

func (d editorResponses) AppendDelta(dst, like []byte, p core.Part, text string) []byte {
	return d.answer.AppendDelta(dst, like, p, text)
}

func (d editorResponses) AppendEnd(dst, like, last []byte, e *core.Error) []byte {
	return d.answer.AppendEnd(dst, like, last, e)
}

func (d editorResponses) Encode(dst []byte, r *llm.Request, a *llm.Response) []byte {
	return d.answer.Encode(dst, r, a)
}

func (d editorResponses) EncodeStream(r *llm.Request) wire.StreamEncoder {
	return d.answer.EncodeStream(r)
}

// chooseEditorBody detects the dialect of a body that the editor client sent to its chat path: one with "input" and without
// "messages" is a Responses body.
func chooseEditorBody(body []byte) wire.Translator {
	var s splice.Scanner
	s.Reset(body)
	if s.Kind() != splice.Object {
		return openai.Chat{}
	}
	input, messages := false, false
	s.Enter()
	for s.Next() {
		switch string(s.Key()) {
		case "input":
			input = true
		case "messages":
			messages = true
		}
		s.Skip()
	}
	if input && !messages {
		return editorResponses{Translator: openai.Responses{}}
	}
	return openai.Chat{}
}

// decodeEditor decodes a body of the editor client, and the variant in the model's name.
func (c *call) decodeEditor() *core.Error {
	d := chooseEditorBody(c.body)
	c.d, c.x.Dialect, c.x.RelatedDialect = d, d.Name(), openai.ChatName // the same checks as for chat
	if e := d.Scan(&c.x); e != nil {
		return e
	}
	model, effort := splitEditorModel(c.x.Head.Model)
	if model != c.x.Head.Model {
		c.x.OverrideModel(model)
	}
	if effort != "" {
		// Each dialect has another place for the effort, so the body is translated.
		c.effort, c.x.Head.Effort = effort, effort
		c.d, c.x.Dialect = editorEffort{d}, editorName
	}
	return nil
}

// editorEffort is a dialect under a name that no provider has, so that its requests are always translated.
type editorEffort struct{ wire.Translator }

func (editorEffort) Name() string { return editorName }

// splitEditorModel splits the variant off a model name: <name>-fast is <name>, and <name>-thinking-<effort> is <name> with
// that effort. A bare -thinking is part of the name.
func splitEditorModel(name string) (model, effort string) {
	name = strings.TrimSuffix(name, "-fast")
	for _, e := range [...]llm.Effort{llm.EffortMinimal, llm.EffortLow, llm.EffortMedium, llm.EffortHigh, llm.EffortXHigh} {
		if base, ok := strings.CutSuffix(name, "-thinking-"+string(e)); ok && base != "" {
			return base, string(e)
		}
	}
	return name, ""
}
