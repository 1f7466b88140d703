// Package upstream is the HTTP client for calls to model providers: one interface, [Client], and two transports.
//
// [Lean] is the default. It speaks HTTP/1.1, plain or over TLS, on pooled connections that the caller's own goroutine
// drives. It parses answers strictly, because the answer of one tenant must never run into that of the next.
// [Transport] does the same over http.Transport, for HTTP/2, proxies and client certificates.
//
// Neither follows redirects, requests or decodes a content encoding, keeps cookies, or sends a request again once a
// byte of it may have reached the provider: a second call to a model costs money.
//
// [PublicDialer] connects to the hosts of URLs that are not trusted.
//
// The package imports the standard library only.
package upstream

import (
	"context"
	"io"
	"net/url"
	"strings"
	"time"
)

// Field is one header field.
type Field struct{ Name, Value string }

// Timeouts limits the phases of a call. Zero or less means no limit; then only the context ends the wait. A limit other
// than Total may fire late, by at most a twentieth of it.
type Timeouts struct {
	// Connect runs from the start of the dial to the end of the TLS handshake. A kept connection does not use it.
	Connect time.Duration
	// FirstByte runs from the end of the request's write to the first byte of the final answer; interim answers (1xx)
	// do not restart it.
	FirstByte time.Duration
	// Idle is the longest wait for the next bytes of an answer's body, measured from when the caller begins to wait. It
	// also limits how long the provider may accept no byte of the request; if Idle is not set, FirstByte does.
	Idle time.Duration
	// Total limits the whole call, from Do to the last byte of the answer's body. A provider that sends a byte now and
	// then stays within all other limits. It is exact, and its error wraps ErrTotal.
	Total time.Duration
}

// computeDeadline returns the deadline of a call that begins now; the zero time means none.
func (t Timeouts) computeDeadline(now time.Time) time.Time {
	if t.Total <= 0 {
		return time.Time{}
	}
	return now.Add(t.Total)
}

// chooseWriteTimeout returns the longest time in which the provider may accept no byte of the request.
func (t Timeouts) chooseWriteTimeout() time.Duration {
	if t.Idle > 0 {
		return t.Idle
	}
	return t.FirstByte
}

// Request is one call. A client reads it and never changes it.
type Request struct {
	// Method is an HTTP method other than CONNECT.
	Method string
	// URL is absolute, http or https, without user information. It may be shared between calls.
	URL *url.URL
	// Header is sent in this order by Lean; Transport chooses the order and uses canonical names. Fields that belong to
	// the connection are reserved for the client and refused: Host, Content-Length, Transfer-Encoding, Connection,
	// Keep-Alive, Proxy-Connection, Upgrade, Expect, TE and Trailer. Names that are not tokens and values that contain
	// a control character are refused too: they would let whoever chose the value inject a header or a request.
	Header []Field
	// Body must stay unchanged until Do returns.
	Body []byte
	// Timeouts limits the phases of the call.
	Timeouts Timeouts
	// Room is memory for the answer. Optional: a caller that makes many calls saves an allocation. The next call with
	// the same Room overwrites the previous Response, except for its strings.
	Room *Room
}

// Room is memory for one answer at a time.
type Room struct{ answer answer }

// Response is a provider's final answer; interim answers (1xx) are skipped. It and its strings stay valid as long as
// they are referenced, even after Body is closed; see Request.Room for the exception.
type Response struct {
	// Status is between 200 and 599.
	Status int
	// Header holds the fields as received, in order, including those of the connection, so that they can be inspected.
	// Transport knows neither the order nor the framing fields; it sorts by name.
	Header []Field
	// ContentLength is the number of bytes of the body, or -1 if it is not known in advance. For a HEAD request it is
	// the length that the provider declared.
	ContentLength int64
	// Body is never nil and must be closed.
	Body Body
}

// Get returns the value of the first field of that name, in any case, or "".
func (r *Response) Get(name string) string {
	for i := range r.Header {
		if len(r.Header[i].Name) == len(name) && strings.EqualFold(r.Header[i].Name, name) {
			return r.Header[i].Value
		}
	}
	return ""
}

// Body is the body of an answer as it arrives. It belongs to one goroutine; to interrupt a Read from another one, end
// the context of the call.
//
// Read returns what has arrived, without waiting to fill its argument. It returns io.EOF only at the proper end of the
// body, possibly together with the last bytes. An answer that was cut off is an *Error that wraps io.ErrUnexpectedEOF.
//
// Close before the end drops the connection, unless the rest has already arrived; after the end it returns the
// connection to the pool. It may be called more than once.
type Body interface {
	io.ReadCloser
	// Buffered returns how many bytes Read would return without waiting, as far as the client knows: never too many,
	// possibly too few. While it is positive, a caller that flushes may postpone that to the next Read.
	Buffered() int
}

// Client sends calls to providers. Its methods are safe for concurrent use.
type Client interface {
	// Do sends the request and returns when the head of the final answer has arrived. If the context ends, Do and the
	// reads of the body fail at once, in any phase. Every error is an *Error.
	Do(ctx context.Context, req *Request) (*Response, error)
	// Close closes idle connections and refuses further calls. Answers in progress can be read to their end.
	Close() error
}
