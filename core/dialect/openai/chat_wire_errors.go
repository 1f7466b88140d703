package openai

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/headgate-dev/headgate/core/llm"
)

// ReadError returns the code and message of a provider's error body.
func (ChatWire) ReadError(body []byte) (code, message string) { return Chat{}.ReadError(body) }

// readChatFailure converts an error object inside a stream. OpenAI sends a word instead of a
// status; others send the status as the code.
func readChatFailure(body []byte) *llm.Failure {
	f := &llm.Failure{}
	f.Code, f.Message = ChatWire{}.ReadError(body)
	type numbers struct {
		Code   any    `json:"code"`
		Status any    `json:"status"`
		Raw    any    `json:"raw_status_code"` // Mistral's
		Type   string `json:"type"`
	}
	var v struct {
		Error numbers `json:"error"`
		numbers
	}
	_ = json.Unmarshal(body, &v) // what could be read is enough
	for _, n := range []any{v.Error.Status, v.Raw, v.Error.Code, v.Status, v.numbers.Code} {
		if n, ok := n.(float64); ok && n >= 400 && n < 600 && f.Status == 0 {
			f.Status = int(n)
		}
	}
	for _, word := range []string{f.Code, v.Error.Type, v.Type} {
		if f.Status == 0 {
			f.Status = mapChatStatus(word)
		}
	}
	if f.Status == 0 && v.Error.Type == "" && v.Type == "" {
		f.Status = mapZhipuStatus(f.Code)
	}
	return f
}

// mapZhipuStatus returns the HTTP status for an error code of Zhipu, or 0. They are numbers in
// strings, listed at https://docs.bigmodel.cn/cn/api/api-code.
func mapZhipuStatus(code string) int {
	if len(code) != 4 {
		return 0
	}
	switch code {
	case "1113", "1305", "1308", "1309": // no balance, busy, used up
		return http.StatusTooManyRequests
	case "1220":
		return http.StatusForbidden
	case "1230", "1234":
		return http.StatusInternalServerError
	}
	switch code[:3] {
	case "100", "110", "111", "112": // keys and accounts
		return http.StatusUnauthorized
	case "121", "122", "126":
		return http.StatusBadRequest
	case "130":
		if code == "1300" || code == "1301" { // unsafe content
			return http.StatusBadRequest
		}
		return http.StatusTooManyRequests
	}
	return 0
}

// mapChatStatus returns the HTTP status for an error code or type of OpenAI, or 0.
func mapChatStatus(word string) int {
	switch word = strings.ToLower(word); word {
	case "invalid_request_error", "invalid_prompt", "invalid_model",
		"context_length_exceeded", "content_filter", "content_policy_violation", "badrequesterror":
		return http.StatusBadRequest
	case "authentication_error", "invalid_api_key":
		return http.StatusUnauthorized
	case "permission_error", "insufficient_permissions":
		return http.StatusForbidden
	case "not_found_error", "model_not_found":
		return http.StatusNotFound
	case "rate_limit_error", "rate_limit_exceeded", "insufficient_quota", "requests", "tokens", "too_many_requests",
		"rate_limited", "service_tier_capacity_exceeded":
		return http.StatusTooManyRequests
	case "server_error", "api_error", "internal_error", "internal_server_error":
		return http.StatusInternalServerError
	case "overloaded", "overloaded_error", "service_unavailable", "engine_overloaded_error":
		return http.StatusServiceUnavailable
	}
	return 0
}
