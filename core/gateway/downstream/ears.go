package downstream

import (
	"net"
	"sync/atomic"
	"time"
)

// earTick is the time between two looks for requests that take long. From the second look on that finds a request, its
// client is listened to: one that leaves is heard after 40 ms at the latest. Most answers are given before, and cost
// nothing: no timer, no goroutine, no system call.
const (
	earTick    = 20 * time.Millisecond
	quietTicks = 10 // without a request, before the looks end
)

// States of conn.heeded other than the tick at which a request's body had come.
const (
	unheeded  = 0  // no request is served, or its body is still to come
	listening = -1 // somebody reads
)

// ears finds the connections that somebody has to listen to.
type ears struct {
	tick   atomic.Int64
	asleep atomic.Bool
	wake   chan struct{}
}

func (e *ears) init() {
	e.tick.Store(1)
	e.asleep.Store(true)
	e.wake = make(chan struct{}, 1)
}

// heed has the client listened to if its request takes long.
func (k *conn) heed() {
	e := &k.s.ears
	k.heeded.Store(e.tick.Load())
	if e.asleep.Load() && e.asleep.CompareAndSwap(true, false) {
		e.wake <- struct{}{} // there is room: whoever slept has taken the last one
	}
}

// unheed ends that. The connection is the caller's again.
func (k *conn) unheed() {
	if k.heeded.Swap(unheeded) != listening {
		return
	}
	_ = k.cl.Conn.SetReadDeadline(time.Unix(1, 0)) // a connection that is closed reads no more either
	<-k.heard
	_ = k.cl.Conn.SetReadDeadline(time.Time{})
}

// watch looks for requests that take long, until the server has stopped. It sleeps while no request is served.
func (s *Server) watch() {
	e := &s.ears
	tick := time.NewTicker(earTick)
	defer tick.Stop()
	for {
		tick.Stop()
		select {
		case <-s.clients.stop:
			return
		case <-e.wake:
		}
		tick.Reset(earTick)
		for quiet := 0; ; quiet++ {
			select {
			case <-s.clients.stop:
				return
			case <-tick.C:
			}
			if s.listen(e.tick.Add(1)) {
				quiet = 0
			}
			if quiet < quietTicks {
				continue
			}
			e.asleep.Store(true)
			// A request that has come in between saw nobody asleep.
			if !s.listen(e.tick.Load()) || !e.asleep.CompareAndSwap(true, false) {
				break
			}
		}
	}
}

// listen reports whether any request is served.
func (s *Server) listen(now int64) (any bool) {
	s.clients.mu.Lock()
	defer s.clients.mu.Unlock()
	for cl := range s.clients.open {
		k := cl.plain.Load()
		if k == nil {
			continue
		}
		since := k.heeded.Load()
		any = any || since != unheeded
		if since > 0 && now-since >= 2 && k.heeded.CompareAndSwap(since, listening) {
			go k.hear()
		}
	}
	return any
}

// hear waits for the client to leave, or to send what belongs to its next request.
func (k *conn) hear() {
	n, err := k.cl.Conn.Read(k.early[:1])
	k.cl.came.Add(int64(n))
	k.begun = n == 1
	if t, ok := err.(net.Error); err != nil && (!ok || !t.Timeout()) { //nolint:errorlint // a connection's own errors are not wrapped
		k.left()
	}
	k.heard <- struct{}{}
}
