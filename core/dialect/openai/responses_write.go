package openai

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/sse"
)

// textual are the members of a text event that AppendDelta copies.
var textual = []string{"type", "sequence_number", "item_id", "output_index", "content_index", "summary_index", "command_index"}

// AppendDelta appends an event that carries text for a part. It copies the last event of
// that part and replaces the text.
func (Responses) AppendDelta(dst, like []byte, _ core.Part, text string) []byte {
	from := len(dst)
	dst = append(dst, "event: "...)
	name := len(dst)
	dst = append(dst, "\ndata: {"...)
	lo, hi, _ := sse.FindData(like)
	doc := like[lo:hi]
	var s splice.Scanner
	s.Reset(doc)
	typ := ""
	s.Enter()
	for s.Next() {
		key := string(s.Key())
		at := s.Skip()
		for _, field := range textual {
			if key != field || s.Err() != nil {
				continue
			}
			if key == "type" {
				typ = strings.Trim(string(doc[at.Start:at.End]), `"`)
			}
			dst = append(append(append(dst, '"'), key...), `":`...)
			dst = append(append(dst, doc[at.Start:at.End]...), ',')
		}
	}
	if typ == "" { // no event to copy, so no part is open
		return dst[:from]
	}
	dst = append(dst, `"delta":"`...)
	dst = splice.AppendEscaped(dst, text)
	dst = append(dst, '"')
	if typ == "response.output_text.delta" {
		dst = append(dst, `,"logprobs":[]`...)
	}
	dst = append(dst, "}\n\n"...)
	return append(dst[:name], append([]byte(typ), dst[name:]...)...)
}

// AppendEnd ends a stream early: as incomplete by content filter after a denial, else as
// failed.
func (d Responses) AppendEnd(dst, like, last []byte, e *core.Error) []byte {
	head := collectStableMembers(like)
	if head == nil {
		dst = append(dst, "event: error\ndata: {\"type\":\"error\",\"code\":\""...)
		dst = splice.AppendEscaped(dst, e.Code)
		dst = append(dst, `","message":"`...)
		dst = splice.AppendEscaped(dst, e.Public)
		dst = strconv.AppendInt(append(dst, "\",\"param\":null,\"sequence_number\":"...), parseNumberAfter(last), 10)
		return append(dst, "}\n\n"...)
	}
	typ := "failed"
	if e.Kind == core.ContentFiltered || e.Kind == core.Forbidden {
		typ = "incomplete"
	}
	dst = append(append(append(dst, "event: response."...), typ...), "\ndata: {\"type\":\"response."...)
	dst = append(append(dst, typ...), `","response":{`...)
	dst = append(dst, head...)
	dst = append(append(append(dst, `"status":"`...), typ...), '"')
	if typ == "incomplete" {
		dst = append(dst, `,"error":null,"incomplete_details":{"reason":"content_filter"}`...)
	} else {
		dst = append(dst, `,"error":{"code":"`...)
		dst = splice.AppendEscaped(dst, e.Code)
		dst = append(dst, `","message":"`...)
		dst = splice.AppendEscaped(dst, e.Public)
		dst = append(dst, `"},"incomplete_details":null`...)
	}
	dst = strconv.AppendInt(append(dst, "},\"sequence_number\":"...), parseNumberAfter(last), 10)
	return append(dst, "}\n\n"...)
}

// parseNumberAfter returns the sequence number after that of last, or 0.
func parseNumberAfter(last []byte) int64 {
	lo, hi, _ := sse.FindData(last)
	var event struct {
		Number *int64 `json:"sequence_number"`
	}
	if json.Unmarshal(last[lo:hi], &event) != nil || event.Number == nil {
		return 0
	}
	return *event.Number + 1
}

// collectStableMembers returns the members of the stream's first event that stay the same to
// its end.
func collectStableMembers(like []byte) (head []byte) {
	lo, hi, _ := sse.FindData(like)
	var event struct {
		Response map[string]json.RawMessage `json:"response"`
	}
	if json.Unmarshal(like[lo:hi], &event) != nil || event.Response == nil {
		return nil
	}
	for _, key := range []string{"id", "object", "created_at", "model", "output", "parallel_tool_calls", "tool_choice", "tools", "usage"} {
		if v, ok := event.Response[key]; ok {
			head = append(append(append(append(append(head, '"'), key...), `":`...), v...), ',')
		}
	}
	return head
}

// AppendError appends an error body in OpenAI's shape.
func (Responses) AppendError(dst []byte, e *core.Error) []byte { return Chat{}.AppendError(dst, e) }

// ReadError returns the code and message of a provider's error body, or of the event
// that ends a stream with an error.
func (Responses) ReadError(body []byte) (code, message string) {
	var event struct {
		Response struct {
			Error *errorBody `json:"error"`
		} `json:"response"`
	}
	if json.Unmarshal(body, &event) == nil && event.Response.Error != nil {
		return event.Response.Error.findCode(), event.Response.Error.findText()
	}
	return Chat{}.ReadError(body)
}
