package openai

import (
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

// ResponsesWire is the Responses API of a provider. Chat requests that the chat API
// rejects go there.
type ResponsesWire struct{}

var _ wire.Wire = ResponsesWire{}

// Name returns ResponsesName.
func (ResponsesWire) Name() string { return ResponsesName }

// ReadError returns the code and message of a provider's error body.
func (ResponsesWire) ReadError(body []byte) (code, message string) {
	return Responses{}.ReadError(body)
}

// vendor is the vendor of the reasoning in answers.
const vendor = "openai"

// mapIncompleteReason returns why an answer ended.
func mapIncompleteReason(reason string, calls bool) llm.Finish {
	switch {
	case reason == "max_output_tokens":
		return llm.FinishLength
	case reason == "content_filter":
		return llm.FinishFiltered
	case calls:
		return llm.FinishTools
	}
	return llm.FinishStop
}
