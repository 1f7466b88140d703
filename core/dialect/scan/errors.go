package scan

import (
	"errors"
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// NewInvalid returns the error of a field whose value is not allowed.
func NewInvalid(param, public string) *core.Error {
	return &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Public: public, Param: param}
}

// NewUnsupportedError returns the error of a field that the gateway or the provider
// cannot honour.
func NewUnsupportedError(param, public string) *core.Error {
	return &core.Error{Kind: core.InvalidRequest, Code: core.CodeUnsupported, Public: public, Param: param}
}

// NewMissing returns the error of a required field that is absent.
func NewMissing(param string) *core.Error {
	return &core.Error{
		Kind: core.InvalidRequest, Code: core.CodeMissingField, Param: param,
		Public: "you must provide the parameter " + strconv.Quote(param),
	}
}

// NewSyntaxError returns the client's error for an error of a scanner.
func NewSyntaxError(err error) *core.Error {
	e := &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidJSON, Err: err, Public: "the body is not valid JSON"}
	var se *splice.SyntaxError
	if errors.As(err, &se) {
		if se.Reason == splice.ReasonDuplicateKey {
			e.Code = core.CodeDuplicateKey
			e.Public = "an object in the body names a key twice, at byte " + strconv.Itoa(se.Offset) + "; send each key once"
			return e
		}
		e.Public += ": " + string(se.Reason) + " at byte " + strconv.Itoa(se.Offset)
	}
	return e
}
