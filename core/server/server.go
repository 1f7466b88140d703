// Package server owns the listeners of the gateway, the console, the metrics and the profiles, and shuts them down. It
// mounts the data plane and the public pages on gin.
package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/gateway/batch"
	"github.com/headgate-dev/headgate/core/gateway/downstream"
	"github.com/headgate-dev/headgate/core/gateway/proxy"
	"github.com/headgate-dev/headgate/core/manage/admin/rest"
	"github.com/headgate-dev/headgate/core/manage/fleet"
	"github.com/headgate-dev/headgate/core/telemetry"
)

// Options configure the listeners and what they serve.
type Options struct {
	Listen            string // address of the gateway; optional
	AdminListen       string // address of the administrative API; by default Listen serves it
	Metrics           string // optional
	Pprof             string // optional
	TLS               *tls.Config
	HTTP2             bool // TLS offers HTTP/2; see downstream.Options
	ReadHeaderTimeout time.Duration
	IdleTimeout       time.Duration
	NetHTTP           bool          // net/http reads all requests; see downstream.Options
	BodyTimeout       time.Duration // timeout for each 16 KiB of a body; 0: none
	SendTimeout       time.Duration // timeout for each 16 KiB of an answer; 0: none
	Proxy             *proxy.Proxy  // the data plane; optional
	Batches           []batch.Route // files and batches
	Admin             *rest.Options // the administrative API; optional
	Console           http.Handler  // the web console; optional
	ConsoleAt         net.Listener  // the console's open listener; Start takes ownership
	ConsoleTLS        *tls.Config
	Internal          http.Handler // /internal, for the nodes of a fleet; optional
	Version           string       // of the program, for the API documents
	Telemetry         *telemetry.Telemetry
	ActuatorKey       string // required by /actuator; if empty, /actuator is closed
	Status            func() Status
	// Knows reports whether a request has a key that is valid here, or the credential of an administrator where the
	// port administers; Optional.
	Knows   func(r *http.Request, administers bool) bool
	License func(context.Context) (any, error) // the state of the licence
	Ready   func(context.Context) error        // nil error: ready for traffic
}

// Server is a running gateway.
type Server struct {
	servers []*downstream.Server
	addr    net.Addr
	admin   net.Addr
	metrics net.Addr
	failed  chan error
	drains  atomic.Bool
	proxy   *proxy.Proxy // optional
}

// maxHeader limits a request's header, in bytes.
const maxHeader = 64 << 10

// Start opens all listeners, then serves. It fails before serving anything if an address is unavailable.
func Start(o Options) (*Server, error) {
	s := &Server{failed: make(chan error, 5), proxy: o.Proxy}
	ready := o.Ready
	o.Ready = func(ctx context.Context) error {
		if s.drains.Load() {
			return errDraining
		}
		return ready(ctx)
	}
	type listener struct {
		addr string
		h    http.Handler
		tls  *tls.Config
		at   *net.Addr
		l    net.Listener // already open
		// setting names the address in the configuration. If the port of an optional listener is taken, the others still open.
		setting  string
		optional bool
	}
	var listeners []listener
	if o.Listen != "" {
		listeners = append(listeners, listener{o.Listen, NewHandler(o), o.TLS, &s.addr, nil, "server.listen", false})
	}
	if o.Admin != nil && o.AdminListen != "" {
		listeners = append(listeners, listener{o.AdminListen, newAdminEngine(o), o.TLS, &s.admin, nil, "admin.listen", false})
	}
	if o.Console != nil {
		listeners = append(listeners, listener{"", o.Console, o.ConsoleTLS, new(net.Addr), o.ConsoleAt, "console.listen", false})
	}
	if o.Metrics != "" {
		mux := http.NewServeMux()
		mux.Handle("GET /metrics", o.Telemetry.Handler())
		listeners = append(listeners, listener{o.Metrics, mux, nil, &s.metrics, nil, "server.metrics_listen", true})
	}
	if o.Pprof != "" {
		listeners = append(listeners, listener{o.Pprof, newProfiles(), nil, new(net.Addr), nil, "server.pprof_listen", false})
	}
	var open []net.Listener
	served := listeners[:0]
	for _, d := range listeners {
		l, err := d.l, error(nil)
		if l == nil {
			l, err = net.Listen("tcp", d.addr)
		}
		if d.optional && errors.Is(err, syscall.EADDRINUSE) {
			o.Telemetry.Log.Warn().Err(DescribeListenError(d.setting, d.addr, err)).Msg("an address is taken; the gateway serves without it")
			continue
		}
		if err != nil {
			err = DescribeListenError(d.setting, d.addr, err)
			for _, l := range open {
				err = errors.Join(err, l.Close())
			}
			return nil, err
		}
		*d.at = l.Addr()
		open, served = append(open, l), append(served, d)
	}
	for i, d := range served {
		h := downstream.New(open[i], downstream.Options{
			Handler: d.h, TLS: d.tls, HTTP2: o.HTTP2, MaxHeader: maxHeader, Log: newConnectionLog(o.Telemetry),
			Head: o.ReadHeaderTimeout, Idle: o.IdleTimeout, Body: o.BodyTimeout, Send: o.SendTimeout, NetHTTP: o.NetHTTP,
		})
		s.servers = append(s.servers, h)
		go func() {
			if err := h.Serve(); err != nil && !errors.Is(err, http.ErrServerClosed) {
				s.failed <- err
			}
		}()
	}
	return s, nil
}

