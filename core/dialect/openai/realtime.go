package openai

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/sse"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// Realtime is the shape of the Realtime API. The gateway writes the requests: the conversation and the settings of a
// session as a request of the Responses API with items of Realtime. A streamed answer is the events of one response as
// the provider sent them, in the form of 2025-08 or of the beta before.
type Realtime struct{ Responses }

var (
	_ core.Dialect  = Realtime{}
	_ core.Repeater = Realtime{}
)

// RealtimeName is the name of the Realtime shape.
const RealtimeName = "openai.realtime"

// Headers with which a session gives the scan of its request what the body lacks: the tokens of sound that the model
// reads, and the limit of tokens that it writes.
const (
	RealtimeHeard   = "Headgate-Heard-Tokens"
	RealtimeWritten = "Headgate-Written-Tokens"
)

// Name returns RealtimeName.
func (Realtime) Name() string { return RealtimeName }

// Scan validates a request and finds its texts.
func (Realtime) Scan(x *core.Exchange) *core.Error {
	r := responsesRequest{request: request{Request: scan.NewRequest(x, responsesMarks)}, live: true}
	n := scan.FindNotes[responsesNotes](x)
	n.leaves, n.live = 0, true
	if e := r.ChooseError(r.readBody()); e != nil {
		return e
	}
	x.RelatedDialect, x.Head.Task = ResponsesName, llm.TaskTalk
	media := readHeaderCount(x.Request.Header, RealtimeHeard)
	x.Head.MaxUsage = llm.Usage{Media: media, Input: media, Output: readHeaderCount(x.Request.Header, RealtimeWritten)}
	x.Head.MaxUsage.MediaOutput = x.Head.MaxUsage.Output
	for i := range x.Request.Segments { // a token has at least a byte
		x.Head.MaxUsage.Input += int64(x.Request.Segments[i].Span.Len())
	}
	return nil
}

func readHeaderCount(h http.Header, name string) int64 {
	n, _ := strconv.ParseInt(h.Get(name), 10, 64) // 0 if missing
	return max(n, 0)
}

// ScanEvent reads one event of a response.
func (Realtime) ScanEvent(x *core.Exchange, ev *core.Event) error {
	return Responses{}.ScanEvent(x, ev)
}

// liveTypes are the types of events that carry texts, as the Responses API names them.
var liveTypes = map[string]string{
	"response.text.delta":                    "response.output_text.delta",
	"response.text.done":                     "response.output_text.done",
	"response.audio_transcript.delta":        "response.output_text.delta",
	"response.audio_transcript.done":         "response.output_text.done",
	"response.output_audio_transcript.delta": "response.output_text.delta",
	"response.output_audio_transcript.done":  "response.output_text.done",
}

// applyLive interprets events that only Realtime has. It reports whether the event was one of them.
func (c *responsesEvent) applyLive() bool {
	if t, ok := liveTypes[string(c.typ)]; ok {
		c.typ = []byte(t)
		return false
	}
	switch string(c.typ) {
	case "response.output_audio.delta", "response.audio.delta":
		if scan.IsBase64(c.doc[c.delta.Start:c.delta.End]) {
			c.delta = splice.Span{}
		}
	case "response.output_audio.done", "response.audio.done":
	case "response.done":
		c.ev.Done = true
		c.readRepeatedValue(c.response, c.readLiveEnd)
		c.typ = []byte("response.completed") // which has the response as its member
	default:
		return false
	}
	c.readRemainingMembers()
	return true
}

// liveEnd describes how a finished response ended.
type liveEnd struct {
	Status  string `json:"status"`
	Details struct {
		Reason string    `json:"reason"`
		Error  errorBody `json:"error"`
	} `json:"status_details"`
}

// readLiveEnd reads a finished response: its output, its usage, and why it ended.
func (c *responsesEvent) readLiveEnd(o *outputScan) {
	var end liveEnd
	if json.Unmarshal(o.doc, &end) == nil && end.Status == "failed" {
		c.ev.Failed, c.ev.Status = true, mapCode(end.Details.Error.findCode())
	}
	o.s.Enter()
	for o.s.Next() {
		switch key := string(o.s.Key()); key {
		case "output":
			o.readItems()
		case "usage":
			if u, ok := readResponsesUsage(o.s, o.doc); ok {
				c.x.Usage = u
			}
		case "status":
			if o.s.Kind() != splice.String {
				o.s.Skip()
				break
			}
			at, _ := o.s.String()
			c.ev.Finish = scan.ShiftSpan(at, o.base)
		default:
			o.readLiveMember(key)
		}
	}
}

