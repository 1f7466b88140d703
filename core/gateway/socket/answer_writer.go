package socket

import (
	"net/http"
	"strings"

	"github.com/headgate-dev/headgate/core/body/sse"
)

// answerWriter is the http.ResponseWriter of an exchange on a socket. It cuts a streamed answer into events, and keeps any
// other answer whole.
type answerWriter struct {
	header  http.Header // its values belong to the exchange
	status  int
	stream  bool
	events  sse.Splitter
	whole   []byte // an answer that is not streamed: mostly an error
	err     error  // what ended the answer early: Write returns it
	began   func() // called once, when the status is known. Optional
	forward func(ev []byte)
}

// Header returns the header of the answer.
func (w *answerWriter) Header() http.Header { return w.header }

// WriteHeader notes the status.
func (w *answerWriter) WriteHeader(status int) {
	if w.status != 0 {
		return
	}
	w.status = status
	w.stream = strings.HasPrefix(w.header.Get("Content-Type"), "text/event-stream")
	if w.began != nil {
		w.began()
	}
}

// Flush does nothing: complete events are sent at once.
func (w *answerWriter) Flush() {}

// Write forwards the events that are complete.
func (w *answerWriter) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.err != nil {
		return 0, w.err
	}
	if !w.stream {
		w.whole = append(w.whole, b...)
		return len(b), nil
	}
	if w.err = w.events.Write(b); w.err != nil {
		return 0, w.err
	}
	for ev := w.events.Next(); ev != nil; ev = w.events.Next() {
		if w.forward(ev); w.err != nil {
			return 0, w.err
		}
	}
	return len(b), nil
}
