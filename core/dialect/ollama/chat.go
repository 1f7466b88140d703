package ollama

import (
	"encoding/json"

	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

// vendor marks reasoning of this vendor, which can be sent back.
const vendor = "ollama"

// ChatWire is the chat API at /api/chat.
type ChatWire struct{}

var _ wire.Wire = ChatWire{}

// Name is ollama.chat.
func (ChatWire) Name() string { return ChatName }

// ChatName is the name of the dialect.
const ChatName = "ollama.chat"

// ReadError returns the message of an error body. There are no codes.
func (ChatWire) ReadError(body []byte) (code, message string) {
	var v struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(body, &v) != nil {
		return "", ""
	}
	return "", v.Error
}

// parseFinish maps a done_reason. Calls have no reason of their own.
func parseFinish(reason string, called bool) llm.Finish {
	switch {
	case reason == "length":
		return llm.FinishLength
	case called:
		return llm.FinishTools
	}
	return llm.FinishStop
}
