package downstream

import (
	"maps"
	"math"
	"net"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// clients is a listener that tracks its connections. It closes those that are slow with the head of a request, idle for
// too long, or do not read their answers, and stops reading those that are slow with a body, so that the handler can
// answer. net/http enforces such limits with deadlines, which it sets and clears four times per request; here a
// connection records what it waits for, and a periodic check finds those that have waited too long. Use only as the
// listener of a server; see reportStates.
type clients struct {
	net.Listener
	limits [2]time.Duration // by what the connection waits for
	body   time.Duration
	send   time.Duration
	tick   time.Duration
	clock  atomic.Int64 // checks so far
	mu     sync.Mutex
	open   map[*client]struct{}
	stop   chan struct{}
	once   sync.Once
	shut   func() error // closes the listener, once
}

// What a connection waits for; also its index in clients.limits.
const (
	forHead    = iota // for the head of a request, of which nothing or only a part has arrived
	forRequest        // for the next request
	forNothing        // a request is being served
)

// limits are the client timeouts. 0: no limit.
type limits struct {
	head time.Duration // for the head of a request
	idle time.Duration // until the next request
	body time.Duration // for each bodyStep of a body
	send time.Duration // for each answerStep of an answer
}

// bodyStep is how many bytes of a body must arrive within the body timeout.
const bodyStep = 16 << 10

// maxLookInterval is the longest time between two checks, and so the longest delay before a late connection is closed.
const maxLookInterval = time.Second

// watchClients starts tracking the connections of a listener.
func watchClients(l net.Listener, set limits) *clients {
	c := &clients{
		Listener: l, limits: [2]time.Duration{forHead: set.head, forRequest: set.idle}, body: set.body, send: set.send, tick: maxLookInterval,
		open: make(map[*client]struct{}), stop: make(chan struct{}),
	}
	c.shut = sync.OnceValue(l.Close)
	for _, limit := range []*time.Duration{&c.limits[forHead], &c.limits[forRequest], &c.body, &c.send} {
		if *limit <= 0 {
			*limit = math.MaxInt64
		} else {
			c.tick = min(c.tick, max(*limit/8, time.Millisecond))
		}
	}
	go c.closeLate()
	return c
}

// client is one connection.
type client struct {
	net.Conn
	of       *clients
	waits    atomic.Int64 // what it waits for, in the lowest two bits, and the check since which it waits
	hangup   *Hangup
	plain    atomic.Pointer[conn] // serves the connection; nil if net/http does
	delay    *readDelay
	received atomic.Int64  // bytes read so far
	socket   *socketReader // if nil, reads happen when net/http asks
	ahead    readAhead
	frames   atomic.Bool // what arrives are frames of HTTP/2: one need not begin a request
	out      outgoing
	wasLong  bool // the start of the last request was longer than what net/http reads at once

	// Progress of the awaited body. Only the checks use it.
	waited int64 // checks since a step of it arrived
	had    int64 // bytes received by then
}

func newClient(of *clients, nc net.Conn) *client {
	cl := &client{Conn: nc, of: of, hangup: NewHangup(), delay: newReadDelay(), socket: newSocketReader(nc)}
	cl.recordWait(forHead)
	return cl
}

// Accept waits for the next connection.
func (c *clients) Accept() (net.Conn, error) {
	nc, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	cl := newClient(c, nc)
	c.mu.Lock()
	c.open[cl] = struct{}{}
	c.mu.Unlock()
	return cl, nil
}

// Close also stops the checks: the caller that shuts the server down closes the connections.
func (c *clients) Close() error {
	c.once.Do(func() { close(c.stop) })
	return c.shut()
}

// listClients returns the open connections.
func (c *clients) listClients() []*client {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Keys(c.open))
}

func (c *clients) closeLate() {
	tick := time.NewTicker(c.tick)
	defer tick.Stop()
	for {
		select {
		case <-c.stop:
			return
		case <-tick.C:
		}
		now := c.clock.Add(1)
		for _, cl := range c.findLate(now) {
			_ = cl.Conn.Close() // its reader and its writer notice
		}
	}
}

// findLate returns the connections that have waited beyond their limit, or whose clients do not read their answers.
func (c *clients) findLate(now int64) (late []*client) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for cl := range c.open {
		w := cl.waits.Load()
		what, since := w&3, w>>2
		cl.timeOutBody()
		// The first of these checks may have run immediately, so it does not count.
		switch {
		case cl.isStalled():
			cl.dropUnsent()
			late = append(late, cl)
		case what != forNothing && time.Duration(now-since-1)*c.tick >= c.limits[what]:
			late = append(late, cl)
		}
	}
	return late
}

// timeOutBody stops reading a body that arrives too slowly. mu is held.
func (cl *client) timeOutBody() {
	if came := cl.received.Load(); !cl.hangup.awaitsBody() || came-cl.had >= bodyStep {
		cl.waited, cl.had = 0, came
		return
	}
	cl.waited++
	// The first of these checks may have run immediately, so it does not count.
	if time.Duration(cl.waited-1)*cl.of.tick >= cl.of.body && cl.hangup.timeOutBody() {
		cl.stopReading()
	}
}

func (cl *client) recordWait(what int64) { cl.waits.Store(cl.of.clock.Load()<<2 | what) }

// Read also records that a request has begun, or that the client has hung up.
func (cl *client) Read(p []byte) (int, error) {
	if len(cl.ahead.left) > 0 {
		n := cl.ahead.readBuffered(p)
		if cl.waits.Load()&3 == forRequest {
			cl.recordWait(forHead)
		}
		return n, nil
	}
	what := cl.waits.Load() & 3
	if what == forRequest {
		runtime.Gosched() // yield: a fast client has sent its next request by then
	}
	// net/http reads one byte at a time while it waits for a hang-up.
	if len(p) == 1 && what == forNothing && cl.delay.wait() {
		return 0, os.ErrDeadlineExceeded
	}
	n, err := cl.read(p, what != forNothing && !cl.frames.Load())
	if n > 0 && !cl.frames.Load() && cl.waits.Load()&3 == forRequest {
		cl.recordWait(forHead)
	}
	if err != nil {
		if t, ok := err.(net.Error); !ok || !t.Timeout() { // a connection's own errors are not wrapped
			cl.hangup.Signal()
		}
	}
	return n, err
}

// read reads from the connection. At the start of a request it reads everything available, if an earlier request was
// longer than what net/http asks for; doing so for short requests would cost more than it saves.
func (cl *client) read(p []byte, head bool) (n int, err error) {
	head = head && cl.socket != nil && len(p) < readBufferSize && len(p) > 1
	if head && cl.wasLong {
		var b *[]byte
		if b, n, err = cl.socket.pull(cl.Conn); err != nil {
			return 0, err
		}
		cl.received.Add(int64(n))
		cl.wasLong = n > len(p)
		return cl.ahead.storeRest(p, b, n), nil
	}
	n, err = cl.Conn.Read(p)
	cl.received.Add(int64(n))
	if head {
		cl.wasLong = n == len(p)
	}
	return n, err
}

// Close stops tracking the connection and closes it.
func (cl *client) Close() error {
	cl.of.mu.Lock()
	delete(cl.of.open, cl)
	cl.of.mu.Unlock()
	return cl.Conn.Close()
}
