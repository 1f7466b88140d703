package downstream

import (
	"sync"
	"time"
)

// hangupReadDelay is how long nobody listens for the client's leaving after a request has
// arrived. Most answers are given by then.
const hangupReadDelay = 20 * time.Millisecond

// readDelay listens for a client that leaves before it has its answer. net/http reads
// ahead for that, and breaks the read off by a deadline once the answer is given:
// three system calls, an error and the poller, request by request. Here that read
// first waits for a while, and an answer that is given meanwhile ends the wait.
type readDelay struct {
	after   time.Duration // deaf
	mu      sync.Mutex
	waits   bool      // the read has begun, and waits
	over    bool      // the read has been, or is to be, broken off
	earnest bool      // the deadline is the connection's own
	dated   bool      // the connection has a deadline
	end     chan bool // of the wait, told by whoever takes waits back: whether the read was broken off
	timer   *time.Timer
}

func newReadDelay() *readDelay {
	e := &readDelay{after: hangupReadDelay, end: make(chan bool, 1)}
	e.timer = time.AfterFunc(time.Hour, e.listen) // one receive costs half of what a select over a timer's channel does
	e.timer.Stop()
	return e
}

// wait reports whether the read was broken off before it has begun in earnest.
func (e *readDelay) wait() (over bool) {
	e.mu.Lock()
	if e.over {
		e.mu.Unlock()
		return true
	}
	e.waits = true
	e.mu.Unlock()
	e.timer.Reset(e.after)
	if <-e.end {
		e.timer.Stop() // too late, it may end the next wait early, which costs what listening costs
		return true
	}
	return false
}

// listen ends a wait that has lasted.
func (e *readDelay) listen() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.waits {
		e.waits = false
		e.end <- false
	}
}

// SetReadDeadline ends a wait without asking the connection.
func (cl *client) SetReadDeadline(t time.Time) error {
	e := cl.delay
	// net/http sets one that has passed, to break the read off. A handler may set one that lies ahead.
	past := !t.IsZero() && !t.After(time.Now())
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case t.IsZero() && e.over && !e.earnest:
		e.over = false
		return nil
	case e.waits && past:
		e.waits, e.over = false, true
		e.end <- true
		return nil
	}
	e.over, e.earnest = past, past
	if t.IsZero() && !e.dated { // net/http lifts deadlines three times a request that it never set
		return nil
	}
	e.dated = !t.IsZero()
	return cl.Conn.SetReadDeadline(t)
}

// stopReading ends the read of a body, whoever reads it.
func (cl *client) stopReading() {
	cl.delay.mu.Lock()
	defer cl.delay.mu.Unlock()
	cl.delay.dated = true
	_ = cl.Conn.SetReadDeadline(time.Unix(1, 0)) // a connection that is closed reads no more either
}
