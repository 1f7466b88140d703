package console

import (
	"bytes"
	"net/http"
)

// responseRecorder records the answer of a handler.
type responseRecorder struct {
	header http.Header
	sent   http.Header // as it was when the body began
	body   bytes.Buffer
}

func newResponseRecorder() *responseRecorder { return &responseRecorder{header: http.Header{}} }

// Header returns the header, which may be changed until the body begins.
func (a *responseRecorder) Header() http.Header { return a.header }

// WriteHeader freezes the header.
func (a *responseRecorder) WriteHeader(int) {
	if a.sent == nil {
		a.sent = a.header.Clone()
	}
}

// Write records a part of the body.
func (a *responseRecorder) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}
