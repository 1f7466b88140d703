package anthropic

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/splice"
)

var _ core.Appender = Messages{}

// Append puts messages behind those of the request.
func (Messages) Append(x *core.Exchange, dst []splice.Cut, more []llm.Message) ([]splice.Cut, *core.Error) {
	at, kind, ok := x.Member("messages")
	if !ok || kind != splice.Array {
		return dst, core.NotAppended("messages")
	}
	var b []byte
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
	return append(dst, core.AppendElements(x.Request.Raw, at, b)), nil
}
