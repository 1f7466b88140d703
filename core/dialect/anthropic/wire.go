package anthropic

import "github.com/headgate-dev/headgate/core/dialect/wire"

// MessagesWire is the Messages shape as a provider speaks it.
type MessagesWire struct{}

var _ wire.Wire = MessagesWire{}

// Name gives MessagesName.
func (MessagesWire) Name() string { return MessagesName }

// ReadError finds code and message in a provider's error body.
func (MessagesWire) ReadError(body []byte) (code, message string) { return readError(body) }

// answerTool is the tool that a model calls to give an answer in JSON, where the
// provider is not asked to hold it to a strict schema. Its input is the answer's
// text; no client ever sees the call.
const answerTool = "headgate_answer"
