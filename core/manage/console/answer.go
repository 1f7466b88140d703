package console

import (
	"bytes"
	"net/http"
)

// answer keeps what a handler answers.
type answer struct {
	header http.Header
	sent   http.Header // as it was when the answer began
	body   bytes.Buffer
}

func newAnswer() *answer { return &answer{header: http.Header{}} }

// Header is what may still be changed.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader begins the answer.
func (a *answer) WriteHeader(int) {
	if a.sent == nil {
		a.sent = a.header.Clone()
	}
}

// Write keeps a part of the body.
func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}
