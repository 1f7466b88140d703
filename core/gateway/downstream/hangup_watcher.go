package downstream

import (
	"net"
	"sync/atomic"
	"time"
)

// watchTick is the time between two checks for slow requests. A request that two checks have found is watched: its
// client's hang-up is noticed within 40 ms. Most requests end before that and cost nothing: no timer, no goroutine, no
// system call.
const (
	watchTick  = 20 * time.Millisecond
	quietTicks = 10 // ticks without a request after which the watcher sleeps
)

// Values of conn.watchedSince other than the tick at which a request's body had arrived.
const (
	notWatched = 0  // no request is served, or its body has not arrived
	watching   = -1 // a goroutine reads
)

// hangupWatcher finds the connections that must be watched for a hang-up.
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

// watchHangup watches for a hang-up if the request takes long.
func (k *conn) watchHangup() {
	e := &k.s.watcher
	k.watchedSince.Store(e.tick.Load())
	if e.asleep.Load() && e.asleep.CompareAndSwap(true, false) {
		e.wake <- struct{}{} // never blocks: a sleeping watcher has received the last one
	}
}

// unwatchHangup stops watching. The caller may read from the connection again.
func (k *conn) unwatchHangup() {
	if k.watchedSince.Swap(notWatched) != watching {
		return
	}
	_ = k.cl.Conn.SetReadDeadline(time.Unix(1, 0)) // a closed connection reads no more either
	<-k.unwatched
	_ = k.cl.Conn.SetReadDeadline(time.Time{})
}

// watchHangups checks for slow requests until the server stops. It sleeps while none is served.
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
			// A request that began in the meantime found the watcher awake.
			if !s.watchSlow(e.tick.Load()) || !e.asleep.CompareAndSwap(true, false) {
				break
			}
		}
	}
}

// watchSlow starts watching slow requests, and reports whether any request is served.
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

// awaitHangup waits until the client hangs up or sends the first byte of its next request.
func (k *conn) awaitHangup() {
	n, err := k.read(k.early[:1])
	k.hasEarly = n == 1
	if t, ok := err.(net.Error); err != nil && (!ok || !t.Timeout()) { // a connection's own errors are not wrapped
		k.hangUp()
	}
	k.unwatched <- struct{}{}
}
