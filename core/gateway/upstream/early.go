package upstream

import (
	"bytes"
	"sync/atomic"
	"time"
)

const (
	// earlyAfter is how long the write of a long body may take before somebody listens for an early answer. Shorter
	// writes, nearly all, need no second goroutine.
	earlyAfter = 200 * time.Millisecond
	// earlyGrace is how long the write may go on after a provider has begun an answer that is no error.
	earlyGrace = 5 * time.Second
)

// longAgo is a deadline that has passed.
var longAgo = time.Unix(1, 0)

// early listens for an answer while the request is still being written. A provider that refuses a body (413, 401) may stop
// reading, and the write would then stand still until its time is up, with the reason lying unread in the buffer.
//
// While it runs, it alone uses the read side of the connection; the writer takes it back with listened.
type early struct {
	timer *time.Timer
	done  chan struct{} // one message from each run
	stop  atomic.Bool   // the writer is waiting for the run to end
	cut   atomic.Bool   // the write is to end
	found bool          // an answer has begun, or the provider has closed; read by the writer after the run
}

// startEarlyRead starts listening after a while.
func (c *conn) startEarlyRead() {
	if c.early == nil {
		c.early = &early{done: make(chan struct{}, 1)}
	}
	e := c.early
	e.stop.Store(false)
	e.cut.Store(false)
	e.found = false
	c.setRead(time.Time{})
	if e.timer == nil {
		e.timer = time.AfterFunc(earlyAfter, c.readEarly)
	} else {
		e.timer.Reset(earlyAfter)
	}
}

// stopEarlyRead ends the listening and reports whether the write was to be broken off. It may have ended by itself before that.
func (c *conn) stopEarlyRead() bool {
	e := c.early
	if e.timer.Stop() {
		return false
	}
	e.stop.Store(true)
	_ = c.nc.SetReadDeadline(longAgo)
	<-e.done
	c.readBy = longAgo
	if !e.cut.Load() {
		return false
	}
	c.writeBy = longAgo
	return true
}

// readEarly is one run. It ends when an answer has begun, when the connection fails, or when the writer calls listened.
func (c *conn) readEarly() {
	e := c.early
	defer func() { e.done <- struct{}{} }()
	for !e.found {
		if !c.reserve(readSize) {
			return // a buffer full of interim answers: the reader will refuse them
		}
		if err := c.fill(); err != nil {
			if e.stop.Load() {
				return
			}
			e.found = true // nothing will come any more; the reader finds out why
			break
		}
		e.found = finalBegins(c.buf[c.r:c.w])
	}
	if !bytes.HasPrefix(afterInterim(c.buf[c.r:c.w]), []byte("HTTP/1.1 2")) {
		e.cut.Store(true)
		_ = c.nc.SetWriteDeadline(longAgo)
		return
	}
	// A provider that answers well while it reads may be working through the body. It gets a little time.
	for range int(earlyGrace / (10 * time.Millisecond)) {
		if e.stop.Load() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	e.cut.Store(true)
	_ = c.nc.SetWriteDeadline(longAgo)
}

// afterInterim skips the whole interim answers at the beginning of b.
func afterInterim(b []byte) []byte {
	for len(b) >= len("HTTP/1.1 1") && b[len("HTTP/1.1 ")] == '1' {
		i := bytes.Index(b, []byte("\r\n\r\n"))
		if i < 0 {
			return nil
		}
		b = b[i+4:]
	}
	return b
}

// finalBegins reports whether enough has arrived to know that it is no interim answer. What is no HTTP counts.
func finalBegins(b []byte) bool { return len(afterInterim(b)) >= len("HTTP/1.1 2") }
