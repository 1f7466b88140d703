// Package server owns the listeners: the gateway's, that of the metrics, and
// their shutdown. It mounts the data plane and the public pages on gin.
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

// Options say where to listen and what to serve.
type Options struct {
	Listen            string // of the gateway; "": there is none
	Metrics           string // "" is off
	Pprof             string // "" is off
	TLS               *tls.Config
	ReadHeaderTimeout time.Duration
	IdleTimeout       time.Duration
	NetHTTP           bool          // net/http reads all requests; see downstream.Options
	BodyTimeout       time.Duration // how long a client may take for each 16 KiB of a body; 0: no limit
	Proxy             *proxy.Proxy  // the data plane; nil: there is none
	Batches           []batch.Route // files and batches
	Admin             *rest.Options // the administrative API; nil: there is none
	Console           http.Handler  // the web application; nil: there is none
	ConsoleAt         net.Listener  // where it is served, opened already: Start takes it over
	ConsoleTLS        *tls.Config
	Internal          http.Handler // of /internal, for the nodes of a fleet; nil: there is none
	Version           string       // of the program, for the documents
	Telemetry         *telemetry.Telemetry
	ActuatorKey       string // opens /actuator; "" keeps it closed
	Status            func() Status
	License           func(context.Context) (any, error) // how the installation stands with its licence
	Ready             func(context.Context) error        // nil error: traffic is welcome
}

// Server is a running gateway.
type Server struct {
	servers []*downstream.Server
	addr    net.Addr
	metrics net.Addr
	failed  chan error
}

// maxHeader bounds a request's header.
const maxHeader = 64 << 10

// Start opens all listeners, then serves. An address that cannot be had is an
// error before anything is served.
func Start(o Options) (*Server, error) {
	s := &Server{failed: make(chan error, 4)}
	type door struct {
		addr string
		h    http.Handler
		tls  *tls.Config
		at   *net.Addr
		l    net.Listener // when it is open already
	}
	var doors []door
	if o.Listen != "" {
		doors = append(doors, door{o.Listen, Handler(o), o.TLS, &s.addr, nil})
	}
	if o.Console != nil {
		doors = append(doors, door{"", o.Console, o.ConsoleTLS, new(net.Addr), o.ConsoleAt})
	}
	if o.Metrics != "" {
		mux := http.NewServeMux()
		mux.Handle("GET /metrics", o.Telemetry.Handler())
		doors = append(doors, door{o.Metrics, mux, nil, &s.metrics, nil})
	}
	if o.Pprof != "" {
		doors = append(doors, door{o.Pprof, profiles(), nil, new(net.Addr), nil})
	}
	var open []net.Listener
	for _, d := range doors {
		l, err := d.l, error(nil)
		if l == nil {
			l, err = net.Listen("tcp", d.addr)
		}
		if err != nil {
			for _, l := range open {
				err = errors.Join(err, l.Close())
			}
			return nil, fmt.Errorf("listen: %w", err)
		}
		*d.at = l.Addr()
		open = append(open, l)
	}
	for i, d := range doors {
		h := downstream.New(open[i], downstream.Options{
			Handler: d.h, TLS: d.tls, MaxHeader: maxHeader, Log: connectionLog(o.Telemetry),
			Head: o.ReadHeaderTimeout, Idle: o.IdleTimeout, Body: o.BodyTimeout, NetHTTP: o.NetHTTP,
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

// Addr is the gateway's address; nil when there is none.
func (s *Server) Addr() net.Addr { return s.addr }

// Metrics is the address of the metrics; nil when they are off.
func (s *Server) Metrics() net.Addr { return s.metrics }

// Failed gives the error of a listener that stopped by itself.
func (s *Server) Failed() <-chan error { return s.failed }

// Shutdown lets running exchanges end, until ctx does; then it cuts them.
func (s *Server) Shutdown(ctx context.Context) error {
	var errs []error
	for _, h := range s.servers {
		if err := h.Shutdown(ctx); err != nil {
			errs = append(errs, err, h.Close())
		}
	}
	return errors.Join(errs...)
}

// Handler routes the gateway's own port.
func Handler(o Options) http.Handler { return engine(o) }

func engine(o Options) *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	e.HandleMethodNotAllowed = true
	e.Use(awaitUnreadBody, accessLog(o.Telemetry, o.Batches))
	e.RedirectTrailingSlash = false
	if o.Proxy != nil {
		o.Proxy.Mount(e)
		mountBatches(e, o.Batches)
	}
	if o.Internal != nil {
		for _, r := range fleet.Routes {
			e.Handle(r.Method, strings.ReplaceAll(strings.ReplaceAll(r.Path, "{", ":"), "}", ""), withTrace(gin.WrapH(o.Internal)))
		}
	}
	mountPages(e, o)
	mountActuator(e, o)
	mountAPIDocs(e, o.Version, mountAdmin(e, o))
	mountNotFound(e)
	return e
}

// mountNotFound answers for paths and methods that there are not.
func mountNotFound(e *gin.Engine) {
	e.NoRoute(func(c *gin.Context) {
		writeError(c, &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Public: "there is no such endpoint"})
	})
	e.NoMethod(func(c *gin.Context) {
		writeError(c, &core.Error{Kind: core.MethodNotAllowed, Code: core.CodeMethodNotAllowed, Public: "this endpoint does not take that method"})
	})
}

func writeError(c *gin.Context, e *core.Error) {
	c.Header("X-Trace-Id", proxy.Trace(c.Request.Header))
	c.Data(e.HTTPStatus(), "application/json", openai.Chat{}.AppendError(nil, e))
}

// profiles serves the Go runtime's profiles. It listens only where the operator
// has said so.
func profiles() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/cmdline", http.NotFound) // the command line may hold --set api_key=…
	return mux
}
