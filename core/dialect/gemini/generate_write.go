package gemini

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/sse"
)

// eventEnd ends an event like Google's servers.
const eventEnd = "\r\n\r\n"

// appendTail ends an event with the shared members of an earlier one.
func appendTail(dst, like []byte) []byte {
	if lo, hi, n := sse.FindData(like); n == 1 {
		doc := like[lo:hi]
		var s splice.Scanner
		s.Reset(doc)
		o := openObject(&s)
		for f, ok := o.readField(); ok; f, ok = o.readField() {
			at := s.Skip()
			if (f == fModelVersion || f == fResponseID) && s.Err() == nil {
				dst = append(append(dst, `,"`...), names[f]...)
				dst = append(append(dst, `":`...), doc[at.Start:at.End]...)
			}
		}
	}
	return append(append(dst, '}'), eventEnd...)
}

// AppendDelta appends an event that carries text for a part. Calls arrive whole, so
// nothing of them is held back.
func (Generate) AppendDelta(dst, like []byte, p core.Part, text string) []byte {
	if p.Kind == core.KindToolArgs {
		return dst
	}
	dst = append(dst, `data: {"candidates":[{"content":{"parts":[{"text":"`...)
	dst = append(splice.AppendEscaped(dst, text), '"')
	if p.Kind == core.KindReasoning {
		dst = append(dst, `,"thought":true`...)
	}
	dst = append(dst, `}],"role":"model"},"index":`...)
	dst = strconv.AppendInt(dst, int64(p.Choice), 10)
	return appendTail(append(dst, "}]"...), like)
}

// AppendEnd ends a stream early with an error event, also after a denial.
func (d Generate) AppendEnd(dst, _, _ []byte, e *core.Error) []byte {
	dst = append(dst, "data: "...)
	return append(d.AppendError(dst, e), eventEnd...)
}

// AppendError appends an error body. Its details hold our code and the field.
func (Generate) AppendError(dst []byte, e *core.Error) []byte {
	code := e.HTTPStatus()
	dst = append(dst, `{"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(code), 10)
	dst = append(dst, `,"message":"`...)
	dst = splice.AppendEscaped(dst, e.Public)
	dst = append(dst, `","status":"`...)
	dst = append(dst, nameStatus(code)...)
	dst = append(dst, `","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"`...)
	dst = splice.AppendEscaped(dst, e.Code)
	dst = append(dst, `","domain":"headgate","metadata":{"type":"`...)
	dst = append(splice.AppendEscaped(dst, e.Type()), '"')
	if e.Param != "" {
		dst = append(dst, `,"field":"`...)
		dst = append(splice.AppendEscaped(dst, e.Param), '"')
	}
	dst = append(dst, "}}"...)
	if s := (e.RetryAfter + time.Second - 1) / time.Second; s > 0 {
		dst = append(dst, `,{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"`...)
		dst = append(strconv.AppendInt(dst, int64(s), 10), `s"}`...)
	}
	return append(dst, "]}}"...)
}

// nameStatus returns the google.rpc.Code of an HTTP status.
func nameStatus(code int) string {
	switch code {
	case http.StatusUnauthorized:
		return "UNAUTHENTICATED"
	case http.StatusForbidden:
		return "PERMISSION_DENIED"
	case http.StatusNotFound:
		return "NOT_FOUND"
	case http.StatusConflict:
		return "ABORTED"
	case http.StatusTooManyRequests:
		return "RESOURCE_EXHAUSTED"
	case 499:
		return "CANCELLED"
	case http.StatusNotImplemented, http.StatusMethodNotAllowed:
		return "UNIMPLEMENTED"
	case http.StatusBadGateway, http.StatusServiceUnavailable:
		return "UNAVAILABLE"
	case http.StatusGatewayTimeout:
		return "DEADLINE_EXCEEDED"
	}
	if code >= http.StatusInternalServerError {
		return "INTERNAL"
	}
	return "INVALID_ARGUMENT"
}

// ReadError returns the status name and message of a provider's error body. A stream
// without alt=sse sends an array of one error.
func (Generate) ReadError(body []byte) (code, message string) {
	e := readError(body)
	return e.Status, e.Message
}

type failure struct {
	Code    int
	Status  string
	Message string
}

func readError(body []byte) failure {
	var v struct {
		Error struct {
			Code    any `json:"code"`
			Message any `json:"message"`
			Status  any `json:"status"`
		} `json:"error"`
	}
	body = bytes.TrimSpace(body)
	if bytes.HasPrefix(body, []byte("[")) {
		var list []json.RawMessage
		if json.Unmarshal(body, &list) != nil || len(list) == 0 {
			return failure{}
		}
		body = list[len(list)-1]
	}
	if json.Unmarshal(body, &v) != nil {
		return failure{}
	}
	code, _ := v.Error.Code.(float64)
	status, _ := v.Error.Status.(string)
	message, _ := v.Error.Message.(string)
	return failure{Code: int(code), Status: status, Message: message}
}
