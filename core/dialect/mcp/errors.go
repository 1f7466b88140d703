package mcp

import (
	"net/http"
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// Codes of errors that other shapes do not have. They are stable: clients may branch on them.
const (
	CodeInvalidMessage     = "invalid_message"
	CodeMethodNotFound     = "method_not_found"
	CodeHeaderMismatch     = "header_mismatch"
	CodeUnsupportedVersion = "unsupported_protocol_version"
	CodeSessionNotFound    = "session_not_found"
	CodeToolQuarantined    = "tool_quarantined"
)

// Numbers of errors that JSON-RPC and the protocol define.
const (
	numberParse              = -32700
	numberInvalidRequest     = -32600
	numberMethodNotFound     = -32601
	numberInvalidParams      = -32602
	numberInternal           = -32603
	numberHeaderMismatch     = -32020
	numberUnsupportedVersion = -32022
)

// NumberMissingCapability is the number of the error of a call that needs a capability which the client does not have.
const NumberMissingCapability = -32021

// number returns the number of an error. The specification wants new ones outside the range
// that JSON-RPC reserves ("Error Codes"): what has no number there has that of its HTTP status.
func number(e *core.Error) int {
	switch e.Code {
	case core.CodeInvalidJSON, core.CodeDuplicateKey:
		return numberParse
	case CodeInvalidMessage:
		return numberInvalidRequest
	case CodeMethodNotFound:
		return numberMethodNotFound
	case CodeHeaderMismatch:
		return numberHeaderMismatch
	case CodeUnsupportedVersion:
		return numberUnsupportedVersion
	case core.CodeInvalidValue, core.CodeMissingField, core.CodeUnsupported:
		return numberInvalidParams
	}
	switch status := e.HTTPStatus(); {
	case e.Kind == core.NotFound:
		return numberInvalidParams // an unknown tool, prompt or resource
	case status == http.StatusInternalServerError:
		return numberInternal
	default:
		return status
	}
}

// HTTPStatus returns the status of an error answer. To a legacy client 404 says that its session
// has ended, so that an unknown method or tool is told in the body alone.
func (c *Call) HTTPStatus(e *core.Error) int {
	status := e.HTTPStatus()
	if status == http.StatusNotFound && c.Era != Modern && c.Form == Request && e.Code != CodeSessionNotFound {
		return http.StatusOK
	}
	return status
}

// AppendError appends an error response to the call. The stable code stands in its data.
func (c *Call) AppendError(dst []byte, e *core.Error) []byte {
	dst = append(dst, `{"jsonrpc":"2.0"`...)
	if len(c.ID) > 0 {
		dst = append(append(dst, `,"id":`...), c.ID...)
	}
	dst = strconv.AppendInt(append(dst, `,"error":{"code":`...), int64(number(e)), 10)
	dst = splice.AppendString(append(dst, `,"message":`...), e.Public)
	dst = splice.AppendString(append(dst, `,"data":{"code":`...), e.Code)
	dst = splice.AppendString(append(dst, `,"type":`...), e.Type())
	if e.Param != "" {
		dst = splice.AppendString(append(dst, `,"param":`...), e.Param)
	}
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
func (*Call) ReadError(body []byte) (code, message string) {
	var s splice.Scanner
	if scan.Open(&s, body, errNotObject) != nil {
		return "", ""
	}
	for s.Next() {
		if string(s.Key()) != "error" || s.Kind() != splice.Object {
			s.Skip()
			continue
		}
		s.Enter()
		for s.Next() {
			switch string(s.Key()) {
			case "code":
				code = string(scan.Number(&s, body))
			case "message":
				message = scan.Text(&s, body)
			default:
				s.Skip()
			}
		}
	}
	if s.End(); s.Err() != nil {
		return "", ""
	}
	return code, message
}
