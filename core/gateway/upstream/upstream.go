// Package upstream is the HTTP client towards model providers: one interface, [Client], and two transports.
//
// [Lean] is the default. It speaks HTTP/1.1, plain or over TLS, on pooled connections that the caller's own goroutine
// drives, and it reads answers strictly, because the answer of one tenant must never run into that of the next.
// [Transport] does the same work over http.Transport, for HTTP/2, proxies and client certificates.
//
// Neither follows redirects, asks for or undoes a content encoding, keeps cookies, or sends a request again once a byte
// of it may have reached the provider: a second call to a model costs money.
//
// [PublicDialer] connects to addresses that somebody may call whose URL is not trusted.
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

// Timeouts limits the phases of a call. A value of zero or less means no limit; then only the context ends the wait. A
// limit other than Total may be noticed late by a twentieth of it.
type Timeouts struct {
	// Connect runs from the start of the dial to the end of the TLS handshake. A kept connection does not use it.
	Connect time.Duration
	// FirstByte runs from the request being written to the first byte of the final answer; interim answers (1xx) do not
	// restart it.
	FirstByte time.Duration
	// Idle is the longest wait for the next bytes of an answer's body, counted from when the caller begins to wait. It
	// also limits how long the provider may accept no byte of the request; FirstByte does so where Idle is not set.
	Idle time.Duration
	// Total limits the whole call, from Do to the last byte of the answer's body. A provider that sends a byte now and then
	// stays within all other limits. It is exact, and its error wraps ErrTotal.
	Total time.Duration
}

// end returns when a call that begins now must have ended; the zero time means never.
func (t Timeouts) end(now time.Time) time.Time {
	if t.Total <= 0 {
		return time.Time{}
	}
	return now.Add(t.Total)
}

// sendGap is the longest time in which the provider may take no byte of the request.
func (t Timeouts) sendGap() time.Duration {
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
	// Header is sent in this order by Lean; Transport sends it in an order of its own, with canonical names. Fields that
	// belong to the connection are the client's own and refused: Host, Content-Length, Transfer-Encoding, Connection,
	// Keep-Alive, Proxy-Connection, Upgrade, Expect, TE and Trailer. So are names that are no token, and values that hold
	// a control character: they would let whoever chose the value write a header, or a request, of his own.
	Header []Field
	// Body must stay unchanged until Do returns.
	Body []byte
	// Timeouts limits the phases of the call.
	Timeouts Timeouts
	// Room, when it is set, is memory for the answer: a caller that calls again and again spares an allocation. The next
	// call with the same Room takes the Response of the one before away, its strings aside.
	Room *Room
}

// Room is memory for one answer at a time.
type Room struct{ answer answer }

// Response is a provider's final answer; interim answers (1xx) are skipped. It and its strings stay valid for as long as
// they are held, also after Body is closed; see Request.Room for the exception.
type Response struct {
	// Status is between 200 and 599.
	Status int
	// Header holds the fields as received, in order, those of the connection included, so that they can be inspected.
	// Transport knows neither the order nor the framing fields; it sorts by name.
	Header []Field
	// ContentLength is the number of bytes of the body, -1 when it is not known beforehand. For a HEAD request it is the
	// length that the provider declared.
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
// Close before the end drops the connection, unless the rest had arrived already; after the end it returns the connection
// to the pool. It may be called more than once.
type Body interface {
	io.ReadCloser
	// Buffered returns how many bytes Read would return without waiting, as far as the client knows: never too many,
	// possibly too few. While it is positive a caller that flushes may wait for the next Read.
	Buffered() int
}

// Client sends calls to providers. Its methods may be called from many goroutines.
type Client interface {
	// Do sends the request and returns when the head of the final answer has arrived. It fails at once, in any phase, when
	// the context ends, and so does the body of the answer. Every error is an *Error.
	Do(ctx context.Context, req *Request) (*Response, error)
	// Close closes idle connections and refuses further calls. Answers that are under way can be read to their end.
	Close() error
}
