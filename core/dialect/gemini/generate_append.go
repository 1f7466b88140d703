package gemini

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

var _ core.Appender = Generate{}

// Append adds messages after the contents of the request.
func (Generate) Append(x *core.Exchange, dst []splice.Cut, more []llm.Message) ([]splice.Cut, *core.Error) {
	return scan.AppendTexts(x, dst, "contents", more, func(b []byte, model bool, text string) []byte {
		turn := `{"role":"user","parts":[{"text":`
		if model {
			turn = `{"role":"model","parts":[{"text":`
		}
		return append(splice.AppendString(append(b, turn...), text), `}]}`...)
	})
}
