package server

import (
	"sync"
	"time"
)

// deaf is how long nobody listens for the client's leaving after a request has
// arrived. Most answers are given by then.
const deaf = 20 * time.Millisecond

// ear listens for a client that leaves before it has its answer. net/http reads
// ahead for that, and breaks the read off by a deadline once the answer is given:
// three system calls, an error and the poller, request by request. Here that read
// first waits for a while, and an answer that is given meanwhile ends the wait.
type ear struct {
	after   time.Duration // deaf
	mu      sync.Mutex
	waits   bool // the read has begun, and waits
	over    bool // the read has been, or is to be, broken off
	earnest bool // the deadline is the connection's own
	stop    chan struct{}
	timer   *time.Timer
}

func newEar() *ear {
	e := &ear{after: deaf, stop: make(chan struct{}, 1), timer: time.NewTimer(time.Hour)}
	e.timer.Stop()
	return e
}

// wait reports whether the read was broken off before it has begun in earnest.
func (e *ear) wait() (over bool) {
	e.mu.Lock()
	if e.over {
		e.mu.Unlock()
		return true
	}
	e.waits = true
	e.mu.Unlock()
	e.timer.Reset(e.after)
	select {
	case <-e.stop:
		e.timer.Stop()
		return true
	case <-e.timer.C:
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over { // both came at once
		<-e.stop
		return true
	}
	e.waits = false
	return false
}

// SetReadDeadline ends a wait without asking the connection.
func (cl *client) SetReadDeadline(t time.Time) error {
	e := cl.ear
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case t.IsZero() && e.over && !e.earnest:
		e.over = false
		return nil
	case e.waits: // net/http sets none but one that has passed, to break the read off
		e.waits, e.over = false, true
		e.stop <- struct{}{}
		return nil
	}
	e.over, e.earnest = !t.IsZero(), !t.IsZero()
	return cl.Conn.SetReadDeadline(t)
}
