package proxy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"

	"github.com/headgate-dev/headgate/core"
)

// States of the body of the request that a connection serves.
const (
	bodyQuiet   = iota // nobody waits for it
	bodyAwaited        // it is being read
	bodyLate           // it came too slowly: the connection reads no more
)

// Await notes that the body of a request is waited for. What serves the connection may
// then find it late.
func (h *Hangup) Await() { h.body.CompareAndSwap(bodyQuiet, bodyAwaited) }

// Arrived ends the wait. It reports false when the body was late.
func (h *Hangup) Arrived() bool { return h.body.CompareAndSwap(bodyAwaited, bodyQuiet) }

// Awaits reports whether a body is waited for.
func (h *Hangup) Awaits() bool { return h.body.Load() == bodyAwaited }

// Late ends the wait from the connection's side. It reports false when there is none.
func (h *Hangup) Late() bool { return h.body.CompareAndSwap(bodyAwaited, bodyLate) }

// Next begins another request of the connection.
func (h *Hangup) Next() { h.body.Store(bodyQuiet) }

// HangupOf gives the Hangup of a request's connection, or nil.
func HangupOf(ctx context.Context) *Hangup {
	h, _ := ctx.Value(hangupKey{}).(*Hangup)
	return h
}

// Await makes the reads of a request's body ones that can be late.
func Await(r *http.Request) {
	if h := HangupOf(r.Context()); h != nil && r.ContentLength != 0 {
		r.Body = awaited{r.Body, h}
	}
}

// awaited is a body whose reads are waits.
type awaited struct {
	io.ReadCloser
	h *Hangup
}

func (b awaited) Read(p []byte) (int, error) {
	b.h.Await()
	n, err := b.ReadCloser.Read(p)
	if !b.h.Arrived() {
		return n, os.ErrDeadlineExceeded
	}
	return n, err
}

// slow is the error of a body that came too slowly; nil: err is another.
func slow(err error) *core.Error {
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return nil
	}
	return &core.Error{
		Kind: core.InvalidRequest, Status: http.StatusRequestTimeout, Code: core.CodeRequestTimeout, Err: err,
		Public: "the request body came too slowly, so it was not waited for; send it in one go",
	}
}
