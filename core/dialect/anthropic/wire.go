package anthropic

import "github.com/headgate-dev/headgate/core/dialect/wire"

// MessagesWire is the Messages API of a provider.
type MessagesWire struct{}

var _ wire.Wire = MessagesWire{}

// Name returns MessagesName.
func (MessagesWire) Name() string { return MessagesName }

// ReadError returns the code and message of a provider's error body.
func (MessagesWire) ReadError(body []byte) (code, message string) { return readError(body) }

// answerTool is the tool that a model calls to answer in JSON without a strict schema.
// The tool's input is the answer. Clients never see the call.
const answerTool = "headgate_answer"
