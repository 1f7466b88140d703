package downstream

import (
	"sync"
	"time"
)

// hangupReadDelay is how long the read that watches for a hang-up is delayed. Most answers are sent by then.
const hangupReadDelay = 20 * time.Millisecond

// readDelay delays the read by which net/http watches for a hang-up, and which it interrupts with a deadline once the
// answer is sent: three system calls, an error and a pass of the poller per request. If the answer is sent during the
// delay, the read never happens.
type readDelay struct {
	after   time.Duration // hangupReadDelay, except in tests
	mu      sync.Mutex
	waits   bool      // the read was called and is delayed
	over    bool      // the read was interrupted, or will be
	earnest bool      // the deadline was set on the connection itself
	dated   bool      // the connection has a deadline
	end     chan bool // ends the delay; true: the read was interrupted. The goroutine that clears waits sends on it.
	timer   *time.Timer
}

func newReadDelay() *readDelay {
	e := &readDelay{after: hangupReadDelay, end: make(chan bool, 1)}
	e.timer = time.AfterFunc(time.Hour, e.expire) // one receive costs half as much as a select with a timer's channel
	e.timer.Stop()
	return e
}

// wait reports whether the read was interrupted during the delay.
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
		e.timer.Stop() // if too late, it may end the next delay early, which costs one read
		return true
	}
	return false
}

// expire ends a delay that has expired.
func (e *readDelay) expire() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.waits {
		e.waits = false
		e.end <- false
	}
}

// SetReadDeadline interrupts a delayed read without touching the connection.
func (cl *client) SetReadDeadline(t time.Time) error {
	e := cl.delay
	// net/http sets a past deadline to interrupt the read. A handler may set a future one.
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
	if t.IsZero() && !e.dated { // net/http clears deadlines that it never set, three times per request
		return nil
	}
	e.dated = !t.IsZero()
	return cl.Conn.SetReadDeadline(t)
}

// stopReading interrupts the read of a body, whichever goroutine reads it.
func (cl *client) stopReading() {
	cl.delay.mu.Lock()
	defer cl.delay.mu.Unlock()
	cl.delay.dated = true
	_ = cl.Conn.SetReadDeadline(time.Unix(1, 0)) // a closed connection reads no more either
}
