package openai

import (
	"net/http"
	"strings"
)

// mapCode returns the HTTP status for an error code in a stream, or 0.
func mapCode(code string) int {
	switch code {
	case "rate_limit_exceeded", "insufficient_quota", "rate_limit_error", "too_many_requests", "tokens", "requests":
		return http.StatusTooManyRequests
	case "server_error", "internal_error", "internal_server_error":
		return http.StatusInternalServerError
	case "server_is_overloaded", "slow_down", "overloaded", "overloaded_error", "service_unavailable", "engine_overloaded":
		return http.StatusServiceUnavailable
	case "vector_store_timeout", "timeout", "request_timeout":
		return http.StatusGatewayTimeout
	case "invalid_api_key", "authentication_error", "unauthorized":
		return http.StatusUnauthorized
	case "permission_error", "permission_denied", "forbidden":
		return http.StatusForbidden
	case "model_not_found", "not_found_error", "not_found", "image_file_not_found":
		return http.StatusNotFound
	case "invalid_request_error", "context_length_exceeded", "bio_policy", "cyber_policy", "data_residency_mismatch", "content_filter",
		"image_too_large", "image_too_small", "image_parse_error", "image_content_policy_violation", "image_file_too_large",
		"unsupported_image_media_type", "empty_image_file", "failed_to_download_image", "unsupported_parameter", "unsupported_value":
		return http.StatusBadRequest
	}
	if strings.HasPrefix(code, "invalid_") {
		return http.StatusBadRequest
	}
	return 0
}

// mapStatus returns the error code for a failure without one.
func mapStatus(status int) string {
	switch status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return "invalid_request_error"
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusTooManyRequests:
		return "rate_limit_exceeded"
	case http.StatusServiceUnavailable:
		return "service_unavailable"
	case http.StatusGatewayTimeout:
		return "timeout"
	}
	return "server_error"
}
