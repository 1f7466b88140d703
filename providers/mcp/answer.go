package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"strconv"
	"time"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/sse"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// Errors of answers. They contain no text from the server.
var (
	ErrTooLarge   = errors.New("the server's answer is too large")
	ErrTooMany    = errors.New("the server's answer has too many messages")
	ErrType       = errors.New("the server's answer is neither JSON nor a stream of events")
	ErrEncoding   = errors.New("the server's answer has a content encoding that was not asked for")
	ErrNoResponse = errors.New("the server's answer ended before the response")
	ErrNoRequest  = errors.New("the server has sent a response where it was asked nothing")
	ErrCredential = errors.New("the server's answer repeats a credential of the gateway")
	ErrSession    = errors.New("the id of the session is not one of visible ASCII characters")
)

// StatusError is a status without a JSON-RPC message.
type StatusError = tools.StatusError

const (
	statusAccepted   = 202
	statusNotFound   = 404
	statusNotAllowed = 405
)

func newStatusError(r *upstream.Response) *StatusError {
	e := &StatusError{Status: r.Status}
	if r.Status == 401 || r.Status == 403 {
		e.Challenge = r.Get("WWW-Authenticate")
	}
	if s, err := strconv.Atoi(r.Get("Retry-After")); err == nil && s > 0 && s <= 24*3600 {
		e.RetryAfter = time.Duration(s) * time.Second
	}
	return e
}

// Answer is what a server sends to one message. It belongs to one goroutine.
type Answer struct {
	// Status is the HTTP status.
	Status int
	// Accepted is true if no message follows.
	Accepted bool
	// Streamed is true if the server sends events.
	Streamed bool
	// StatusError describes a status other than 2xx; else nil.
	StatusError *StatusError

	server  *Server
	message *Message
	sent    pin    // credentials that must not come back
	cancel  func() // ends the call, and those of resumptions
	body    upstream.Body
	length  int64     // of the body; -1 if it is not known
	ends    time.Time // of all calls that belong to the answer; zero: never
	left    int       // bytes still allowed
	count   int       // messages so far
	session string
	done    bool
	listens bool // a stream of a legacy session, which has no response

	events  sse.Splitter
	chunk   []byte
	lastID  string
	retry   time.Duration
	resumes int
}

// Session returns the id of the legacy session: the session that initialize opened, or else the message's.
func (a *Answer) Session() string { return a.session }

// readHead reads the head of an answer to the message.
func (a *Answer) readHead(r *upstream.Response) error {
	a.Status, a.body, a.length = r.Status, r.Body, r.ContentLength
	if id := r.Get("Mcp-Session-Id"); id != "" {
		if !isSession(id) {
			return ErrSession
		}
		a.session = id
	}
	if e := r.Get("Content-Encoding"); e != "" && e != "identity" {
		return ErrEncoding
	}
	kind, _, _ := mime.ParseMediaType(r.Get("Content-Type"))
	ok := r.Status >= 200 && r.Status < 300
	if !ok {
		a.StatusError = newStatusError(r)
	}
	switch {
	case a.listens && (r.Status == statusNotAllowed || ok && kind != "text/event-stream"):
		return tools.ErrCannotListen
	case ok && !a.listens && a.isOneWay():
		a.Accepted = true // the caller ignores any answer
		return nil
	case r.Status == statusAccepted:
		return ErrNoResponse
	case kind == "application/json":
		return nil
	case ok && kind == "text/event-stream":
		a.Streamed = true
		a.events.Limit = a.server.set.MaxAnswer
		return nil
	case ok:
		return ErrType
	}
	return a.StatusError
}

// isOneWay reports whether the message has no response.
func (a *Answer) isOneWay() bool {
	return len(a.message.Call.ID) == 0 || a.message.Call.Form.IsResponse()
}

