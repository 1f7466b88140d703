package core

import (
	"errors"
	"net/http"
	"time"
)

// Kind determines the HTTP status and the error type of an Error.
type Kind uint8

// Kinds of errors. The zero value means "not set" and is answered like Internal.
const (
	_                Kind = iota
	InvalidRequest        // 400: the client must change the request
	Unauthenticated       // 401: no key, or a wrong one
	Forbidden             // 403: the key lacks the permission
	NotFound              // 404
	MethodNotAllowed      // 405
	TooLarge              // 413
	ContentFiltered       // 400: a guard objects to the content
	RateLimited           // 429
	Canceled              // 499: the client closed the connection
	Internal              // 500: a bug or failure of the gateway
	BadGateway            // 502: the provider failed or answered nonsense
	Unavailable           // 503: a guard or a queue is out of service
	GatewayTimeout        // 504: the provider did not answer in time
)

var kinds = [...]struct {
	status int
	typ    string
}{
	InvalidRequest:   {http.StatusBadRequest, "invalid_request_error"},
	Unauthenticated:  {http.StatusUnauthorized, "authentication_error"},
	Forbidden:        {http.StatusForbidden, "authorization_error"},
	NotFound:         {http.StatusNotFound, "not_found_error"},
	MethodNotAllowed: {http.StatusMethodNotAllowed, "invalid_request_error"},
	TooLarge:         {http.StatusRequestEntityTooLarge, "invalid_request_error"},
	ContentFiltered:  {http.StatusBadRequest, "invalid_request_error"},
	RateLimited:      {http.StatusTooManyRequests, "rate_limit_error"},
	Canceled:         {499, "canceled"},
	Internal:         {http.StatusInternalServerError, "server_error"},
	BadGateway:       {http.StatusBadGateway, "server_error"},
	Unavailable:      {http.StatusServiceUnavailable, "server_error"},
	GatewayTimeout:   {http.StatusGatewayTimeout, "server_error"},
}

// Codes of errors. They are stable: clients may branch on them.
const (
	CodeInvalidJSON      = "invalid_json"
	CodeDuplicateKey     = "duplicate_key"
	CodeInvalidValue     = "invalid_value"
	CodeMissingField     = "missing_required_parameter"
	CodeUnsupported      = "unsupported_parameter"
	CodeUnauthorized     = "UNAUTHORIZED"
	CodeForbidden        = "FORBIDDEN"
	CodeTenantSuspended  = "TENANT_SUSPENDED"
	CodeModelNotFound    = "model_not_found"
	CodeNotFound         = "not_found"
	CodeMethodNotAllowed = "method_not_allowed"
	CodeTooLarge         = "request_too_large"
	CodeRequestTimeout   = "request_timeout"
	CodeContentFilter    = "content_filter"
	CodeGuardUnavailable = "guard_unavailable"
	CodeOverloaded       = "overloaded"
	CodeRateLimit        = "rate_limit_exceeded"
	CodeQuota            = "insufficient_quota"
	CodePolicyDenied     = "POLICY_DENIED"
	CodeUpstream         = "upstream_error"
	CodeUpstreamTimeout  = "upstream_timeout"
	CodeUpstreamInvalid  = "upstream_invalid_response"
	CodeOutputSchema     = "output_schema_mismatch"
	CodeInternal         = "internal_error"
	CodeCanceled         = "client_closed_request"
)

// Error is the only error that a client sees. Kind determines the status, Code is stable, Public is safe to show; Err,
// the cause, goes only to the log. Create it once, where the reason is known, and pass it on unchanged.
type Error struct {
	Kind       Kind
	Code       string
	Public     string
	Param      string        // the invalid request field, as the shape spells it
	Status     int           // overrides the Kind's status: a provider's own refusal keeps it
	RetryAfter time.Duration // whole seconds are sent; 0: no header
	NoRetry    bool          // a retry cannot succeed: the answer has x-should-retry: false
	Link       string        // the link of the chain that objected or failed
	Err        error
}

// Error returns the code and the public text, never the cause: the cause may be logged, but must not be part of a
// message that could reach a client.
func (e *Error) Error() string { return e.Code + ": " + e.Public }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// HTTPStatus returns the status of the answer.
func (e *Error) HTTPStatus() int {
	if e.Status != 0 {
		return e.Status
	}
	if e.Kind == 0 || int(e.Kind) >= len(kinds) {
		return http.StatusInternalServerError
	}
	return kinds[e.Kind].status
}

// Type returns the error type of the Kind, as the specification names it.
func (e *Error) Type() string {
	if e.Kind == 0 || int(e.Kind) >= len(kinds) {
		return "server_error"
	}
	return kinds[e.Kind].typ
}

// ConvertError returns the Error in err's chain. It maps any other error to an Internal one, whose text does not reveal the
// cause.
func ConvertError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Kind: Internal, Code: CodeInternal, Public: "the gateway failed to handle this request", Err: err}
}
