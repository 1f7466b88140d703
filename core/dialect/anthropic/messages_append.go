package anthropic

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

var _ core.Appender = Messages{}

// Append adds messages after those of the request.
func (Messages) Append(x *core.Exchange, dst []splice.Cut, more []llm.Message) ([]splice.Cut, *core.Error) {
	return scan.AppendTexts(x, dst, "messages", more, scan.AppendMessage)
}
