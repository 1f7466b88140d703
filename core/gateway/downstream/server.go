package downstream

import (
	"context"
	"crypto/tls"
	"errors"
	"log"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// Options configure a Server. 0 means no limit.
type Options struct {
	Handler   http.Handler
	TLS       *tls.Config   // nil for plain TCP
	HTTP2     bool          // clients over TLS may speak HTTP/2, if TLS offers it: net/http serves them
	NetHTTP   bool          // net/http reads all requests: this package's parser is off, over TLS too
	MaxHeader int           // bytes of a request's head
	Head      time.Duration // timeout for the head of a request
	Idle      time.Duration // timeout until the next request
	Body      time.Duration // timeout for each 16 KiB of a body
	Send      time.Duration // timeout for each 16 KiB of an answer that the client takes
	Log       *log.Logger   // errors of connections; required
}

// Server serves the clients of a listener.
type Server struct {
	o       Options
	clients *clients
	rest    *http.Server     // serves requests that are not plain
	handoff *handoffListener // the listener of rest
	closing atomic.Bool
	drains  atomic.Bool // every answer is the last of its connection
	watcher hangupWatcher
	ctx     context.Context // of all connections
	running atomic.Int64    // connections served by this package
	accepts atomic.Bool
}

// New returns a server for l and takes ownership of it.
func New(l net.Listener, o Options) *Server {
	s := &Server{o: o, clients: watchClients(l, limits{head: o.Head, idle: o.Idle, body: o.Body, send: o.Send}), handoff: newHandoff(l.Addr())}
	// clients sees to slow heads.
	s.rest = &http.Server{Handler: http.HandlerFunc(s.serveNetHTTP), MaxHeaderBytes: o.MaxHeader, ErrorLog: o.Log}
	reportStates(s.rest)
	if o.HTTP2 {
		configureHTTP2(s.rest)
	}
	s.ctx = context.WithValue(context.Background(), http.ServerContextKey, s.rest)
	s.watcher.init()
	return s
}

// serveNetHTTP serves what net/http reads.
func (s *Server) serveNetHTTP(w http.ResponseWriter, r *http.Request) {
	if s.drains.Load() {
		w.Header().Set("Connection", "close")
	}
	if r.ProtoMajor == 2 {
		s.serveStream(w, r)
		return
	}
	s.o.Handler.ServeHTTP(w, r)
}

// Drain makes every answer close its connection from now on, so that clients open their next connections elsewhere.
// Connections are still accepted, and idle ones stay open: closing them could lose a request in transit.
func (s *Server) Drain() { s.drains.Store(true) }

// Serve serves until Shutdown or Close, and then returns http.ErrServerClosed.
func (s *Server) Serve() error {
	if s.o.NetHTTP && !(s.o.HTTP2 && s.o.TLS != nil) {
		return s.rest.Serve(strictListener{s.clients, s.o.TLS, s})
	}
	s.accepts.Store(true)
	go s.watchHangups()
	rest := make(chan error, 1)
	go func() { rest <- s.rest.Serve(s.handoff) }()
	err := s.accept()
	s.accepts.Store(false)
	if !s.closing.Load() {
		return errors.Join(err, s.rest.Close())
	}
	return <-rest
}

// accept serves connections until the listener is closed.
func (s *Server) accept() error {
	const most = time.Second
	pause := time.Duration(0)
	for {
		nc, err := s.clients.Accept()
		if err != nil {
			// Temporary errors, such as a lack of file descriptors, must not stop the server.
			//lint:ignore SA1019 there is no other way to tell, and net/http does it
			if t, ok := err.(net.Error); ok && t.Temporary() && !s.closing.Load() { //nolint:staticcheck // as net/http does
				pause = min(max(2*pause, 5*time.Millisecond), most)
				s.o.Log.Printf("accept: %v; retrying in %v", err, pause)
				time.Sleep(pause)
				continue
			}
			return err
		}
		pause = 0
		cl, ok := nc.(*client)
		if !ok || s.closing.Load() { // Shutdown and Close may have missed this connection
			_ = nc.Close()
			continue
		}
		s.running.Add(1)
		go newConn(s, cl).serve()
	}
}

// shutdownTick is the time between two checks for running requests during a shutdown.
const shutdownTick = 5 * time.Millisecond

// Shutdown refuses new requests and waits for running ones until ctx ends.
func (s *Server) Shutdown(ctx context.Context) error {
	s.closing.Store(true)
	err := s.clients.shut()
	s.rest.SetKeepAlivesEnabled(false) // closes idle connections; requests handed over later are still served
	tick := time.NewTicker(shutdownTick)
	defer tick.Stop()
	for s.accepts.Load() || s.running.Load() > 0 {
		s.closeIdle()
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-tick.C:
		}
	}
	err = errors.Join(err, s.rest.Shutdown(ctx))
	_ = s.clients.Close() // reported above
	return err
}

// closeIdle closes the connections without a running request.
func (s *Server) closeIdle() {
	for _, cl := range s.clients.listClients() {
		if k := cl.plain.Load(); k != nil && k.isIdle() {
			k.closeIdle()
		}
	}
}

// isIdle reports whether no request has begun. A new connection counts as idle once it had time to send one.
func (k *conn) isIdle() bool {
	w := k.cl.waits.Load()
	return w&3 == forRequest || w&3 == forHead && k.awaitsFirst() && k.cl.of.clock.Load()-w>>2 > 2
}

// Close closes all connections at once.
func (s *Server) Close() error {
	s.closing.Store(true)
	err := errors.Join(s.clients.Close(), s.rest.Close(), s.handoff.Close())
	for _, cl := range s.clients.listClients() {
		_ = cl.Conn.Close()
	}
	return err
}
