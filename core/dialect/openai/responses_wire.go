package openai

import (
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

// ResponsesWire is the Responses shape as a provider speaks it. Chat requests that
// the chat API refuses are sent in it.
type ResponsesWire struct{}

var _ wire.Wire = ResponsesWire{}

// Name gives ResponsesName.
func (ResponsesWire) Name() string { return ResponsesName }

// ReadError finds code and message in a provider's error body.
func (ResponsesWire) ReadError(body []byte) (code, message string) {
	return Responses{}.ReadError(body)
}

// vendor is whose reasoning the answers hold.
const vendor = "openai"

// finishOf is why an answer ended.
func finishOf(reason string, calls bool) llm.Finish {
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
