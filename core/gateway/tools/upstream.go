package tools

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// Upstream calls one server. Its methods may be called from many goroutines.
type Upstream interface {
	// Send sends a message and returns when the head of its answer has arrived. The caller must close the answer. The
	// error is a [StatusError], an error of package upstream, that of ctx, or says that the answer is invalid.
	Send(ctx context.Context, m *Message) (Answer, error)
	// End ends a session of the legacy era.
	End(ctx context.Context, session, version string) error
	// Probe finds out which eras the server speaks.
	Probe(ctx context.Context) (mcp.Era, error)
}

// Listener is an [Upstream] that can pass on what a server sends outside of calls: notifications about changes.
type Listener interface {
	// CanListen reports whether the server can be listened to at all.
	CanListen() bool
	// Listen opens a stream of messages, which lasts until the server or ctx ends it. In the modern era m is a request of the
	// method subscriptions/listen, and the stream ends with its response. In the legacy era m has no body, and the stream
	// belongs to m.Session; after its last message Next returns io.EOF. Errors are as in Send; [ErrCannotListen] says that the
	// server has no such stream.
	Listen(ctx context.Context, m *Message) (Answer, error)
}

// ErrCannotListen means that a server sends nothing outside of calls.
var ErrCannotListen = errors.New("the server offers no stream of notifications")

// Feed is a list of subscribed resources that changes while a stream is open. It is safe for concurrent use.
type Feed interface {
	// List returns the addresses, and a channel that is closed at the next change.
	List() (uris []string, changed <-chan struct{})
	// Confirm says that the server now sends notifications for an address. Saying it again changes nothing.
	Confirm(uri string)
}

// CanListen reports whether clients can listen to a server.
func CanListen(up Upstream) bool {
	l, ok := up.(Listener)
	return ok && l.CanListen()
}

// Listen opens a stream of notifications; see [Listener].
func Listen(ctx context.Context, up Upstream, m *Message) (Answer, error) {
	if !CanListen(up) {
		return nil, ErrCannotListen
	}
	return up.(Listener).Listen(ctx, m)
}

// Message is what is sent to a server.
type Message struct {
	// Call says which headers the message needs. Its Method, Target, Form, Era and Version
	// describe Body as it is sent, with the name that the server knows.
	Call *mcp.Call
	Body []byte
	// Session is the id of a legacy session. Optional.
	Session string
	// Header is added, such as Mcp-Param headers and the trace.
	Header []upstream.Field
	// Endless is true for a subscription: only the idle time limits it, and its messages are not
	// counted.
	Endless bool
	// Feed names the resources to which the session is subscribed, for servers that keep no session. Optional; only for
	// [Listener.Listen].
	Feed Feed
	// Principal is the caller, for whom a bridge keeps sessions and waiting calls.
	Principal *core.Principal
	// Reserve is called before the answer takes memory for n bytes in all. Its error ends the call. Optional.
	Reserve func(n int64) error
}

// Answer is what a server sends to one message. It belongs to one goroutine.
type Answer interface {
	Head() Head
	// Next returns the next message. It is valid until the next call. It returns io.EOF after the response, and another
	// error if the answer ends early. isResponse decides which message is the response; messages after it are dropped.
	Next(ctx context.Context, isResponse func(data []byte) (bool, error)) (data []byte, err error)
	Close() error
}

// Head describes an answer before its messages.
type Head struct {
	Status   int
	Accepted bool   // no message follows
	Streamed bool   // messages come before the response, perhaps
	Session  string // the session that the message belongs to, or that it has opened
}

// StatusError is a status without a JSON-RPC message.
type StatusError struct {
	Status int
	// Challenge is the WWW-Authenticate field of a 401 or 403.
	Challenge string
	// RetryAfter is the time that the server asks to wait, or 0.
	RetryAfter time.Duration
}

func (e *StatusError) Error() string {
	return "the server answered with status " + strconv.Itoa(e.Status)
}
