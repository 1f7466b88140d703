package socket

import (
	"bytes"
	"io"
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// create is an event that asks for a response.
type create struct {
	lane     string // the client's name for a sequence of turns; empty for the unnamed one
	previous string // the id of the response that the turn continues; optional
	generate bool   // false: the conversation is only prepared
	ignored  bool   // an event that needs no answer

	members [][]byte // of the body, except the input and what belongs to the transport
	model   []byte   // as JSON; optional
	input   []byte   // items, without the brackets of their list; optional
	isList  bool     // the input may be joined to a conversation
	hasAny  bool     // there is an input
	raw     []byte   // the value of an input that is not a list or a text
}

// maxLane limits the name of a lane, in bytes.
const maxLane = 128

// readCreate reads an event of a client. The body is checked as any other when the turn is served.
func readCreate(doc []byte) (create, *core.Error) {
	q := create{generate: true}
	var s splice.Scanner
	s.Reset(doc)
	if s.Kind() != splice.Object {
		if s.Skip(); s.Err() != nil {
			return q, scan.NewSyntaxError(s.Err())
		}
		return q, scan.NewInvalid("type", "an event must be a JSON object")
	}
	var typ string
	var bad *core.Error
	s.Enter()
	for s.Next() {
		start := s.Pos()
		key := string(s.Key())
		kind := s.Kind()
		from := s.Pos()
		switch key {
		case "type":
			typ = readText(&s, doc, kind)
		case "stream_id":
			q.lane = readText(&s, doc, kind)
			if len(q.lane) > maxLane {
				q.lane, bad = "", scan.NewInvalid(key, `"stream_id" is longer than `+strconv.Itoa(maxLane)+" bytes")
			}
		case "previous_response_id":
			q.previous = readText(&s, doc, kind)
			if q.previous == "" && kind != splice.Null && s.Err() == nil {
				bad = scan.NewInvalid(key, `"previous_response_id" must be the id of a response of this connection`)
			}
		case "generate":
			s.Skip()
			q.generate = kind != splice.False
		case "stream":
			s.Skip()
		case "background":
			s.Skip()
			if kind != splice.False && kind != splice.Null {
				bad = scan.NewUnsupportedError(key, `"background" is not supported on a WebSocket; leave it out`)
			}
		case "input":
			if at := s.Skip(); s.Err() == nil {
				q.readInput(doc[from:at.End], kind)
			}
		default:
			at := s.Skip()
			if s.Err() != nil {
				break
			}
			if key == "model" {
				q.model = doc[from:at.End]
			}
			q.members = append(q.members, doc[start:at.End])
		}
	}
	s.End()
	switch {
	case s.Err() != nil:
		return create{}, scan.NewSyntaxError(s.Err())
	case typ == "response.processed": // Codex reports what it has read
		q.ignored = true
		return q, nil
	case typ != "response.create":
		return q, scan.NewInvalid("type", `the only event of clients is "response.create"`)
	}
	return q, bad
}

func readText(s *splice.Scanner, doc []byte, kind splice.Kind) string {
	if kind != splice.String {
		s.Skip()
		return ""
	}
	return scan.ReadText(s, doc)
}

// readInput reads the new items: a list, or a text, which is a message of the user.
func (q *create) readInput(value []byte, kind splice.Kind) {
	q.hasAny = true
	switch kind {
	case splice.Array:
		q.isList = true
		q.input = bytes.TrimSpace(value[1 : len(value)-1])
	case splice.String:
		q.raw, q.isList = value, true
		q.input = append(append([]byte(`{"type":"message","role":"user","content":`), value...), '}')
	default:
		q.raw = value
	}
}

// join returns the items of the conversation and of the new input.
func (q *create) join(before []byte) []byte {
	if len(before) == 0 {
		return q.input
	}
	if len(q.input) == 0 {
		return before
	}
	out := make([]byte, 0, len(before)+len(q.input)+1)
	return append(append(append(out, before...), ','), q.input...)
}

// buildBody returns the body of the turn's request, with all items of the conversation as its input.
func (q *create) buildBody(input []byte) []byte {
	size := len(input) + len(q.raw) + 64
	for _, m := range q.members {
		size += len(m) + 1
	}
	out := append(make([]byte, 0, size), `{"stream":true`...)
	switch {
	case q.hasAny && (!q.isList || q.previous == "" && q.raw != nil): // as the client wrote it
		out = append(append(out, `,"input":`...), q.raw...)
	case q.hasAny || q.previous != "":
		out = append(append(append(out, `,"input":[`...), input...), ']')
	}
	for _, m := range q.members {
		out = append(append(out, ','), m...)
	}
	return append(out, '}')
}

// newBody returns the body of a request.
func newBody(b []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(b)) }
