package socket

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/gateway/downstream"
)

// maxQueued limits the messages that wait for the turn in flight.
const maxQueued = 16

// conn is one socket. Its goroutine runs the turns one after another; a second one reads messages, so that a hang-up ends
// the turn in flight.
type conn struct {
	s          *Sockets
	who        *core.Principal
	ws         *websocket.Conn
	handshake  *http.Request
	maxMessage int64
	cancel     context.CancelFunc // set before the first message is read, under s.mu
	hangup     *downstream.Hangup
	inbox      chan message
	queued     atomic.Int64 // bytes in inbox
	lanes      lanes
	pings      atomic.Bool     // a ping is under way
	up         *upSocket       // to the provider of the last turn, or nil
	httpOnly   map[string]bool // providers that have refused to open a socket
}

// message is an event of a client that has arrived.
type message struct {
	event []byte
	size  int64 // bytes that are counted for it until it has been served
}

// run serves the socket until it ends.
func (c *conn) run(ctx context.Context) {
	ctx, stop := c.startContext(ctx)
	defer stop()
	c.inbox = make(chan message, maxQueued)
	defer c.dropQueued()
	defer c.closeUpstream()
	go c.receive(ctx)
	old := time.NewTimer(c.s.o.Limits.Age)
	defer old.Stop()
	idle := time.NewTimer(c.s.o.Limits.Idle)
	defer idle.Stop()
	for {
		select { // a socket that drains starts no further turn
		case <-c.s.drains:
			c.close(websocket.StatusGoingAway, "the gateway is shutting down; connect again")
			return
		default:
		}
		select {
		case <-c.s.drains:
		case <-old.C:
			c.send(ctx, appendError(nil, "", &core.Error{
				Kind: core.InvalidRequest, Code: "websocket_connection_limit_reached",
				Public: "this WebSocket connection has reached its age limit; open another one to continue",
			}))
			c.close(websocket.StatusNormalClosure, "the connection has reached its age limit")
			return
		case <-idle.C:
			c.close(websocket.StatusNormalClosure, "the connection was idle for too long")
			return
		case m, ok := <-c.inbox:
			if !ok {
				return
			}
			c.queued.Add(-int64(len(m.event)))
			goesOn := c.handle(ctx, &m)
			c.releaseMessage(&m)
			if !goesOn {
				return
			}
			idle.Reset(c.s.o.Limits.Idle)
		}
	}
}

// startContext returns the context of the socket, which ends when the client hangs up.
func (c *conn) startContext(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	c.s.mu.Lock()
	c.cancel = cancel
	c.s.mu.Unlock()
	c.hangup = downstream.NewHangup()
	return downstream.WithHangup(ctx, c.hangup), cancel
}

// receive reads messages until the socket ends. It reads during a turn too, to answer pings and to notice a hang-up.
func (c *conn) receive(ctx context.Context) {
	defer close(c.inbox)
	defer c.hangup.Signal()
	defer c.cancel()
	for {
		kind, m, err := c.read(ctx)
		if err == nil {
			err = c.queue(kind, m)
		}
		if err != nil { // a message that is too large or too slow has closed the socket
			c.releaseMessage(&m)
			return
		}
	}
}

var (
	errQueue = errors.New("the message cannot be queued")
	errFull  = errors.New("the tenant's sockets use too much memory")
)

// queue hands a message to the turns. An error means that the socket has been closed.
func (c *conn) queue(kind websocket.MessageType, m message) error {
	if kind != websocket.MessageText {
		c.close(websocket.StatusUnsupportedData, "messages must be JSON in text frames")
		return errQueue
	}
	if c.queued.Add(int64(len(m.event))) > c.maxMessage {
		c.close(websocket.StatusPolicyViolation, "too many bytes wait for the response in flight")
		return errQueue
	}
	select {
	case c.inbox <- m:
		return nil
	default:
		c.close(websocket.StatusPolicyViolation, "too many events wait for the response in flight")
		return errQueue
	}
}

// dropQueued releases the memory of messages that no turn will read. The reader has to end first.
func (c *conn) dropQueued() {
	c.cancel()
	for m := range c.inbox {
		c.releaseMessage(&m)
	}
}

// releaseMessage releases the memory of a message.
func (c *conn) releaseMessage(m *message) {
	c.s.reserve(c.who.Tenant, -m.size)
	m.size = 0
}

// readStep is how much of a message has to arrive within Limits.Read.
const readStep = 16 << 10

