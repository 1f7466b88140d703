package upstream

import (
	"context"
	"errors"
	"io"
	"os"
)

// Phase is the part of a call in which it failed.
type Phase uint8

// The phases, in the order in which a call passes through them. The zero value means that the call has not begun.
const (
	PhaseDial      Phase = iota + 1 // resolving the name and connecting
	PhaseHandshake                  // TLS
	PhaseWrite                      // sending the request
	PhaseFirstByte                  // waiting for the answer to begin
	PhaseHead                       // status line and header fields
	PhaseBody                       // body and trailers
)

// String names the phase for logs and metric labels.
func (p Phase) String() string {
	switch p {
	case PhaseDial:
		return "dial"
	case PhaseHandshake:
		return "handshake"
	case PhaseWrite:
		return "write"
	case PhaseFirstByte:
		return "first byte"
	case PhaseHead:
		return "head"
	case PhaseBody:
		return "body"
	}
	return "not begun"
}

// Errors that an *Error may wrap, besides errors of the network, of TLS and of the context.
var (
	// ErrRequest means that the request cannot be sent as it is. Nothing was sent.
	ErrRequest = errors.New("request refused")
	// ErrMalformed means that the answer violates HTTP.
	ErrMalformed = errors.New("malformed answer")
	// ErrTooLarge means that the head or the trailers of the answer exceed their limit. It is wrapped together with ErrMalformed.
	ErrTooLarge = errors.New("too large")
	// ErrClosed means that the client is closed.
	ErrClosed = errors.New("client closed")
)

// Error describes why a call failed. Its text never contains header values, bodies or anything else that was sent or
// received.
type Error struct {
	// Phase is the phase that the call had reached.
	Phase Phase
	// Timeout reports that a limit of Timeouts, the limit on the head, or the deadline of the context was exceeded.
	Timeout bool
	// Unsent reports that no byte of the request can have reached the provider, so that it may safely be sent elsewhere.
	Unsent bool
	// Err is the cause: the context's error if the caller hung up, os.ErrDeadlineExceeded if a limit of Timeouts was exceeded.
	Err error
}

func (e *Error) Error() string {
	text := "upstream: " + e.Phase.String()
	switch {
	case errors.Is(e.Err, ErrTotal):
		return text + ": the total time ran out"
	case e.Timeout && errors.Is(e.Err, os.ErrDeadlineExceeded):
		return text + ": time ran out"
	}
	if e.Err == nil {
		return text
	}
	return text + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// refusal is a reason to refuse a request.
type refusal string

func (r refusal) Error() string { return "request refused: " + string(r) }
func (r refusal) Unwrap() error { return ErrRequest }

// malformedError is a reason to refuse an answer. The texts are constants: an error never contains bytes of an answer.
type malformedError string

func (m malformedError) Error() string { return "malformed answer: " + string(m) }
func (m malformedError) Unwrap() error { return ErrMalformed }

// tooLargeError is an answer that is malformed because of its size.
type tooLargeError string

func (t tooLargeError) Error() string   { return "malformed answer: too large: " + string(t) }
func (t tooLargeError) Unwrap() []error { return []error{ErrMalformed, ErrTooLarge} }

// cut is an answer that ended too early, with the network's error if there is one.
type cut struct{ cause error }

func (c cut) Error() string {
	if c.cause == nil {
		return "answer cut off"
	}
	return "answer cut off: " + c.cause.Error()
}

func (c cut) Unwrap() []error {
	if c.cause == nil {
		return []error{io.ErrUnexpectedEOF}
	}
	return []error{io.ErrUnexpectedEOF, c.cause}
}

// convertToCut converts the error with which a connection ended into a cut.
func convertToCut(err error) error {
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return cut{}
	}
	return cut{cause: err}
}

// abandonedError is the error of a call whose context has ended: the context's error, with its cause.
type abandonedError struct{ err, cause error }

func (l abandonedError) Error() string   { return l.err.Error() }
func (l abandonedError) Unwrap() []error { return []error{l.err, l.cause} }

// convertContextError returns the error of a call whose context has ended.
func convertContextError(ctx context.Context, phase Phase) *Error {
	err := ctx.Err()
	e := &Error{Phase: phase, Timeout: errors.Is(err, context.DeadlineExceeded), Err: err}
	if cause := context.Cause(ctx); cause != err { // identity: a cause is wrapped only if it differs
		e.Err = abandonedError{err, cause}
	}
	return e
}

// isTimeout reports whether err is an exceeded deadline or a network timeout.
func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &t) && t.Timeout()
}
