package socket

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// turnLine carries the exchanges of turns to providers: by a WebSocket that the client's socket keeps, where the provider has
// the mode, and over HTTP elsewhere. Each turn sends its whole conversation, as it does over HTTP.
type turnLine struct{ *conn }

// Serves returns true: any provider will do.
func (turnLine) Serves(core.TargetRef) bool { return true }

// limitReached is the code of the error with which a provider ends a socket that has become too old.
const limitReached = "websocket_connection_limit_reached"

// Do sends the body of a turn. A provider that does not open the socket, or ends it for its age, is called over HTTP.
func (l turnLine) Do(ctx context.Context, client upstream.Client, t core.TargetRef, r *upstream.Request) (*upstream.Response, error) {
	opener, ok := client.(upstream.SocketOpener)
	if !ok || t.Wire != openai.ResponsesName || l.httpOnly[t.Provider] || !l.s.o.HasSockets(t.Provider, t.Model) {
		return client.Do(ctx, r)
	}
	up := l.findReusable(formatSocketKey(t.Provider, r))
	if up == nil {
		s, refused, err := opener.OpenSocket(ctx, convertToSocketRequest(r), maxProviderEvent)
		if refused != nil {
			_ = refused.Body.Close() // it has arrived
		}
		if refused != nil || err != nil {
			l.httpOnly[t.Provider] = true // until the client opens another socket
			return client.Do(ctx, r)
		}
		up = newUpSocket(formatSocketKey(t.Provider, r), s)
		l.up = up
	}
	b := &turnBody{ctx: ctx, c: l.conn, up: up, idle: r.Timeouts.Idle}
	if r.Timeouts.Total > 0 {
		b.end = time.Now().Add(r.Timeouts.Total)
	}
	if err := b.write(createEvent(r.Body)); err != nil {
		l.closeUpstream()
		return nil, err
	}
	first, err := b.readEvent(r.Timeouts.FirstByte, upstream.PhaseFirstByte)
	if err != nil {
		l.closeUpstream()
		return nil, err
	}
	h := readLiveHead(first)
	if h.Type != "error" {
		b.add(h.Type, first)
		return &upstream.Response{
			Status: http.StatusOK, ContentLength: -1, Body: b, Header: []upstream.Field{{Name: "Content-Type", Value: "text/event-stream"}},
		}, nil
	}
	if h.Error.Code == limitReached {
		l.closeUpstream()
		return client.Do(ctx, r)
	}
	res := newRefusedTurn(first)
	if n, ok := client.(upstream.StatusNoter); ok {
		n.NoteStatus(r, res)
	}
	return res, nil
}

// newRefusedTurn returns the answer that an error event stands for.
func newRefusedTurn(ev []byte) *upstream.Response {
	m, _ := readMembers(ev) // it was read before
	status := 0
	if json.Unmarshal(m["status"], &status) != nil || status < http.StatusBadRequest || status > 599 {
		status = http.StatusBadRequest
	}
	res := newJSON(status, append(append([]byte(`{"error":`), m["error"]...), '}'))
	var header map[string]string
	_ = json.Unmarshal(m["headers"], &header) // another form tells nothing
	for _, name := range toldHeaders {
		if v := header[strings.ToLower(name)]; v != "" {
			res.Header = append(res.Header, upstream.Field{Name: name, Value: v})
		}
	}
	return res
}

// convertToSocketRequest returns the handshake of a socket to where a request would go.
func convertToSocketRequest(r *upstream.Request) *upstream.Request {
	to := *r
	to.Method, to.Body = http.MethodGet, nil
	return &to
}

// formatSocketKey tells apart sockets that lead elsewhere or were opened with another credential.
func formatSocketKey(provider string, r *upstream.Request) string {
	var b strings.Builder
	b.WriteString(provider + " " + r.URL.String())
	for _, f := range r.Header {
		switch f.Name {
		case "Authorization", "Api-Key", "Openai-Organization", "Openai-Project":
			b.WriteString("\n" + f.Value)
		}
	}
	return b.String()
}

// createEvent returns the event that asks for a response. `stream` is implied.
func createEvent(body []byte) []byte {
	rest := bytes.TrimPrefix(body, []byte(`{`))
	rest = bytes.TrimPrefix(bytes.TrimPrefix(rest, []byte(`"stream":true`)), []byte(`,`))
	out := append(make([]byte, 0, len(rest)+32), `{"type":"response.create"`...)
	if len(bytes.TrimSpace(rest)) > 1 { // more than the closing brace
		out = append(out, ',')
	}
	return append(out, rest...)
}

