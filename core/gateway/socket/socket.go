// Package socket serves the WebSocket mode of the Responses API: a client keeps one connection, sends a response.create
// for each turn, and continues a conversation by previous_response_id with the new items alone.
//
//	client ──response.create──► socket.run ──► create (create.go): joins the lane's conversation and the new input
//	                                             │ one body, as a client without a socket would send it
//	                                             ▼
//	                              Options.Serve: one exchange, with its own key check, guards, holds and records
//	                                             │ server-sent events
//	client ◄──messages────────── turn (turn.go) ◄┘ ──► lanes (lanes.go): keeps what the client was sent
//
// Each turn passes the whole conversation, so guards see all of it, and providers need not have a WebSocket mode. One that has
// it is called by a WebSocket that the client's socket keeps (turn_line.go). A socket
// keeps the newest response of each lane, within Limits.Kept; a client that continues any other response gets an error and
// sends its conversation in full.
package socket

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/headgate-dev/headgate/core"
)

// Limits bound sockets. The zero value of a field means its default.
type Limits struct {
	PerKey int           // sockets of one key at the same time; 0: the mode is off
	Idle   time.Duration // without a turn
	Age    time.Duration // of a socket
	Read   time.Duration // for each 16 KiB of a message, or the rest of it
	Kept   int64         // bytes that the sockets of one tenant hold: conversations between turns, and messages until they are served
	All    int64         // as Kept, of all tenants
}

// The defaults.
const (
	defaultIdle = 10 * time.Minute
	defaultAge  = time.Hour
	defaultRead = 30 * time.Second
	defaultKept = 64 << 20
	defaultAll  = 256 << 20
)

// keysOfTenant times PerKey is the limit of open sockets of a tenant.
const keysOfTenant = 4

// Options configure Sockets. All are required.
type Options struct {
	Limits Limits
	// Serve serves one turn: a POST whose answer is streamed. It returns when the answer has ended.
	Serve func(w http.ResponseWriter, r *http.Request, line Line)
	// HasSockets reports whether a provider serves the mode itself.
	HasSockets func(provider, model string) bool
	// ServeLive serves one exchange of a Realtime session, whose provider is reached by a line.
	ServeLive func(w http.ResponseWriter, r *http.Request, line Line)
	// Book serves one exchange that books, on behalf of a caller, what a session's provider has used already.
	Book func(w http.ResponseWriter, r *http.Request, by *core.Principal, line FixedLine)
	// Judges reports whether guards judge what a client says.
	Judges func() bool
	// Check returns nil if the caller of a request may start a turn or session, otherwise the refusal.
	Check func(r *http.Request) *core.Error
	// Denied reports whether no later turn of a socket can succeed after an error with this status and code.
	Denied func(status int, code string) bool
}

// Sockets are the open sockets of a gateway. Safe for concurrent use.
type Sockets struct {
	o       Options
	mu      sync.Mutex
	open    map[*conn]struct{}
	perKey  map[string]int
	tenants map[string]int   // sockets of each
	kept    map[string]int64 // by tenant
	all     int64
	drains  chan struct{} // closed: sockets end after their turn
	once    sync.Once
	pending sync.WaitGroup
}

// New returns the sockets of a gateway.
func New(o Options) *Sockets {
	l := &o.Limits
	if l.Idle == 0 {
		l.Idle = defaultIdle
	}
	if l.Age == 0 {
		l.Age = defaultAge
	}
	if l.Read == 0 {
		l.Read = defaultRead
	}
	if l.Kept == 0 {
		l.Kept = defaultKept
	}
	if l.All == 0 {
		l.All = defaultAll
	}
	return &Sockets{
		o: o, open: map[*conn]struct{}{}, perKey: map[string]int{}, tenants: map[string]int{}, kept: map[string]int64{},
		drains: make(chan struct{}),
	}
}

// IsOn reports whether the mode is on.
func (s *Sockets) IsOn() bool { return s.o.Limits.PerKey > 0 }

// Open upgrades the connection of a caller and serves it until it ends. maxMessage limits a message in bytes. An error
// means that nothing has been written.
func (s *Sockets) Open(w http.ResponseWriter, r *http.Request, who *core.Principal, maxMessage int64) *core.Error {
	if e := checkHandshake(w.Header(), r); e != nil {
		return e
	}
	c := &conn{s: s, who: who, maxMessage: maxMessage, httpOnly: map[string]bool{}}
	if e := s.add(c); e != nil {
		return e
	}
	defer s.remove(c)
	// Callers authenticate with a header that no page of another site can set, so any origin may connect.
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return nil // Accept has answered
	}
	defer func() { _ = ws.CloseNow() }() // it may be closed
	ws.SetReadLimit(maxMessage)
	c.ws, c.handshake = ws, r
	c.run(r.Context())
	return nil
}

func (s *Sockets) add(c *conn) *core.Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.drains:
		return &core.Error{
			Kind: core.Unavailable, Code: core.CodeOverloaded, RetryAfter: time.Second, Public: "the gateway is shutting down; connect again",
		}
	default:
	}
	if s.perKey[c.who.KeyID] >= s.o.Limits.PerKey {
		return &core.Error{
			Kind: core.RateLimited, Code: core.CodeRateLimit, RetryAfter: time.Second,
			Public: "this key has too many WebSocket connections open; close one, or send a POST",
		}
	}
	if s.tenants[c.who.Tenant] >= keysOfTenant*s.o.Limits.PerKey {
		return &core.Error{
			Kind: core.RateLimited, Code: core.CodeRateLimit, RetryAfter: time.Second,
			Public: "this tenant has too many WebSocket connections open; close one, or send a POST",
		}
	}
	s.perKey[c.who.KeyID]++
	s.tenants[c.who.Tenant]++
	s.open[c] = struct{}{}
	s.pending.Add(1)
	return nil
}

func (s *Sockets) remove(c *conn) {
	c.lanes.drop(s, c.who.Tenant)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.perKey[c.who.KeyID]--; s.perKey[c.who.KeyID] == 0 {
		delete(s.perKey, c.who.KeyID)
	}
	if s.tenants[c.who.Tenant]--; s.tenants[c.who.Tenant] == 0 {
		delete(s.tenants, c.who.Tenant)
	}
	delete(s.open, c)
	s.pending.Done()
}

// reserve counts bytes that a tenant's sockets keep; a negative number releases them. It reports false, and counts
// nothing, if they would exceed the limits.
func (s *Sockets) reserve(tenant string, bytes int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if bytes > 0 && (s.kept[tenant]+bytes > s.o.Limits.Kept || s.all+bytes > s.o.Limits.All) {
		return false
	}
	s.all += bytes
	if s.kept[tenant] += bytes; s.kept[tenant] == 0 {
		delete(s.kept, tenant)
	}
	return true
}

// Drain ends each socket after its turn in flight: idle ones at once. New ones are refused.
func (s *Sockets) Drain() {
	s.once.Do(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		close(s.drains)
	})
}

// Shutdown drains, waits for the turns in flight until ctx ends, and then closes their sockets.
func (s *Sockets) Shutdown(ctx context.Context) error {
	s.Drain()
	ended := make(chan struct{})
	go func() {
		s.pending.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	for c := range s.open {
		if c.cancel != nil {
			c.cancel()
		}
	}
	s.mu.Unlock()
	<-ended
	return ctx.Err()
}
