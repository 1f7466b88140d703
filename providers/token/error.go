package token

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strconv"

	"golang.org/x/oauth2"
)

// Error is the failure to obtain a token. Its text contains no credential, and of the request and the answer only an error
// code of OAuth.
type Error struct {
	Reason string
	Err    error // the cause, for errors.Is and errors.As only: its text must not be logged
}

func (e *Error) Error() string { return "no access token: " + e.Reason }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// oauthCode matches the error codes of RFC 6749. Other text that a server sends there is not quoted.
var oauthCode = regexp.MustCompile(`^[a-z][a-z_]{1,40}$`)

// describeFailure returns the Error for a failed request for a token. who names the identity service.
func describeFailure(who string, err error) error {
	var own *Error
	var refused *oauth2.RetrieveError
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &refused):
		reason := who + " refused the request"
		if refused.Response != nil {
			reason = who + " answered " + strconv.Itoa(refused.Response.StatusCode)
		}
		var body struct {
			Error string `json:"error"`
		}
		_ = json.Unmarshal(refused.Body, &body) // the library does not read it for service accounts
		if oauthCode.MatchString(body.Error) {
			reason += " (" + body.Error + ")"
		}
		return &Error{Reason: reason}
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Reason: who + " did not answer in time", Err: context.DeadlineExceeded}
	}
	return &Error{Reason: who + " could not be asked: check the credential and that the service can be reached"}
}