// maxProviderEvent limits a provider's event in bytes; the last one of a response repeats all of it.
const maxProviderEvent = 16 << 20

// upSocket is a WebSocket to a provider that the turns of one client share.
type upSocket struct {
	socket upstream.Socket
	key    string
	events chan []byte // closed when the provider has ended the socket
	cancel context.CancelFunc
}

func newUpSocket(key string, s upstream.Socket) *upSocket {
	ctx, cancel := context.WithCancel(context.Background()) // it outlives the turn that opens it
	u := &upSocket{socket: s, key: key, events: make(chan []byte), cancel: cancel}
	go u.readEvents(ctx)
	return u
}

// readEvents reads events also between turns, so that a socket that has ended is not used again.
func (u *upSocket) readEvents(ctx context.Context) {
	defer close(u.events)
	for {
		ev, err := u.socket.Read(ctx)
		if err != nil {
			return
		}
		select {
		case u.events <- ev:
		case <-ctx.Done():
			return
		}
	}
}

// findReusable returns the socket that is kept, if it leads to the same place and nothing has come by it since the last
// turn.
func (c *conn) findReusable(key string) *upSocket {
	if c.up == nil {
		return nil
	}
	if c.up.key == key {
		select {
		case <-c.up.events:
		default:
			return c.up
		}
	}
	c.closeUpstream()
	return nil
}

// closeUpstream closes the socket to the provider.
func (c *conn) closeUpstream() {
	if c.up != nil {
		c.up.cancel()
		c.up.socket.Close()
		c.up = nil
	}
}

// turnBody is the answer of a turn: the events of a response as server-sent events.
type turnBody struct {
	ctx  context.Context
	c    *conn
	up   *upSocket
	rest []byte
	done bool
	idle time.Duration
	end  time.Time // of the whole call; zero: none
}

var errUpEnded = errors.New("the provider has closed the WebSocket")

// write sends the event that asks for the answer, for a limited time: a provider that reads nothing must not hold the turn.
func (b *turnBody) write(event []byte) error {
	limit := b.idle
	if limit <= 0 {
		limit = writeLimit
	}
	if !b.end.IsZero() {
		limit = min(limit, time.Until(b.end))
	}
	ctx, cancel := context.WithTimeout(b.ctx, limit)
	defer cancel()
	err := b.up.socket.Write(ctx, event)
	if err == nil {
		return nil
	}
	return &upstream.Error{Phase: upstream.PhaseWrite, Timeout: b.ctx.Err() == nil && ctx.Err() != nil, Err: err}
}

// readEvent waits for an event, for a limited time unless limit is 0.
func (b *turnBody) readEvent(limit time.Duration, phase upstream.Phase) ([]byte, error) {
	if limit <= 0 {
		limit = replyIdle
	}
	if !b.end.IsZero() {
		limit = min(limit, time.Until(b.end))
	}
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case <-late.C:
		return nil, &upstream.Error{Phase: phase, Timeout: true, Err: os.ErrDeadlineExceeded}
	case ev, ok := <-b.up.events:
		if !ok {
			return nil, &upstream.Error{Phase: phase, Err: errors.Join(errUpEnded, io.ErrUnexpectedEOF)}
		}
		return ev, nil
	case <-b.ctx.Done():
		return nil, &upstream.Error{Phase: phase, Err: b.ctx.Err()}
	}
}

// lastEvents end a response.
var lastEvents = map[string]bool{
	"response.completed": true, "response.incomplete": true, "response.failed": true, "response.cancelled": true, "error": true,
}

// add takes an event.
func (b *turnBody) add(typ string, ev []byte) {
	b.done = lastEvents[typ]
	b.rest = append(b.rest[:0], "event: "...)
	if plainIDs.MatchString(typ) {
		b.rest = append(b.rest, typ...)
	}
	b.rest = append(append(append(b.rest, "\ndata: "...), blankLineBreaks(ev)...), "\n\n"...)
}

// Read returns what has arrived.
func (b *turnBody) Read(p []byte) (int, error) {
	if len(b.rest) == 0 {
		if b.done {
			return 0, io.EOF
		}
		ev, err := b.readEvent(b.idle, upstream.PhaseBody)
		if err != nil {
			return 0, err
		}
		b.add(readLiveHead(ev).Type, ev)
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// Close ends the socket if the answer was not read to its end: the mode has no event that cancels.
func (b *turnBody) Close() error {
	if !b.done && b.c.up == b.up {
		b.c.closeUpstream()
	}
	return nil
}

// Buffered returns how much is there.
func (b *turnBody) Buffered() int { return len(b.rest) }