// read reads one message and counts its bytes. A client may be idle before it, but not in the middle of it.
func (c *conn) read(ctx context.Context) (kind websocket.MessageType, m message, err error) {
	kind, r, err := c.ws.Reader(ctx)
	if err != nil {
		return 0, m, err
	}
	slow := time.AfterFunc(c.s.o.Limits.Read, c.cancel)
	defer slow.Stop()
	var b bytes.Buffer
	for {
		n, err := io.CopyN(&b, r, readStep)
		if !c.s.reserve(c.who.Tenant, n) {
			c.close(websocket.StatusTryAgainLater, "the sockets of this tenant hold too many bytes; try again later")
			return 0, m, errFull
		}
		m.size += n
		switch {
		case errors.Is(err, io.EOF):
			m.event = b.Bytes()
			return kind, m, nil
		case err != nil:
			return 0, m, err
		case n == readStep:
			slow.Reset(c.s.o.Limits.Read)
		}
	}
}

// handle serves one message. It returns false if the socket must end.
func (c *conn) handle(ctx context.Context, m *message) bool {
	q, e := readCreate(m.event)
	switch {
	case e != nil:
		return c.fail(ctx, q.lane, e)
	case q.ignored:
		return true
	}
	before, e := c.lanes.find(q.previous)
	if e == nil && !q.generate { // turns are checked when they are served
		e = c.s.o.Check(c.handshake)
	}
	if e != nil {
		return c.fail(ctx, q.lane, e)
	}
	if int64(len(before)+len(q.input)) > c.maxMessage { // before a copy is made
		return c.fail(ctx, q.lane, &core.Error{
			Kind: core.TooLarge, Code: core.CodeTooLarge, Public: "the conversation with the new input is larger than a request may be",
		})
	}
	input := q.join(before)
	if !q.generate {
		c.releaseMessage(m) // from now on the conversation counts instead
		return c.warm(ctx, &q, input)
	}
	t := newTurn(ctx, c, q.lane)
	c.s.o.Serve(t, c.newRequest(ctx, q.buildBody(input)), turnLine{c})
	t.sendWhole()
	c.releaseMessage(m)
	switch {
	case t.gone || ctx.Err() != nil:
		return false
	case t.id != "":
		c.lanes.store(c.s, c.who.Tenant, q.lane, t.id, input, t.output)
	default:
		c.lanes.evict(c.s, c.who.Tenant, q.previous)
	}
	if t.denied {
		c.close(websocket.StatusPolicyViolation, "the key is no longer accepted")
	}
	return !t.denied
}

// ofHandshake are headers that belong to the handshake.
var ofHandshake = []string{"Connection", "Upgrade", "Openai-Beta", "Content-Length", "Content-Encoding", "Transfer-Encoding", "Expect"}

// newRequest returns the request of a turn: as if the client had sent it without a socket.
func (c *conn) newRequest(ctx context.Context, body []byte) *http.Request {
	h := c.handshake.Header.Clone()
	for name := range h {
		if strings.HasPrefix(name, "Sec-Websocket-") {
			delete(h, name)
		}
	}
	for _, name := range ofHandshake {
		delete(h, name)
	}
	h["Content-Type"] = []string{"application/json"}
	r := &http.Request{
		Method: http.MethodPost, URL: &url.URL{Path: c.handshake.URL.Path}, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Host: c.handshake.Host, RemoteAddr: c.handshake.RemoteAddr, TLS: c.handshake.TLS,
		Body: http.NoBody, ContentLength: int64(len(body)),
	}
	if len(body) > 0 {
		r.Body = newBody(body)
	}
	return r.WithContext(ctx)
}

// fail tells the client why its event was refused. It returns false if the socket must end.
func (c *conn) fail(ctx context.Context, lane string, e *core.Error) bool {
	sent := c.send(ctx, appendError(nil, lane, e))
	if sent && c.s.o.Denied(e.HTTPStatus(), e.Code) {
		c.close(websocket.StatusPolicyViolation, "the key is no longer accepted")
		return false
	}
	return sent
}

// send sends one event. It returns false if the client is gone.
func (c *conn) send(ctx context.Context, event []byte) bool {
	return c.ws.Write(ctx, websocket.MessageText, event) == nil
}

// close ends the socket with a reason. The client has a few seconds to answer.
func (c *conn) close(code websocket.StatusCode, reason string) {
	_ = c.ws.Close(code, reason) // it may be closed
}

// warm answers an event that asks for no output: the conversation is kept under a new id.
func (c *conn) warm(ctx context.Context, q *create, input []byte) bool {
	id := newID()
	if !c.send(ctx, appendPreparedEvent(nil, "response.created", 0, id, q, "in_progress")) ||
		!c.send(ctx, appendPreparedEvent(nil, "response.completed", 1, id, q, "completed")) {
		return false
	}
	c.lanes.store(c.s, c.who.Tenant, q.lane, id, input, nil)
	return true
}

var shape openai.Responses
