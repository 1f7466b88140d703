package downstream

import (
	"net"
	"sync/atomic"
	"time"
)

// watchTick is the time between two looks for requests that take long. From the second look on that finds a request, its
// client is listened to: one that leaves is heard after 40 ms at the latest. Most answers are given before, and cost
// nothing: no timer, no goroutine, no system call.
const (
	watchTick  = 20 * time.Millisecond
	quietTicks = 10 // without a request, before the looks end
)

// States of conn.heeded other than the tick at which a request's body had come.
const (
	notWatched = 0  // no request is served, or its body is still to come
	watching   = -1 // somebody reads
)

// hangupWatcher finds the connections that somebody has to listen to.
type hangupWatcher struct {
	tick   atomic.Int64
	asleep atomic.Bool
	wake   chan struct{}
}

func (e *hangupWatcher) init() {
	e.tick.Store(1)
	e.asleep.Store(true)
	e.wake = make(chan struct{}, 1)
}

// watchHangup has the client listened to if its request takes long.
func (k *conn) watchHangup() {
	e := &k.s.watcher
	k.watchedSince.Store(e.tick.Load())
	if e.asleep.Load() && e.asleep.CompareAndSwap(true, false) {
		e.wake <- struct{}{} // there is room: whoever slept has taken the last one
	}
}

// unwatchHangup ends that. The connection is the caller's again.
func (k *conn) unwatchHangup() {
	if k.watchedSince.Swap(notWatched) != watching {
		return
	}
	_ = k.cl.Conn.SetReadDeadline(time.Unix(1, 0)) // a connection that is closed reads no more either
	<-k.unwatched
	_ = k.cl.Conn.SetReadDeadline(time.Time{})
}

// watchHangups looks for requests that take long, until the server has stopped. It sleeps while no request is served.
func (s *Server) watchHangups() {
	e := &s.watcher
	tick := time.NewTicker(watchTick)
	defer tick.Stop()
	for {
		tick.Stop()
		select {
		case <-s.clients.stop:
			return
		case <-e.wake:
		}
		tick.Reset(watchTick)
		for quiet := 0; ; quiet++ {
			select {
			case <-s.clients.stop:
				return
			case <-tick.C:
			}
			if s.watchSlow(e.tick.Add(1)) {
				quiet = 0
			}
			if quiet < quietTicks {
				continue
			}
			e.asleep.Store(true)
			// A request that has come in between saw nobody asleep.
			if !s.watchSlow(e.tick.Load()) || !e.asleep.CompareAndSwap(true, false) {
				break
			}
		}
	}
}

// watchSlow reports whether any request is served.
func (s *Server) watchSlow(now int64) (any bool) {
	s.clients.mu.Lock()
	defer s.clients.mu.Unlock()
	for cl := range s.clients.open {
		k := cl.plain.Load()
		if k == nil {
			continue
		}
		since := k.watchedSince.Load()
		any = any || since != notWatched
		if since > 0 && now-since >= 2 && k.watchedSince.CompareAndSwap(since, watching) {
			go k.awaitHangup()
		}
	}
	return any
}

// awaitHangup waits for the client to leave, or to send what belongs to its next request.
func (k *conn) awaitHangup() {
	n, err := k.cl.Conn.Read(k.early[:1])
	k.cl.received.Add(int64(n))
	k.hasEarly = n == 1
	if t, ok := err.(net.Error); err != nil && (!ok || !t.Timeout()) { //nolint:errorlint // a connection's own errors are not wrapped
		k.hangUp()
	}
	k.unwatched <- struct{}{}
}
