package cohere

import (
	"encoding/json"
	"strings"

	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

const (
	// vendor marks reasoning of this vendor, which can be sent back.
	vendor = "cohere"
	// plan is the ID of reasoning that is a tool plan, the model's text before it calls tools. It is sent back in a
	// different field than thinking.
	plan = "tool_plan"
)

// ChatWire is the chat API, version 2.
type ChatWire struct{}

var _ wire.Wire = ChatWire{}

// Name is cohere.chat.
func (ChatWire) Name() string { return ChatName }

// ChatName is the name of the dialect.
const ChatName = "cohere.chat"

// ReadError returns the message of an error body. There are no codes.
func (ChatWire) ReadError(body []byte) (code, message string) {
	var v struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(body, &v) != nil {
		return "", ""
	}
	return "", v.Message
}

// counts holds token counts, which the API writes as floating-point numbers.
type counts struct {
	Input  float64 `json:"input_tokens"`
	Output float64 `json:"output_tokens"`
}

// usage holds counted and billed tokens. They differ by what Cohere adds to the prompt.
type usage struct {
	Billed *counts `json:"billed_units"`
	Tokens *counts `json:"tokens"`
	Cached float64 `json:"cached_tokens"`
}

// convertToNeutral returns the counted tokens, or else the billed ones.
func (u *usage) convertToNeutral() llm.Usage {
	if u == nil {
		return llm.Usage{}
	}
	c := u.Tokens
	if c == nil {
		c = u.Billed
	}
	if c == nil {
		return llm.Usage{}
	}
	return llm.Usage{Reported: true, Input: int64(c.Input), Output: int64(c.Output), Cached: int64(u.Cached)}
}

// parseFinish maps a finish_reason. failed means that the model gave no answer.
func parseFinish(reason string) (f llm.Finish, failed bool) {
	switch strings.ToUpper(reason) {
	case "COMPLETE", "STOP_SEQUENCE":
		return llm.FinishStop, false
	case "MAX_TOKENS":
		return llm.FinishLength, false
	case "TOOL_CALL":
		return llm.FinishTools, false
	case "ERROR_TOXIC":
		return llm.FinishFiltered, false
	case "ERROR", "TIMEOUT":
		return 0, true
	}
	return llm.FinishUnsaid, false
}
