package bedrock

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream/eventstreamapi"

	"github.com/headgate-dev/headgate/core/body/splice"
)

// StreamType is the content type of Bedrock's streams.
const StreamType = "application/vnd.amazon.eventstream"

// InvokeStream turns the stream of InvokeModelWithResponseStream into the server-sent events of the Messages API. Each
// frame holds one event of the model's own API in base64, which is handed on as it is. The zero value is ready for use.
type InvokeStream struct{ framer }

// Append appends the events whose frames b completes. An error is the provider's fault.
func (s *InvokeStream) Append(dst, b []byte) ([]byte, error) {
	if s.frames == nil {
		s.frames = eventstream.NewDecoder()
	}
	err := s.split(b, func(m *eventstream.Message) (err error) {
		dst, err = appendInvoked(dst, m)
		return err
	})
	return dst, err
}

func appendInvoked(dst []byte, m *eventstream.Message) ([]byte, error) {
	switch readHeader(m, eventstreamapi.MessageTypeHeader) {
	case eventstreamapi.EventMessageType:
		if readHeader(m, eventstreamapi.EventTypeHeader) != "chunk" {
			return dst, nil // the API grows
		}
		var v struct {
			Bytes []byte `json:"bytes"`
		}
		if err := json.Unmarshal(m.Payload, &v); err != nil {
			return dst, errors.New("broken event stream: a chunk without its bytes")
		}
		return appendEvent(dst, v.Bytes)
	case eventstreamapi.ExceptionMessageType:
		code, message := readException(readHeader(m, eventstreamapi.ExceptionTypeHeader), m.Payload)
		return appendFailure(dst, code, message), nil
	case eventstreamapi.ErrorMessageType:
		return appendFailure(dst, readHeader(m, eventstreamapi.ErrorCodeHeader), readHeader(m, eventstreamapi.ErrorMessageHeader)), nil
	}
	return dst, nil
}

// appendEvent appends an event under the name that its data has.
func appendEvent(dst, data []byte) ([]byte, error) {
	var v struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return dst, errors.New("broken event stream: a chunk without an event")
	}
	if bytes.ContainsAny(data, "\r\n") { // a line break would end the event
		var b bytes.Buffer
		if err := json.Compact(&b, data); err != nil {
			return dst, errors.New("broken event stream: a chunk without an event")
		}
		data = b.Bytes()
	}
	for _, c := range []byte(v.Type) {
		if c != '_' && (c < 'a' || c > 'z') {
			return dst, errors.New("broken event stream: the type of an event is not a name")
		}
	}
	dst = append(append(dst, "event: "...), v.Type...)
	dst = append(append(dst, "\ndata: "...), data...)
	return append(dst, "\n\n"...), nil
}

// errorTypes are the types of the Messages API's errors by the status that an exception stands for.
var errorTypes = map[int]string{
	http.StatusBadRequest: "invalid_request_error", http.StatusForbidden: "permission_error", http.StatusNotFound: "not_found_error",
	http.StatusTooManyRequests: "rate_limit_error", http.StatusServiceUnavailable: "overloaded_error",
}

// appendFailure appends the error event of the Messages API.
func appendFailure(dst []byte, code, message string) []byte {
	typ := errorTypes[statuses[code]]
	if typ == "" {
		typ = "api_error"
	}
	dst = append(dst, `event: error`+"\n"+`data: {"type":"error","error":{"type":"`+typ+`","message":"`...)
	return append(splice.AppendEscaped(dst, message), "\"}}\n\n"...)
}
