package upstream

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/coder/websocket"
)

// Socket is a WebSocket to a provider. One goroutine may read while others write.
type Socket interface {
	// Read returns the next message, which must be text.
	Read(ctx context.Context) ([]byte, error)
	// Write sends a message of text.
	Write(ctx context.Context, message []byte) error
	// Close ends the connection at once.
	Close()
}

// SocketOpener is a Client that opens WebSockets.
type SocketOpener interface {
	// OpenSocket sends the request as a handshake; its body is not sent. maxMessage limits the messages of the provider in
	// bytes. A handshake that the provider refuses returns its answer and no socket. Every error is an *Error.
	OpenSocket(ctx context.Context, r *Request, maxMessage int64) (Socket, *Response, error)
}

// StatusNoter is a Client that is told the status with which a provider has refused a request by a socket: the answers of Do
// it sees itself.
type StatusNoter interface {
	// NoteStatus tells the answer to a request that was sent by a socket.
	NoteStatus(r *Request, res *Response)
}

var (
	_ SocketOpener = (*Lean)(nil)
	_ SocketOpener = (*Transport)(nil)
)

// OpenSocket opens a WebSocket over a new connection.
func (l *Lean) OpenSocket(ctx context.Context, r *Request, maxMessage int64) (Socket, *Response, error) {
	return dialSocket(ctx, r, maxMessage, &http.Transport{
		DialContext: l.opts.Dial, TLSClientConfig: l.tls, DisableKeepAlives: true, MaxResponseHeaderBytes: int64(l.opts.MaxHeadBytes),
	})
}

// OpenSocket opens a WebSocket over a new connection, through the proxy if one is configured.
func (t *Transport) OpenSocket(ctx context.Context, r *Request, maxMessage int64) (Socket, *Response, error) {
	c := t.rt.TLSClientConfig.Clone()
	c.NextProtos = []string{"http/1.1"}
	return dialSocket(ctx, r, maxMessage, &http.Transport{
		Proxy: t.rt.Proxy, DialContext: (&net.Dialer{}).DialContext, TLSClientConfig: c, DisableKeepAlives: true,
		MaxResponseHeaderBytes: t.rt.MaxResponseHeaderBytes,
	})
}

// openTimeout limits a handshake for which the request sets no limit.
const openTimeout = 30 * time.Second

func dialSocket(ctx context.Context, r *Request, maxMessage int64, t *http.Transport) (Socket, *Response, error) {
	if err := checkRequest(r); err != nil {
		return nil, nil, &Error{Unsent: true, Err: err}
	}
	if t.TLSClientConfig == nil {
		t.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	h := http.Header{}
	for _, f := range r.Header {
		if f.Name != "Content-Type" {
			h.Add(f.Name, f.Value)
		}
	}
	limit := openTimeout
	if r.Timeouts.FirstByte > 0 {
		limit = r.Timeouts.FirstByte
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	ws, res, err := websocket.Dial(ctx, r.URL.String(), &websocket.DialOptions{
		HTTPHeader: h,
		HTTPClient: &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse // a credential is sent to the address that was configured, and nowhere else
		}},
	})
	switch {
	case err == nil:
		ws.SetReadLimit(maxMessage)
		return (*socketConn)(ws), nil, nil
	case res != nil && res.StatusCode >= http.StatusOK && res.StatusCode != http.StatusSwitchingProtocols:
		body, _ := io.ReadAll(io.LimitReader(res.Body, maxRefusal)) // what has arrived is enough for an error text
		_ = res.Body.Close()
		answer := &Response{Status: max(res.StatusCode, http.StatusBadRequest), ContentLength: int64(len(body)), Body: NewWholeBody(body)}
		for name, values := range res.Header {
			answer.Header = append(answer.Header, Field{Name: name, Value: values[0]})
		}
		return nil, answer, nil
	}
	return nil, nil, &Error{Phase: PhaseFirstByte, Timeout: errors.Is(err, context.DeadlineExceeded), Unsent: true, Err: err}
}

// maxRefusal limits the body of a refused handshake.
const maxRefusal = 64 << 10

// socketConn is a Socket over a connection.
type socketConn websocket.Conn

var errBinary = errors.New("the provider sent a binary message where text is expected")

func (c *socketConn) Read(ctx context.Context) ([]byte, error) {
	kind, m, err := (*websocket.Conn)(c).Read(ctx)
	if err == nil && kind != websocket.MessageText {
		err = errBinary
	}
	return m, err
}

func (c *socketConn) Write(ctx context.Context, message []byte) error {
	return (*websocket.Conn)(c).Write(ctx, websocket.MessageText, message)
}

func (c *socketConn) Close() { _ = (*websocket.Conn)(c).CloseNow() } // it may be closed

// NewWholeBody returns a body that has arrived completely.
func NewWholeBody(b []byte) Body { return &wholeBody{Reader: bytes.NewReader(b)} }

type wholeBody struct{ *bytes.Reader }

func (*wholeBody) Close() error    { return nil }
func (b *wholeBody) Buffered() int { return b.Len() }
