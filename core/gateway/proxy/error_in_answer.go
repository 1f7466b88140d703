package proxy

import (
	"bytes"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect"
	"github.com/headgate-dev/headgate/core/llm"
)

// findErrorInside finds a provider error that was sent with a success status, in an answer that is passed through
// unchanged. An answer that reports usage is not an error.
func (a *attempts) findErrorInside(body []byte) *core.Error {
	if a.call.answer.tr != nil || a.call.x.Usage.Reported || !isError(&a.call.x.Scanner, body) {
		return nil
	}
	return a.mapDecodeError(body, nil)
}

// isError reports whether a JSON object is an error. An answer of the Responses API also has an error member; it is
// recognized by its object type.
func isError(s *splice.Scanner, doc []byte) bool {
	failed := false
	s.Reset(doc)
	s.Enter()
	for s.Next() {
		switch string(s.Key()) {
		case "error":
			failed = s.Kind() == splice.Object || s.Kind() == splice.String
		case "object", "choices", "output", "content", "candidates", "data":
			return false
		}
		s.Skip()
	}
	return failed
}

// mapDecodeError returns the client's error for a whole answer that could not be decoded: with the status that an error
// in it stands for, as at the start of a stream.
func (a *attempts) mapDecodeError(body []byte, err error) *core.Error {
	if f := a.decodeFailure(body); f != nil {
		return a.newEarlyError(a.call.snap.Providers[a.call.x.Target.Provider], f)
	}
	e := a.newInvalidAnswerError("does not match its API")
	e.Err = err
	return e
}

// decodeFailure decodes an error as if it were an event of a stream: the decoder of the provider's dialect knows its
// status.
func (a *attempts) decodeFailure(body []byte) (f *llm.Failure) {
	w, ok := dialect.FindWire(a.call.x.Target.Wire)
	if !ok {
		return nil
	}
	code, message := w.ReadError(body)
	if code == "" && message == "" {
		return nil
	}
	f = &llm.Failure{Code: code, Message: message}
	line := bytes.Map(func(r rune) rune { // in JSON a line break equals a space
		if r == '\n' || r == '\r' {
			return ' '
		}
		return r
	}, body)
	if w.Stream == "text/event-stream" {
		line = append([]byte("data: "), line...)
	}
	// If this is not an event of the dialect, the status stays unknown.
	_ = w.DecodeStream().Decode(append(line, "\n\n"...), func(ev *llm.Event) error {
		if ev.Kind == llm.Failed {
			f.Status = ev.Error.Status
		}
		return nil
	})
	return f
}
