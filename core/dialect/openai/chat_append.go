package openai

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/splice"
)

var (
	_ core.Appender = Chat{}
	_ core.Appender = Responses{}
)

// Append puts messages behind those of the request.
func (Chat) Append(x *core.Exchange, dst []splice.Cut, more []llm.Message) ([]splice.Cut, *core.Error) {
	at, kind, ok := x.Member("messages")
	if !ok || kind != splice.Array {
		return dst, core.NotAppended("messages")
	}
	return append(dst, core.AppendElements(x.Request.Raw, at, textItems(nil, more))), nil
}

// Append puts messages behind the items of the request. An input that is one text
// becomes the item that it stands for.
func (Responses) Append(x *core.Exchange, dst []splice.Cut, more []llm.Message) ([]splice.Cut, *core.Error) {
	at, kind, ok := x.Member("input")
	switch {
	case ok && kind == splice.Array:
		return append(dst, core.AppendElements(x.Request.Raw, at, textItems(nil, more))), nil
	case ok && kind == splice.String:
		with := append([]byte(`[{"role":"user","content":`), x.Request.Raw[at.Start:at.End]...)
		with = append(textItems(append(with, '}', ','), more), ']')
		return append(dst, splice.Cut{Span: at, With: string(with)}), nil
	}
	return dst, core.NotAppended("input")
}

// textItems writes messages of text as both shapes spell them.
func textItems(b []byte, more []llm.Message) []byte {
	for i, m := range more {
		if i > 0 {
			b = append(b, ',')
		}
		role := "user"
		if m.Role == llm.Assistant {
			role = "assistant"
		}
		b = append(append(append(b, `{"role":"`...), role...), `","content":`...)
		b = append(splice.AppendString(b, m.Text()), '}')
	}
	return b
}
