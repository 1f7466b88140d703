package proxy

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/gateway/socket"
)

// responsesPath is the endpoint of the Responses API, which has a WebSocket mode.
const responsesPath = "/v1/responses"

// newSockets returns the sockets of the proxy: each turn is an exchange.
func (p *Proxy) newSockets() *socket.Sockets {
	return socket.New(socket.Options{
		Limits: p.SocketLimits,
		Serve: func(w http.ResponseWriter, r *http.Request, line socket.Line) {
			in := *shapes[responsesPath]
			in.line = line
			p.serve(&turnWriter{ResponseWriter: w}, r, &in)
		},
		HasSockets: func(provider, model string) bool {
			s := p.Snapshots.Acquire()
			defer s.Release()
			to := s.Providers[provider]
			return to != nil && to.FindCapabilities(model).Sockets
		},
		ServeLive: func(w http.ResponseWriter, r *http.Request, line socket.Line) {
			p.serve(&turnWriter{ResponseWriter: w}, r, &inlet{shape: openai.Realtime{}, scopes: toComplete, line: line})
		},
		Book:   p.bookSession,
		Judges: p.isJudging,
		Check: func(r *http.Request) *core.Error {
			s := p.Snapshots.Acquire()
			defer s.Release()
			who, e := p.Auth.Authenticate(s.Keys, r, time.Now())
			if e == nil {
				e = checkTurns(who)
			}
			return e
		},
		Denied: func(status int, code string) bool {
			return status == http.StatusUnauthorized || code == core.CodeTenantSuspended || code == core.CodeForbidden
		},
	})
}

// checkTurns returns nil if the caller may request responses, otherwise the refusal.
func checkTurns(who *core.Principal) *core.Error {
	for _, scope := range toComplete {
		if e := auth.RequireScope(who, scope); e != nil {
			return e
		}
	}
	return checkActive(who)
}

// openSocket serves the WebSocket mode of the Responses API. A refused handshake is recorded like a refused request.
func (p *Proxy) openSocket(c *gin.Context) {
	var e *core.Error
	switch {
	case !strings.EqualFold(c.GetHeader("Upgrade"), "websocket"):
		c.Header("Allow", http.MethodPost)
		e = &core.Error{Kind: core.MethodNotAllowed, Code: core.CodeMethodNotAllowed, Public: "this endpoint does not take that method"}
	case !p.sockets.IsOn(): // clients stream over HTTP at once; on 405 they would try again for seconds
		c.Header("Upgrade", "HTTP/1.1")
		e = &core.Error{
			Kind: core.MethodNotAllowed, Code: core.CodeMethodNotAllowed, Status: http.StatusUpgradeRequired,
			Public: "the WebSocket mode is off; send a POST",
		}
	default:
		if e = p.upgrade(c); e != nil {
			in := *shapes[responsesPath]
			in.refused = e
			p.serve(c.Writer, c.Request, &in)
		}
		return
	}
	_, trace := newIDs(c.Request.Header)
	c.Header("X-Trace-Id", trace)
	c.Data(e.HTTPStatus(), "application/json", openai.Responses{}.AppendError(nil, e))
}

// upgrade turns the connection into a socket and serves it to its end. An error means that nothing was written.
func (p *Proxy) upgrade(c *gin.Context) *core.Error {
	s := p.Snapshots.Acquire()
	limit := s.MaxBody
	who, e := p.Auth.Authenticate(s.Keys, c.Request, time.Now())
	s.Release() // a socket must not keep a configuration alive
	if e == nil {
		e = checkTurns(who)
	}
	if e != nil {
		return e
	}
	return p.sockets.Open(c.Writer, c.Request, who, limit)
}

// DrainSockets ends each socket after its turn in flight, and the streams without end of servers of tools.
func (p *Proxy) DrainSockets() {
	p.listeners.drain()
	p.sockets.Drain()
}

// ShutdownSockets ends all sockets: idle ones at once, others after their turn in flight or when ctx ends. It ends the streams
// without end of servers of tools too.
func (p *Proxy) ShutdownSockets(ctx context.Context) error {
	p.listeners.drain()
	return p.sockets.Shutdown(ctx)
}

// turnWriter is the answer of one turn as exchanges write it.
type turnWriter struct {
	http.ResponseWriter
	status, size int
}

var (
	_ gin.ResponseWriter = (*turnWriter)(nil)

	errNoHijack = errors.New("a turn of a WebSocket cannot take over the connection")
)

func (w *turnWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *turnWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.size += n
	return n, err
}

func (w *turnWriter) WriteString(s string) (int, error)            { return w.Write([]byte(s)) }
func (w *turnWriter) WriteHeaderNow()                              {}
func (w *turnWriter) Status() int                                  { return w.status }
func (w *turnWriter) Size() int                                    { return w.size }
func (w *turnWriter) Written() bool                                { return w.status != 0 }
func (w *turnWriter) Flush()                                       {}
func (w *turnWriter) Pusher() http.Pusher                          { return nil }
func (w *turnWriter) CloseNotify() <-chan bool                     { return make(chan bool) }
func (w *turnWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) { return nil, nil, errNoHijack }