// liveMembers are members of a response that are not texts, or repeat the client's input.
var liveMembers = map[string]bool{
	"status_details": true, "conversation_id": true, "output_modalities": true, "modalities": true, "audio": true, "voice": true,
	"output_audio_format": true, "temperature": true, "max_output_tokens": true,
}

func (o *outputScan) readLiveMember(key string) {
	if liveMembers[key] {
		o.scanNonText(-1, "answer")
		return
	}
	o.readAnswerMember(key)
}

// liveTextual are the members of a text event that AppendDelta copies.
var liveTextual = map[string]bool{
	"type": true, "event_id": true, "response_id": true, "item_id": true, "output_index": true, "content_index": true, "call_id": true,
}

// AppendDelta appends an event that carries text for a part: the last event of that part with another text.
func (Realtime) AppendDelta(dst, like []byte, _ core.Part, text string) []byte {
	lo, hi, _ := sse.FindData(like)
	doc, from := like[lo:hi], len(dst)
	dst = append(dst, "data: {"...)
	var s splice.Scanner
	s.Reset(doc)
	typ := ""
	s.Enter()
	for s.Next() {
		key := string(s.Key())
		at := s.Skip()
		if !liveTextual[key] || s.Err() != nil {
			continue
		}
		if key == "type" {
			typ = string(bytes.Trim(doc[at.Start:at.End], `"`))
		}
		dst = append(append(append(dst, '"'), key...), `":`...)
		dst = append(append(dst, doc[at.Start:at.End]...), ',')
	}
	if typ == "" {
		return dst[:from]
	}
	dst = append(dst, `"delta":"`...)
	dst = splice.AppendEscaped(dst, text)
	return append(dst, "\"}\n\n"...)
}

// AppendEnd ends a response early: as incomplete by content filter after a denial, otherwise as failed, after an error
// event with the reason.
func (d Realtime) AppendEnd(dst, like, _ []byte, e *core.Error) []byte {
	dst = append(dst, "data: "...)
	dst = d.AppendEvent(dst, "event_error", "", e)
	dst = append(dst, "\n\n"...)
	lo, hi, _ := sse.FindData(like)
	var event struct {
		Response struct {
			ID           string          `json:"id"`
			Conversation json.RawMessage `json:"conversation_id"`
		} `json:"response"`
	}
	if json.Unmarshal(like[lo:hi], &event) != nil || event.Response.ID == "" {
		return dst
	}
	status, reason := "failed", "error"
	if e.Kind == core.ContentFiltered || e.Kind == core.Forbidden {
		status, reason = "incomplete", "content_filter"
	}
	dst = append(dst, `data: {"type":"response.done","event_id":"`...)
	dst = splice.AppendEscaped(dst, "event_"+event.Response.ID)
	dst = append(dst, `","response":{"object":"realtime.response","id":"`...)
	dst = splice.AppendEscaped(dst, event.Response.ID)
	dst = append(dst, `","status":"`+status+`","status_details":{"type":"`+status+`","reason":"`+reason+`"},"output":[]`...)
	if len(event.Response.Conversation) > 0 {
		dst = append(append(dst, `,"conversation_id":`...), event.Response.Conversation...)
	}
	return append(dst, "}}\n\n"...)
}

// AppendEvent appends an error event. cause is the id of the refused client event, or "".
func (d Realtime) AppendEvent(dst []byte, id, cause string, e *core.Error) []byte {
	return d.AppendRefusal(dst, id, cause, e.Type(), e)
}

// AppendRefusal appends an error event of a type.
func (Realtime) AppendRefusal(dst []byte, id, cause, typ string, e *core.Error) []byte {
	dst = append(dst, `{"type":"error","event_id":"`...)
	dst = splice.AppendEscaped(dst, id)
	dst = append(dst, `","error":{"type":"`...)
	dst = splice.AppendEscaped(dst, typ)
	dst = append(dst, `","code":"`...)
	dst = splice.AppendEscaped(dst, e.Code)
	dst = append(dst, `","message":"`...)
	dst = append(splice.AppendEscaped(dst, e.Public), '"')
	for _, m := range [2][2]string{{"param", e.Param}, {"event_id", cause}} {
		dst = append(append(append(dst, `,"`...), m[0]...), `":`...)
		if m[1] == "" {
			dst = append(dst, "null"...)
		} else {
			dst = splice.AppendString(dst, m[1])
		}
	}
	return append(dst, "}}"...)
}

// ReadError returns the code and message of a failed response, or of a provider's error body.
func (Realtime) ReadError(body []byte) (code, message string) {
	var event struct {
		Response liveEnd `json:"response"`
	}
	if json.Unmarshal(body, &event) == nil && event.Response.Status == "failed" {
		return event.Response.Details.Error.findCode(), event.Response.Details.Error.findText()
	}
	return Responses{}.ReadError(body)
}
