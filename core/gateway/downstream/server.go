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

// Options say what to serve, and how patiently.
type Options struct {
	Handler   http.Handler
	TLS       *tls.Config   // nil: plain TCP
	NetHTTP   bool          // net/http reads all requests: the parser of this package is off
	MaxHeader int           // bytes of a request's head
	Head      time.Duration // for the head of a request; 0: for ever, as with all limits
	Idle      time.Duration // until the next request
	Body      time.Duration // for each 16 KiB of a body
	Log       *log.Logger   // what goes wrong with connections; needed
}

// Server serves the clients of a listener.
type Server struct {
	o       Options
	clients *clients
	rest    *http.Server // serves what is not plain
	handoff *handoff     // the listener of rest
	closing atomic.Bool
	watcher hangupWatcher
	ctx     context.Context // of all connections
	running atomic.Int64    // connections that are served here
	accepts atomic.Bool
}

// New makes a server of a listener, which it takes over.
func New(l net.Listener, o Options) *Server {
	s := &Server{o: o, clients: watchClients(l, limits{head: o.Head, idle: o.Idle, body: o.Body}), handoff: newHandoff(l.Addr())}
	s.rest = &http.Server{Handler: o.Handler, MaxHeaderBytes: o.MaxHeader, ErrorLog: o.Log} //nolint:gosec // clients sees to slow heads
	reportStates(s.rest)
	s.ctx = context.WithValue(context.Background(), http.ServerContextKey, s.rest)
	s.watcher.init()
	return s
}

// Serve serves until Shutdown or Close, and then answers http.ErrServerClosed.
func (s *Server) Serve() error {
	switch {
	case s.o.TLS != nil:
		return s.rest.Serve(tls.NewListener(s.clients, s.o.TLS))
	case s.o.NetHTTP:
		return s.rest.Serve(s.clients)
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

// accept serves connections until there are no more.
func (s *Server) accept() error {
	const most = time.Second
	pause := time.Duration(0)
	for {
		nc, err := s.clients.Accept()
		if err != nil {
			// What passes by itself, as a lack of file descriptors does, must not end the server.
			//lint:ignore SA1019 there is no other way to tell, and net/http does it
			if t, ok := err.(net.Error); ok && t.Temporary() && !s.closing.Load() { //nolint:errorlint,staticcheck // as net/http does
				pause = min(max(2*pause, 5*time.Millisecond), most)
				s.o.Log.Printf("accept: %v; again in %v", err, pause)
				time.Sleep(pause)
				continue
			}
			return err
		}
		pause = 0
		cl, ok := nc.(*client)
		if !ok || s.closing.Load() { // what is accepted now, neither Shutdown nor Close may have seen
			_ = nc.Close()
			continue
		}
		s.running.Add(1)
		go newConn(s, cl).serve()
	}
}

// shutdownTick is how long a shutdown waits between two looks at what still runs.
const shutdownTick = 5 * time.Millisecond

// Shutdown takes no more requests and lets those that run end, until ctx does.
func (s *Server) Shutdown(ctx context.Context) error {
	s.closing.Store(true)
	err := s.clients.shut()
	s.rest.SetKeepAlivesEnabled(false) // closes what is idle; what is given to it from now on it still serves
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
	_ = s.clients.Close() // said above
	return err
}

// closeIdle closes the connections that no request has come on.
func (s *Server) closeIdle() {
	for _, cl := range s.clients.all() {
		if cl.plain.Load() != nil && cl.idle() {
			_ = cl.Conn.Close() // its reader finds out
		}
	}
}

// idle reports whether no request has come. A connection that nothing has come on yet counts once it had time for it.
func (cl *client) idle() bool {
	w := cl.waits.Load()
	return w&3 == forRequest || w&3 == forHead && cl.received.Load() == 0 && cl.of.clock.Load()-w>>2 > 2
}

// Close cuts all connections.
func (s *Server) Close() error {
	s.closing.Store(true)
	err := errors.Join(s.clients.Close(), s.rest.Close(), s.handoff.Close())
	for _, cl := range s.clients.all() {
		_ = cl.Conn.Close()
	}
	return err
}