// DescribeListenError returns why an address cannot be opened, with its setting and what to do.
func DescribeListenError(setting, addr string, err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("`%s`: another program listens on %s; stop it, or write another address (--set %[1]s=HOST:PORT): %[3]w", setting, addr, err)
	}
	return fmt.Errorf("`%s`: listen: %w", setting, err)
}

// Addr returns the gateway's address, or nil if it does not listen.
func (s *Server) Addr() net.Addr { return s.addr }

// Admin returns the address of the separate port of the administrative API, or nil.
func (s *Server) Admin() net.Addr { return s.admin }

// Metrics returns the address of the metrics, or nil if they are off.
func (s *Server) Metrics() net.Addr { return s.metrics }

// ListenerErrors returns the channel of errors of listeners that have stopped unexpectedly.
func (s *Server) ListenerErrors() <-chan error { return s.failed }

// Drain makes the gateway unready, makes every answer close its connection, and continues to serve for the delay: until
// load balancers have noticed. It ends early when ctx does.
func (s *Server) Drain(ctx context.Context, delay time.Duration) {
	s.drains.Store(true)
	for _, h := range s.servers {
		h.Drain()
	}
	if s.proxy != nil {
		s.proxy.DrainSockets()
	}
	select {
	case <-ctx.Done():
	case <-time.After(delay):
	}
}

var errDraining = errors.New("the gateway is shutting down")

// Shutdown waits for running exchanges until ctx ends, and then closes their connections.
func (s *Server) Shutdown(ctx context.Context) error {
	var errs []error
	sockets := make(chan error, 1)
	go func() { // their connections are no longer the servers'
		if s.proxy == nil {
			sockets <- nil
			return
		}
		sockets <- s.proxy.ShutdownSockets(ctx)
	}()
	for _, h := range s.servers {
		if err := h.Shutdown(ctx); err != nil {
			errs = append(errs, err, h.Close())
		}
	}
	return errors.Join(append(errs, <-sockets)...)
}

// NewHandler returns the handler of the gateway's port.
func NewHandler(o Options) http.Handler { return newPublicEngine(o) }

func newPublicEngine(o Options) *gin.Engine {
	e := newEngine(o)
	if o.Proxy != nil {
		o.Proxy.Mount(e)
		mountBatches(e, o.Batches)
	}
	if o.Internal != nil {
		for _, r := range fleet.Routes {
			e.Handle(r.Method, strings.ReplaceAll(strings.ReplaceAll(r.Path, "{", ":"), "}", ""), addTraceHeader(gin.WrapH(o.Internal)))
		}
	}
	if o.AdminListen != "" {
		o.Admin = nil // it has its own port
	}
	mountPages(e, o)
	mountActuator(e, o)
	mountAPIDocs(e, o, mountAdmin(e, o))
	mountNotFound(e)
	return e
}

// newAdminEngine returns the handler of the administrative API's own port: the API, its documents, and nothing else.
func newAdminEngine(o Options) *gin.Engine {
	e := newEngine(o)
	mountAPIDocs(e, o, mountAdmin(e, o))
	mountNotFound(e)
	return e
}

// newEngine returns an engine without endpoints.
func newEngine(o Options) *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	e.HandleMethodNotAllowed = true
	e.Use(awaitUnreadBody, newAccessLog(o.Telemetry, o.Batches), refuseAmbiguousTarget)
	e.RedirectTrailingSlash = false
	return e
}

// mountNotFound answers requests for unknown paths and methods.
func mountNotFound(e *gin.Engine) {
	e.NoRoute(writeNoEndpoint)
	e.NoMethod(func(c *gin.Context) {
		if strings.EqualFold(c.GetHeader("Upgrade"), "websocket") { // clients of Responses then stream over HTTP at once
			c.Header("Upgrade", "HTTP/1.1")
			writeError(c, &core.Error{
				Kind: core.MethodNotAllowed, Code: core.CodeMethodNotAllowed, Status: http.StatusUpgradeRequired,
				Public: "this endpoint has no WebSocket mode; send a POST",
			})
			return
		}
		writeError(
			c,
			&core.Error{Kind: core.MethodNotAllowed, Code: core.CodeMethodNotAllowed, Public: "this endpoint does not take that method"},
		)
	})
}

func writeNoEndpoint(c *gin.Context) {
	writeError(c, &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Public: "unknown endpoint"})
}

func writeError(c *gin.Context, e *core.Error) {
	c.Header("X-Trace-Id", proxy.ReadTrace(c.Request.Header))
	if strings.HasPrefix(c.Request.URL.Path, rest.Prefix+"/") { // the API's document describes its errors
		rest.WriteError(c.Writer, e)
		return
	}
	c.Data(e.HTTPStatus(), "application/json", openai.Chat{}.AppendError(nil, e))
}

// newProfiles serves the profiles of the Go runtime. It listens only if configured.
func newProfiles() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/cmdline", http.NotFound) // the command line may contain --set api_key=…
	return mux
}
