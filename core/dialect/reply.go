package dialect

import (
	"bytes"
	"errors"
	"net/http"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/sse"
)

// answerMembers are the members without which a client cannot read a whole answer. Scans do not insist on them, because a provider's
// answer is passed on as it is.
var answerMembers = map[string]string{
	"openai.chat": "choices", "openai.responses": "output", "openai.responses_compact": "output", "openai.completions": "choices",
	"openai.embeddings":  "data",
	"anthropic.messages": "content", "anthropic.count_tokens": "input_tokens", "gemini.generate": "candidates",
	"gemini.count_tokens": "totalTokens",
}

// hasMember reports whether a body is an object with a member.
func hasMember(s *splice.Scanner, body []byte, name string) bool {
	s.Reset(body)
	if s.Kind() != splice.Object || !s.Enter() {
		return false
	}
	for s.Next() {
		if string(s.Key()) == name {
			return true
		}
		s.Skip()
	}
	return false
}

var (
	errNoShape   = errors.New("the client's shape does not accept a stage's body")
	errStreamed  = errors.New("the client asked for a stream, and the body is not events")
	errWhole     = errors.New("the client did not ask for a stream, and the body is not JSON")
	errNoAnswer  = errors.New("the body is not an answer in the client's shape")
	errHalfEvent = errors.New("the body ends within an event")
	errNoEvents  = errors.New("the body contains no event that ends the stream")
)

// ParseReply checks a body with which a stage answers, and returns it as a reply. It is a whole answer in the shape of
// the exchange's client, or, for a client that asked for a stream, the events of one to their end. Tool calls, several
// choices, reasoning, refusals and usage may be in it. The errors contain nothing of the body.
func ParseReply(x *core.Exchange, body []byte) (*core.Payload, error) {
	d := FindClient(x.Dialect)
	if d == nil {
		return nil, errNoShape
	}
	scratch := core.Exchange{Dialect: x.Dialect, Head: core.Head{Model: x.Head.Model, Stream: x.Head.Stream, Task: x.Head.Task}}
	whole := bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("{"))
	if whole {
		if x.Head.Stream {
			return nil, errStreamed
		}
		scratch.Response.Status, scratch.Response.Raw = http.StatusOK, bytes.Clone(body)
		if err := d.ScanResponse(&scratch); err != nil || !hasMember(&scratch.Scanner, body, answerMembers[x.Dialect]) {
			return nil, errNoAnswer
		}
		return &core.Payload{Status: http.StatusOK, Header: jsonHeader, Raw: body}, nil
	}
	if !x.Head.Stream {
		return nil, errWhole
	}
	if err := checkEvents(d, &scratch, body); err != nil {
		return nil, err
	}
	return &core.Payload{Status: http.StatusOK, Header: streamHeader, Raw: body}, nil
}

// checkEvents checks the events of a streamed answer.
func checkEvents(d core.Dialect, x *core.Exchange, body []byte) error {
	var s sse.Splitter
	if err := s.Write(body); err != nil {
		return errNoAnswer
	}
	ended := false
	for raw := s.Next(); raw != nil; raw = s.Next() {
		var ev core.Event
		ev.Reset(raw)
		if err := d.ScanEvent(x, &ev); err != nil || ev.Failed {
			return errNoAnswer
		}
		ended = ended || ev.Done || len(ev.Closes) > 0
	}
	switch {
	case len(s.Rest()) > 0:
		return errHalfEvent
	case !ended:
		return errNoEvents
	}
	return nil
}
