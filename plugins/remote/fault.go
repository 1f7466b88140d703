package remote

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// Error says that a guard failed, and how. Its text names the link, and contains neither the URL, nor the judged texts,
// nor text from the guard.
type Error struct {
	Guard, Link string // the kind of guard and the link's name; set by the stage
	Kind        core.Fault
	Reason      string

	left  error       // the cause, if the caller left: the guard is not to blame
	limit *core.Error // how a budget of the caller refuses what the guard would cost; nil if the guard failed
}

// NewFault returns the error of a guard that failed.
func NewFault(kind core.Fault, reason string) *Error { return &Error{Kind: kind, Reason: reason} }

var _ core.FaultReporter = (*Error)(nil)

func (e *Error) Error() string {
	return fmt.Sprintf("%s %q: %s: %s", e.Guard, e.Link, e.Kind, e.Reason)
}

// Fault returns the kind of the fault.
func (e *Error) Fault() core.Fault { return e.Kind }

// CallerLimit returns how a limit of the caller, such as a budget, refused the guard's own call; nil if the guard failed.
func (e *Error) CallerLimit() *core.Error { return e.limit }

// Unwrap returns the cause of the caller's cancellation, or nil.
func (e *Error) Unwrap() error { return e.left }

func (s *Stage) newFault(kind core.Fault, reason string) *Error {
	return &Error{Guard: s.o.Guard, Link: s.o.Link, Kind: kind, Reason: reason}
}

// newLimitError returns the fault of a guard whose own call a budget of the caller refused, or nil for other errors.
func (s *Stage) newLimitError(err error) *Error {
	var refused *core.Error
	if !errors.As(err, &refused) || refused.Code != core.CodeQuota {
		return nil
	}
	e := s.newFault(core.FaultOverload, "a budget of the caller has no room for it")
	e.limit = refused
	return e
}

// newCrowdedError returns the fault of a Check that got no slot.
func (s *Stage) newCrowdedError(parent context.Context) *Error {
	if parent.Err() != nil {
		return s.newLateError(parent)
	}
	return s.newFault(core.FaultOverload, "too many calls are in progress")
}

// newLateError returns the fault of a Check that timed out or whose caller canceled.
func (s *Stage) newLateError(parent context.Context) *Error {
	if parent.Err() != nil {
		e := s.newFault(core.FaultTimeout, "the request was canceled")
		e.left = context.Cause(parent)
		return e
	}
	return s.newFault(core.FaultTimeout, fmt.Sprintf("the guard did not answer within %s", s.o.Timeout))
}

// DescribeFailure describes a failed call in fixed words, because the texts of net/http contain the URL and pieces of
// the reply.
func DescribeFailure(err error) string {
	var refused upstream.RefusedAddress
	var dns *net.DNSError
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var cert *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &refused):
		return "the server's URL " + refused.Error()
	case errors.Is(err, upstream.ErrNoAddress), errors.As(err, &dns):
		return "the server's name does not resolve"
	case errors.As(err, &authority), errors.As(err, &name), errors.As(err, &invalid), errors.As(err, &cert):
		return "the server's certificate is not trusted"
	case errors.As(err, &record):
		return "the server does not speak TLS"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the server refuses connections"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "the server cannot be reached"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "the connection broke"
	}
	return "the call failed"
}
