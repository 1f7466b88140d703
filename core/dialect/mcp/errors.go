package mcp

import (
	"net/http"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/jsonrpc"
)

// Codes of errors that other shapes do not have. They are stable: clients may branch on them.
const (
	CodeInvalidMessage     = jsonrpc.CodeInvalidMessage
	CodeMethodNotFound     = jsonrpc.CodeMethodNotFound
	CodeHeaderMismatch     = "header_mismatch"
	CodeUnsupportedVersion = "unsupported_protocol_version"
	CodeSessionNotFound    = "session_not_found"
	CodeToolQuarantined    = "tool_quarantined"
)

// Numbers of errors that the protocol defines.
const (
	numberHeaderMismatch     = -32020
	numberUnsupportedVersion = -32022
)

// NumberMissingCapability is the number of the error of a call that needs a capability which the client does not have.
const NumberMissingCapability = -32021

// chooseNumber returns the number of an error. The specification wants new ones outside the range
// that JSON-RPC reserves ("Error Codes"): what has no number there has that of its HTTP status.
func chooseNumber(e *core.Error) int {
	switch e.Code {
	case CodeHeaderMismatch:
		return numberHeaderMismatch
	case CodeUnsupportedVersion:
		return numberUnsupportedVersion
	}
	if n, ok := jsonrpc.FindNumber(e); ok {
		return n
	}
	switch status := e.HTTPStatus(); {
	case e.Kind == core.NotFound:
		return jsonrpc.NumberInvalidParams // an unknown tool, prompt or resource
	case status == http.StatusInternalServerError:
		return jsonrpc.NumberInternal
	default:
		return status
	}
}

// ChooseHTTPStatus returns the status of an error answer. To a legacy client 404 says that its session has ended, so only the
// body reports an unknown method or tool.
func (c *Call) ChooseHTTPStatus(e *core.Error) int {
	status := e.HTTPStatus()
	if status == http.StatusNotFound && c.Era != Modern && c.Form == Request && e.Code != CodeSessionNotFound {
		return http.StatusOK
	}
	return status
}

// AppendError appends an error response to the call. Its data has the stable code.
func (c *Call) AppendError(dst []byte, e *core.Error) []byte {
	dst = jsonrpc.AppendError(dst, c.ID, chooseNumber(e), e)
	if e.Code == CodeUnsupportedVersion {
		dst = append(dst, `,"supported":[`...)
		for _, v := range c.listSupported() {
			dst = splice.AppendString(splice.AppendComma(dst), v)
		}
		dst = splice.AppendString(append(dst, `],"requested":`...), c.requested)
	}
	return append(dst, "}}}"...)
}

// AppendEnd ends a stream early with an error response.
func (c *Call) AppendEnd(dst, _, _ []byte, e *core.Error) []byte {
	dst = append(dst, "event: message\ndata: "...)
	return append(c.AppendError(dst, e), "\n\n"...)
}

// AppendDelta appends nothing: no text of a stream arrives in pieces.
func (*Call) AppendDelta(dst, _ []byte, _ core.Part, _ string) []byte { return dst }

// ReadError returns the number and the message of a server's error response.
func (*Call) ReadError(body []byte) (code, message string) { return jsonrpc.ReadError(body) }
