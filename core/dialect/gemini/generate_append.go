package gemini

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/splice"
)

var _ core.Appender = Generate{}

// Append puts messages behind the contents of the request.
func (Generate) Append(x *core.Exchange, dst []splice.Cut, more []llm.Message) ([]splice.Cut, *core.Error) {
	at, kind, ok := x.Member("contents")
	if !ok || kind != splice.Array {
		return dst, core.NotAppended("contents")
	}
	var b []byte
	for i, m := range more {
		if i > 0 {
			b = append(b, ',')
		}
		role := "user"
		if m.Role == llm.Assistant {
			role = "model"
		}
		b = append(append(append(b, `{"role":"`...), role...), `","parts":[{"text":`...)
		b = append(splice.AppendString(b, m.Text()), `}]}`...)
	}
	return append(dst, core.AppendElements(x.Request.Raw, at, b)), nil
}
