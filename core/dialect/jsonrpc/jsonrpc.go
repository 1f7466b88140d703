// Package jsonrpc holds the common readers and writers of the JSON-RPC 2.0 shapes: the Model Context Protocol (MCP) and
// the Agent2Agent protocol (A2A).
package jsonrpc

import (
	"bytes"
	"errors"
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// Codes of errors that other shapes do not have. They are stable: clients may branch on them.
const (
	CodeInvalidMessage = "invalid_message"
	CodeMethodNotFound = "method_not_found"
)

// Numbers of errors that JSON-RPC defines.
const (
	NumberParse          = -32700
	NumberInvalidRequest = -32600
	NumberMethodNotFound = -32601
	NumberInvalidParams  = -32602
	NumberInternal       = -32603
)

// FindNumber returns the number of an error that JSON-RPC itself defines. It reports false for any other.
func FindNumber(e *core.Error) (int, bool) {
	switch e.Code {
	case core.CodeInvalidJSON, core.CodeDuplicateKey:
		return NumberParse, true
	case CodeInvalidMessage:
		return NumberInvalidRequest, true
	case CodeMethodNotFound:
		return NumberMethodNotFound, true
	case core.CodeInvalidValue, core.CodeMissingField, core.CodeUnsupported:
		return NumberInvalidParams, true
	}
	return 0, false
}

// maxID limits an id, in bytes.
const maxID = 128

// WantID says what an id must be.
const WantID = `"id" must be an integer, or a string of at most 128 letters, digits and the signs _-.:/+=$#?&~`

// IsID reports whether a raw value can be the id of a request. Answers and records repeat the id, and no guard sees it, so it
// must look like an identifier.
func IsID(kind splice.Kind, raw []byte) bool {
	switch kind {
	case splice.Number:
		return len(raw) <= 19 && !bytes.ContainsAny(raw, ".eE")
	case splice.String:
		plain := len(raw) > 2 && len(raw) <= maxID+2
		if plain {
			scan.VisitOddStrings(raw, splice.Span{End: len(raw)}, func(splice.Span) { plain = false })
		}
		return plain
	}
	return false
}

// NewInvalidMessage returns the error of a message that is not valid JSON-RPC.
func NewInvalidMessage(param, public string) *core.Error {
	e := scan.NewInvalid(param, public)
	e.Code = CodeInvalidMessage
	return e
}

// AppendErrorHead appends an error response up to its message; the caller appends the data and closes two objects. id is the raw
// id of the client, or empty if unknown.
func AppendErrorHead(dst, id []byte, number int, message string) []byte {
	dst = append(dst, `{"jsonrpc":"2.0"`...)
	if len(id) > 0 {
		dst = append(append(dst, `,"id":`...), id...)
	}
	dst = strconv.AppendInt(append(dst, `,"error":{"code":`...), int64(number), 10)
	return splice.AppendString(append(dst, `,"message":`...), message)
}

// AppendError is AppendErrorHead with data. The caller may add members to the data, and closes three objects.
func AppendError(dst, id []byte, number int, e *core.Error) []byte {
	dst = AppendErrorHead(dst, id, number, e.Public)
	dst = splice.AppendString(append(dst, `,"data":{"code":`...), e.Code)
	dst = splice.AppendString(append(dst, `,"type":`...), e.Type())
	if e.Param != "" {
		dst = splice.AppendString(append(dst, `,"param":`...), e.Param)
	}
	return dst
}

var errNotObject = errors.New("the answer is not a JSON-RPC message")

// ReadError returns the number and the message of an error response.
func ReadError(body []byte) (code, message string) {
	var s splice.Scanner
	if scan.OpenObject(&s, body, errNotObject) != nil {
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
				code = string(scan.ReadNumber(&s, body))
			case "message":
				message = scan.ReadText(&s, body)
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

// Seek moves a scanner to the value at a path of members. It reports false if the path does not exist.
func Seek(s *splice.Scanner, doc []byte, path ...string) bool {
	s.Reset(doc)
	for _, want := range path {
		if s.Kind() != splice.Object || !s.Enter() {
			return false
		}
		for {
			if !s.Next() {
				return false
			}
			if string(s.Key()) == want {
				break
			}
			s.Skip()
		}
	}
	return s.Err() == nil
}
