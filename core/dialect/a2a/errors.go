package a2a

import (
	"net/http"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/jsonrpc"
)

// Codes of errors that other shapes do not have. They are stable: clients may branch on them.
const (
	CodeTaskNotFound = "task_not_found"
	CodePush         = "push_notification_not_supported"
	CodeUnsupported  = "unsupported_operation"
	CodeContentType  = "content_type_not_supported"
	CodeVersion      = "version_not_supported"
)

// numbers are those of the protocol's own errors (specification, section 5.4).
var numbers = map[string]int{
	CodeTaskNotFound:         -32001,
	CodePush:                 -32003,
	CodeUnsupported:          -32004,
	CodeContentType:          -32005,
	core.CodeUpstreamInvalid: -32006,
	CodeVersion:              -32009,
}

// chooseNumber returns the number of an error. What has none has that of its HTTP status.
func chooseNumber(e *core.Error) int {
	if n, ok := numbers[e.Code]; ok {
		return n
	}
	if n, ok := jsonrpc.FindNumber(e); ok {
		return n
	}
	if status := e.HTTPStatus(); status != http.StatusInternalServerError {
		return status
	}
	return jsonrpc.NumberInternal
}

// ChooseHTTPStatus returns the status of an error answer. Clients of the official SDKs read the body only with 200, and the errors of
// the protocol itself are for them; what the gateway decides keeps its status.
func (c *Call) ChooseHTTPStatus(e *core.Error) int {
	if c.Card || c.Notification {
		return e.HTTPStatus()
	}
	if _, own := numbers[e.Code]; own && e.Code != core.CodeUpstreamInvalid || e.Code == jsonrpc.CodeMethodNotFound {
		return http.StatusOK
	}
	return e.HTTPStatus()
}

const (
	infoType  = "type.googleapis.com/google.rpc.ErrorInfo"
	ownDomain = "a2a-protocol.org"
	domain    = "headgate.dev"
)

// AppendError appends an error response to the call. Since version 1.0 its data is a list of details.
func (c *Call) AppendError(dst []byte, e *core.Error) []byte {
	if c.Version != Version10 {
		return append(jsonrpc.AppendError(dst, c.ID, chooseNumber(e), e), "}}}"...)
	}
	where := domain
	if _, own := numbers[e.Code]; own {
		where = ownDomain
	}
	dst = jsonrpc.AppendErrorHead(dst, c.ID, chooseNumber(e), e.Public)
	dst = splice.AppendString(append(dst, `,"data":[{"@type":"`+infoType+`","reason":`...), strings.ToUpper(e.Code))
	dst = splice.AppendString(append(dst, `,"domain":"`+where+`","metadata":{"code":`...), e.Code)
	dst = splice.AppendString(append(dst, `,"type":`...), e.Type())
	if e.Param != "" {
		dst = splice.AppendString(append(dst, `,"param":`...), e.Param)
	}
	return append(dst, "}}]}}"...)
}

// AppendEnd ends a stream early with an error response.
func (c *Call) AppendEnd(dst, _, _ []byte, e *core.Error) []byte {
	return append(c.AppendError(append(dst, "event: message\ndata: "...), e), "\n\n"...)
}
