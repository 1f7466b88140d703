package socket

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

// appendLaneEvent appends an event, with the lane that it belongs to.
func appendLaneEvent(dst, event []byte, lane string) []byte {
	if lane == "" {
		return append(dst, event...)
	}
	dst = append(dst, `{"stream_id":`...)
	dst = splice.AppendString(dst, lane)
	return append(append(dst, ','), event[1:]...)
}

// toldHeaders are the headers of a refusal that clients read.
var toldHeaders = []string{"Retry-After", "X-Should-Retry", "X-Trace-Id"}

// appendError appends the event for an error of the socket itself.
func appendError(dst []byte, lane string, e *core.Error) []byte {
	return appendRefusal(dst, lane, e.HTTPStatus(), nil, shape.AppendError(nil, e))
}

// appendRefusal appends the event for a refused turn: the error body of the Responses API with its status and the
// values of toldHeaders.
func appendRefusal(dst []byte, lane string, status int, told []string, body []byte) []byte {
	b := append([]byte(`{"type":"error","status":`), strconv.Itoa(status)...)
	open := `,"headers":{`
	for i, v := range told {
		if v != "" {
			b = splice.AppendString(append(b, open...), strings.ToLower(toldHeaders[i]))
			b = splice.AppendString(append(b, ':'), v)
			open = ","
		}
	}
	if open == "," {
		b = append(b, '}')
	}
	if len(body) > 2 && body[0] == '{' {
		b = append(append(b, ','), body[1:]...)
	} else {
		b = append(b, '}')
	}
	return appendLaneEvent(dst, b, lane)
}

// appendPreparedEvent appends an event about a conversation that is only prepared.
func appendPreparedEvent(dst []byte, typ string, n int, id string, q *create, status string) []byte {
	var model string
	_ = json.Unmarshal(q.model, &model) // anything else names no model
	answer := llm.Response{ID: id, Created: time.Now().Unix(), Usage: llm.Usage{Reported: true}}
	response := shape.Encode(nil, &llm.Request{Model: model}, &answer)
	response = bytes.Replace(response, []byte(`"status":"completed"`), []byte(`"status":"`+status+`"`), 1)
	b := append([]byte(`{"type":"`), typ...)
	b = append(b, `","sequence_number":`...)
	b = strconv.AppendInt(b, int64(n), 10)
	b = append(append(b, `,"response":`...), response...)
	return appendLaneEvent(dst, append(b, '}'), q.lane)
}

// newID returns the id of a response that no provider has given.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return "resp_" + hex.EncodeToString(b[:])
}
