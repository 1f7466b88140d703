package proxy

import (
	"errors"
	"net/http"
	"os"

	"github.com/headgate-dev/headgate/core"
)

// slowBodyError returns the error of a body that timed out, or nil if err is another.
func slowBodyError(err error) *core.Error {
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return nil
	}
	return &core.Error{
		Kind: core.InvalidRequest, Status: http.StatusRequestTimeout, Code: core.CodeRequestTimeout, Err: err,
		Public: "the request body arrived too slowly; send it without pauses",
	}
}
