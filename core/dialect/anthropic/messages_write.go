package anthropic

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// AppendDelta appends an event that carries text for a content block.
func (Messages) AppendDelta(dst, _ []byte, p core.Part, text string) []byte {
	if p.Kind == core.KindToolArgs {
		return appendPiece(dst, p.Index, "input_json_delta", "partial_json", text)
	}
	return appendPiece(dst, p.Index, "text_delta", "text", text)
}

// appendPiece appends a content_block_delta event.
func appendPiece(dst []byte, index int32, typ, name, text string) []byte {
	dst = append(dst, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":"...)
	dst = strconv.AppendInt(dst, int64(index), 10)
	dst = append(append(dst, `,"delta":{"type":"`...), typ...)
	dst = append(append(dst, `","`...), name...)
	dst = append(dst, `":"`...)
	dst = splice.AppendEscaped(dst, text)
	return append(dst, "\"}}\n\n"...)
}

// AppendEnd ends a stream early with an error event.
func (m Messages) AppendEnd(dst, _, _ []byte, e *core.Error) []byte {
	dst = append(dst, "event: error\ndata: "...)
	dst = m.AppendError(dst, e)
	return append(dst, "\n\n"...)
}

// AppendError appends an error body. It adds our stable code and the name of the invalid
// field to Anthropic's members.
func (Messages) AppendError(dst []byte, e *core.Error) []byte {
	dst = append(append(dst, `{"type":"error","error":{"type":"`...), mapErrorType(e)...)
	dst = append(dst, `","message":"`...)
	dst = splice.AppendEscaped(dst, e.Public)
	dst = append(dst, `","code":"`...)
	dst = splice.AppendEscaped(dst, e.Code)
	if e.Param != "" {
		dst = append(dst, `","param":"`...)
		dst = splice.AppendEscaped(dst, e.Param)
	}
	return append(dst, `"}}`...)
}

// errorTypes maps Anthropic's error types to statuses; see
// https://platform.claude.com/docs/en/api/errors
var errorTypes = []struct {
	name   string
	status int
}{
	{"invalid_request_error", http.StatusBadRequest},
	{"authentication_error", http.StatusUnauthorized},
	{"billing_error", http.StatusPaymentRequired},
	{"permission_error", http.StatusForbidden},
	{"not_found_error", http.StatusNotFound},
	{"request_too_large", http.StatusRequestEntityTooLarge},
	{"rate_limit_error", http.StatusTooManyRequests},
	{"api_error", http.StatusInternalServerError},
	{"timeout_error", http.StatusGatewayTimeout},
	{"overloaded_error", statusOverloaded},
}

// statusOverloaded is Anthropic's own status.
const statusOverloaded = 529

func mapErrorType(e *core.Error) string {
	if e.Code == core.CodeOverloaded {
		return "overloaded_error"
	}
	status := e.HTTPStatus()
	for i := range errorTypes {
		if errorTypes[i].status == status {
			return errorTypes[i].name
		}
	}
	if status >= http.StatusInternalServerError {
		return "api_error"
	}
	return "invalid_request_error"
}

// mapErrorStatus returns the status for an error type in a stream, or 0.
func mapErrorStatus(typ string) int {
	for i := range errorTypes {
		if errorTypes[i].name == typ {
			return errorTypes[i].status
		}
	}
	return 0
}

// ReadError returns the code and message of a provider's error body.
func (Messages) ReadError(body []byte) (code, message string) { return readError(body) }

func readError(body []byte) (code, message string) {
	var v struct {
		Error   json.RawMessage `json:"error"`
		Message any             `json:"message"` // of Bedrock, whose code is in the header
	}
	if json.Unmarshal(body, &v) != nil {
		return "", ""
	}
	if message, ok := v.Message.(string); ok && v.Error == nil {
		return "", message
	}
	// Decode as any: a member of an unexpected type must not hide the others.
	var e struct {
		Type    any `json:"type"`
		Status  any `json:"status"` // of Google Cloud
		Message any `json:"message"`
	}
	if json.Unmarshal(v.Error, &message) == nil || json.Unmarshal(v.Error, &e) != nil {
		return "", message
	}
	if code, _ = e.Type.(string); code == "" {
		code, _ = e.Status.(string)
	}
	message, _ = e.Message.(string)
	return code, message
}