// Next returns the next message: the data of an event, or a whole body. raw is the event as received, or nil. Both are
// valid until the next call. It returns io.EOF after the response, and an error if the answer ends before it. isResponse
// decides which message is the response: Next drops everything after it, so that a server cannot answer twice.
func (a *Answer) Next(ctx context.Context, isResponse func(data []byte) (bool, error)) (data, raw []byte, err error) {
	if a.done || a.Accepted {
		return nil, nil, io.EOF
	}
	if !a.Streamed {
		a.done = true
		if data, err = a.readAll(); err != nil {
			return nil, nil, err
		}
		if a.StatusError != nil && (isAboutCredentials(a.StatusError.Status) || !isFailure(data)) {
			return nil, nil, a.StatusError
		}
		return data, nil, a.checkLeak(data)
	}
	for {
		raw = a.events.Next()
		if raw == nil {
			if err := a.fill(ctx); err != nil {
				return nil, nil, err
			}
			continue
		}
		data = a.readEvent(raw)
		if len(bytes.TrimSpace(data)) == 0 {
			continue
		}
		if a.count++; a.count > a.server.set.MaxMessages && !a.message.Endless {
			return nil, nil, ErrTooMany
		}
		if err := a.checkLeak(data); err != nil {
			return nil, nil, err
		}
		if a.done, err = isResponse(data); a.done && a.listens && err == nil {
			err = ErrNoRequest
		}
		return data, raw, err
	}
}

// isAboutCredentials reports whether a status concerns the credentials. They are the gateway's, so clients must not see
// what a server says about them.
func isAboutCredentials(status int) bool { return status == 401 || status == 403 || status == 407 }

// isFailure reports whether a body is a JSON-RPC message with an error. A proxy in front of the
// server answers with other JSON.
func isFailure(body []byte) bool {
	var s splice.Scanner
	s.Reset(body)
	if s.Kind() != splice.Object || !s.Enter() {
		return false
	}
	version, failure := false, false
	for s.Next() {
		switch string(s.Key()) {
		case "jsonrpc":
			version = true
		case "error":
			failure = s.Kind() == splice.Object
		}
		s.Skip()
	}
	return s.End() && version && failure
}

// readAll reads a whole body.
func (a *Answer) readAll() ([]byte, error) {
	size := min(firstRead, a.left+1)
	if a.length >= 0 {
		size = int(min(int64(size), a.length+1)) // a byte more than the body has, so that its end is seen without growing
	}
	b := make([]byte, 0, size)
	for {
		n, err := a.body.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case len(b) > a.left:
			return nil, ErrTooLarge
		case errors.Is(err, io.EOF):
			return b, nil
		case err != nil:
			return nil, err
		case len(b) < cap(b):
			continue
		}
		size = min(2*cap(b), a.left+1)
		if err := reserveMemory(a.message, size); err != nil {
			return nil, err
		}
		b = append(make([]byte, 0, size), b...)
	}
}

// firstRead is the size of the first buffer of an answer, which holds most answers.
const firstRead = 8 << 10

// fill reads more of the stream, and resumes one that has ended.
func (a *Answer) fill(ctx context.Context) error {
	if a.chunk == nil {
		a.chunk = make([]byte, 16<<10)
	}
	n, err := a.body.Read(a.chunk)
	if n > 0 {
		if a.left -= n; a.left < 0 && !a.message.Endless {
			return ErrTooLarge
		}
		if err := reserveMemory(a.message, len(a.events.Rest())+n); err != nil {
			return err
		}
		if err := a.events.Write(a.chunk[:n]); err != nil {
			return ErrTooLarge
		}
		return nil
	}
	switch {
	case err == nil:
		return nil
	case a.listens && errors.Is(err, io.EOF):
		a.done = true
		return io.EOF
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return a.resume(ctx)
	}
	return err
}

// newCancelable returns a context for a call that ends with the answer.
func (a *Answer) newCancelable(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancel(context.WithValue(ctx, pinKey{}, &a.sent))
	if before := a.cancel; before != nil {
		a.cancel = func() { cancel(); before() }
	} else {
		a.cancel = cancel
	}
	return ctx
}

const (
	// drainTime is how long to wait for the end of a stream after its response, so that the connection can serve the next
	// call. Servers write both within microseconds.
	drainTime = 20 * time.Millisecond
	drainMax  = 4 << 10
)

// Close releases the connection, or drops it if the answer has not ended.
func (a *Answer) Close() error {
	if a.Streamed && a.done {
		t := time.AfterFunc(drainTime, a.cancel)
		_, _ = io.CopyN(io.Discard, a.body, drainMax)
		t.Stop()
	}
	err := a.body.Close()
	a.cancel()
	return err
}
