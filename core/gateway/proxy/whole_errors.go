package proxy

import (
	"bytes"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect"
	"github.com/headgate-dev/headgate/core/llm"
)

// errorInside finds an error that a provider has sent with a status of success, in
// an answer that is passed on as it is. One that tells its usage is no error.
func (c *call) errorInside(body []byte) *core.Error {
	if c.tr != nil || c.x.Usage.Reported || !isError(&c.x.Scanner, body) {
		return nil
	}
	return c.unusableAnswer(body, nil)
}

// isError reports whether a JSON object is an error and no answer. An answer of the
// Responses API has a member for its error, and says what it is.
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

// unusableAnswer makes the client's error of a whole answer that is none: the status that
// the error in it stands for, if it is one, as at the beginning of a stream.
func (c *call) unusableAnswer(body []byte, err error) *core.Error {
	if f := c.failureIn(body); f != nil {
		return c.earlyError(c.snap.Providers[c.x.Target.Provider], f)
	}
	e := c.invalidAnswer("it is not what its API answers")
	e.Err = err
	return e
}

// failureIn reads an error as if it stood in a stream, where the decoder of the
// provider's shape knows what it stands for.
func (c *call) failureIn(body []byte) (f *llm.Failure) {
	w, ok := dialect.Wire(c.x.Target.Wire)
	if !ok {
		return nil
	}
	code, message := w.ReadError(body)
	if code == "" && message == "" {
		return nil
	}
	f = &llm.Failure{Code: code, Message: message}
	line := bytes.Map(func(r rune) rune { // a line break in JSON is as good as a space
		if r == '\n' || r == '\r' {
			return ' '
		}
		return r
	}, body)
	if w.Stream == "text/event-stream" {
		line = append([]byte("data: "), line...)
	}
	// It may be no event of this shape: then the status stays unknown.
	_ = w.DecodeStream().Decode(append(line, "\n\n"...), func(ev *llm.Event) error {
		if ev.Kind == llm.Failed {
			f.Status = ev.Error.Status
		}
		return nil
	})
	return f
}
