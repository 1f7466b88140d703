package downstream

import (
	"io"
	"net/http"
	"os"
)

// States of the request body that a connection receives.
const (
	bodyIdle     = iota // nothing waits for it
	bodyAwaited         // a read waits for it
	bodyTimedOut        // it arrived too slowly: the connection reads no more
)

// StartBodyTimeout starts the body timeout: from now on the server may time the body out.
func (h *Hangup) StartBodyTimeout() { h.body.CompareAndSwap(bodyIdle, bodyAwaited) }

// FinishBody stops the body timeout. It reports false if the body has timed out.
func (h *Hangup) FinishBody() (inTime bool) { return h.body.CompareAndSwap(bodyAwaited, bodyIdle) }

// ResetBodyTimeout forgets the timeout of the previous request's body.
func (h *Hangup) ResetBodyTimeout() { h.body.Store(bodyIdle) }

func (h *Hangup) awaitsBody() bool { return h.body.Load() == bodyAwaited }

// timeOutBody ends the wait from the connection's side. It reports false if nothing waits.
func (h *Hangup) timeOutBody() bool { return h.body.CompareAndSwap(bodyAwaited, bodyTimedOut) }

// LimitBody applies the body timeout to each read of r.Body, which then fails with os.ErrDeadlineExceeded.
func LimitBody(r *http.Request) {
	if h := FindHangup(r.Context()); h != nil && r.ContentLength != 0 {
		r.Body = limitedBody{r.Body, h}
	}
}

type limitedBody struct {
	io.ReadCloser
	h *Hangup
}

func (b limitedBody) Read(p []byte) (int, error) {
	b.h.StartBodyTimeout()
	n, err := b.ReadCloser.Read(p)
	if !b.h.FinishBody() {
		return n, os.ErrDeadlineExceeded
	}
	return n, err
}
