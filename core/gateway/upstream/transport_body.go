package upstream

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"syscall"
)

// transportBody is the body of an answer that net/http reads.
type transportBody struct {
	in   io.ReadCloser
	call *call
	err  error
}

var _ Body = (*transportBody)(nil)

func (b *transportBody) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if len(p) == 0 {
		return 0, nil
	}
	idle := b.call.limits.Idle
	if idle > 0 {
		b.call.limitStep(PhaseBody, idle)
	}
	n, err := b.in.Read(p)
	if idle > 0 {
		b.call.limitStep(PhaseBody, 0) // the caller may take its time to process what it read
	}
	if err == nil {
		return n, nil
	}
	if errors.Is(err, io.EOF) {
		b.err = io.EOF
		b.call.finish()
		return n, io.EOF
	}
	b.err = b.call.end(err)
	_ = b.in.Close()
	if n > 0 {
		return n, nil
	}
	return 0, b.err
}

// Buffered always returns 0: net/http does not report it.
func (b *transportBody) Buffered() int { return 0 }

// Close ends the call. Before the end of the answer it drops the connection, or the HTTP/2 stream.
func (b *transportBody) Close() error {
	if b.err == nil {
		b.call.finish()
		b.err = &Error{Phase: PhaseBody, Err: errBodyClosed}
	} else if errors.Is(b.err, io.EOF) {
		b.err = &Error{Phase: PhaseBody, Err: errBodyClosed}
	}
	_ = b.in.Close() // a caller that is done cannot use a connection error
	return nil
}

// hiddenError wraps an error whose own text might quote received bytes. errors.Is still finds it.
type hiddenError struct{ err error }

func (q hiddenError) Error() string { return "refused by net/http, or the connection failed" }
func (q hiddenError) Unwrap() error { return q.err }

// hideText keeps the text of connection errors and hides that of all others: net/http quotes malformed answers in its
// errors.
func hideText(err error) error {
	var op *net.OpError
	var dns *net.DNSError
	var number syscall.Errno
	var cert *tls.CertificateVerificationError
	var alert tls.AlertError
	var host x509.HostnameError
	for _, known := range []any{&op, &dns, &number, &cert, &alert, &host} {
		if errors.As(err, known) {
			return err
		}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return io.ErrUnexpectedEOF
	}
	return hiddenError{err}
}
