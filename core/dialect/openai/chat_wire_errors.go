package openai

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/headgate-dev/headgate/core/llm"
)

// ReadError returns the code and message of a provider's error body.
func (ChatWire) ReadError(body []byte) (code, message string) { return Chat{}.ReadError(body) }

// chatFailure converts an error object inside a stream. OpenAI sends a word instead of a
// status; others send the status as the code.
func chatFailure(body []byte) *llm.Failure {
	f := &llm.Failure{}
	f.Code, f.Message = ChatWire{}.ReadError(body)
	type numbers struct {
		Code   any    `json:"code"`
		Status any    `json:"status"`
		Type   string `json:"type"`
	}
	var v struct {
		Error numbers `json:"error"`
		numbers
	}
	_ = json.Unmarshal(body, &v) // what could be read is enough
	for _, n := range []any{v.Error.Status, v.Error.Code, v.Status, v.numbers.Code} {
		if n, ok := n.(float64); ok && n >= 400 && n < 600 && f.Status == 0 {
			f.Status = int(n)
		}
	}
	for _, word := range []string{f.Code, v.Error.Type, v.Type} {
		if f.Status == 0 {
			f.Status = chatStatus(word)
		}
	}
	return f
}

// chatStatus returns the HTTP status for an error code or type of OpenAI, or 0.
func chatStatus(word string) int {
	switch word = strings.ToLower(word); word {
	case "invalid_request_error", "invalid_prompt", "context_length_exceeded", "content_filter", "content_policy_violation", "badrequesterror":
		return http.StatusBadRequest
	case "authentication_error", "invalid_api_key":
		return http.StatusUnauthorized
	case "permission_error", "insufficient_permissions":
		return http.StatusForbidden
	case "not_found_error", "model_not_found":
		return http.StatusNotFound
	case "rate_limit_error", "rate_limit_exceeded", "insufficient_quota", "requests", "tokens", "too_many_requests":
		return http.StatusTooManyRequests
	case "server_error", "api_error", "internal_error", "internal_server_error":
		return http.StatusInternalServerError
	case "overloaded", "overloaded_error", "service_unavailable", "engine_overloaded_error":
		return http.StatusServiceUnavailable
	}
	return 0
}
