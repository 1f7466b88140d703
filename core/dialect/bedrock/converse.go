package bedrock

import (
	"encoding/json"
	"strings"

	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

// vendor marks reasoning of this vendor, which can be sent back.
const vendor = "bedrock"

// ConverseWire is the Converse API.
type ConverseWire struct{}

var _ wire.Wire = ConverseWire{}

// Name is bedrock.converse.
func (ConverseWire) Name() string { return ConverseName }

// ConverseName is the name of the dialect.
const ConverseName = "bedrock.converse"

// ReadError returns the code and message of an error body. The code is the name of an
// exception without its namespace and link.
func (ConverseWire) ReadError(body []byte) (code, message string) {
	var v struct {
		Type    string `json:"__type"`
		Code    string `json:"code"`
		Message string `json:"message"` // or "Message": names are matched in any case
	}
	if json.Unmarshal(body, &v) != nil {
		return "", ""
	}
	if v.Type == "" {
		v.Type = v.Code
	}
	code = v.Type[strings.LastIndexByte(v.Type, '#')+1:]
	code, _, _ = strings.Cut(code, ":")
	return code, v.Message
}

// usage holds token counts. The input excludes cached tokens.
type usage struct {
	Input  int64 `json:"inputTokens"`
	Output int64 `json:"outputTokens"`
	Read   int64 `json:"cacheReadInputTokens"`
	Write  int64 `json:"cacheWriteInputTokens"`
}

func (u *usage) convertToNeutral() llm.Usage {
	if u == nil {
		return llm.Usage{}
	}
	return llm.Usage{Reported: true, Input: u.Input + u.Read + u.Write, Output: u.Output, Cached: u.Read, Written: u.Write}
}

// parseFinish maps a stopReason. called says that the answer calls a tool of the client.
func parseFinish(reason string, called bool) llm.Finish {
	switch reason {
	case "tool_use":
		if !called { // the tool that carries a JSON answer
			return llm.FinishStop
		}
		return llm.FinishTools
	case "end_turn", "stop_sequence":
		return llm.FinishStop
	case "max_tokens", "model_context_window_exceeded":
		return llm.FinishLength
	case "guardrail_intervened", "content_filtered":
		return llm.FinishFiltered
	case "refusal":
		return llm.FinishRefusal
	}
	return llm.FinishUnsaid
}
