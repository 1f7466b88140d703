package openai

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

var (
	_ core.Appender = Chat{}
	_ core.Appender = Responses{}
)

// Append adds messages after those of the request.
func (Chat) Append(x *core.Exchange, dst []splice.Cut, more []llm.Message) ([]splice.Cut, *core.Error) {
	return scan.AppendTexts(x, dst, "messages", more, scan.AppendMessage)
}

// Append adds messages after the items of the request. It turns an input that is a plain
// string into an item first.
func (Responses) Append(x *core.Exchange, dst []splice.Cut, more []llm.Message) ([]splice.Cut, *core.Error) {
	at, kind, ok := scan.FindMember(x, "input")
	if !ok || kind != splice.String {
		return scan.AppendTexts(x, dst, "input", more, scan.AppendMessage)
	}
	with := append([]byte(`[{"role":"user","content":`), x.Request.Raw[at.Start:at.End]...)
	with = append(scan.AppendMessages(append(with, '}', ','), more, scan.AppendMessage), ']')
	return append(dst, splice.Cut{Span: at, With: string(with)}), nil
}
