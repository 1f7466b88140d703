package upstream

import (
	"bytes"
	"sync/atomic"
	"time"
)

const (
	// earlyAfter is how long the write of a long body may take before the client listens for an early answer. Nearly
	// all writes are shorter and need no second goroutine.
	earlyAfter = 200 * time.Millisecond
	// earlyGrace is how long the write may continue after a provider has begun an answer that is not an error.
	earlyGrace = 5 * time.Second
)

// longAgo is a deadline in the past.
var longAgo = time.Unix(1, 0)

// earlyReader listens for an answer while the request is still being written. A provider that refuses a body (413, 401) may
// stop reading; the write would then block until its timeout, while the reason lies unread in the buffer.
//
// While it runs, it alone uses the read side of the connection; the writer takes it back with stopEarlyRead.
type earlyReader struct {
	timer *time.Timer
	done  chan struct{} // one message from each run
	stop  atomic.Bool   // the writer is waiting for the run to end
	cut   atomic.Bool   // the write must end
	found bool          // an answer has begun, or the provider has closed; read by the writer after the run
}

// startEarlyRead starts listening after a while.
func (c *conn) startEarlyRead() {
	if c.early == nil {
		c.early = &earlyReader{done: make(chan struct{}, 1)}
	}
	e := c.early
	e.stop.Store(false)
	e.cut.Store(false)
	e.found = false
	c.setReadDeadline(time.Time{})
	if e.timer == nil {
		e.timer = time.AfterFunc(earlyAfter, c.readEarly)
	} else {
		e.timer.Reset(earlyAfter)
	}
}

// stopEarlyRead stops listening and reports whether the write was interrupted. Listening may have ended earlier on its own.
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

// readEarly is one run. It ends when an answer has begun, when the connection fails, or when the writer calls stopEarlyRead.
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
			e.found = true // nothing more will arrive; the reader finds out why
			break
		}
		e.found = hasFinalBegun(c.buf[c.r:c.w])
	}
	if !bytes.HasPrefix(skipInterim(c.buf[c.r:c.w]), []byte("HTTP/1.1 2")) {
		e.cut.Store(true)
		_ = c.nc.SetWriteDeadline(longAgo)
		return
	}
	// A provider that answers with success while it reads may still be processing the body. It gets a little time.
	for range int(earlyGrace / (10 * time.Millisecond)) {
		if e.stop.Load() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	e.cut.Store(true)
	_ = c.nc.SetWriteDeadline(longAgo)
}

// skipInterim skips the whole interim answers at the beginning of b.
func skipInterim(b []byte) []byte {
	for len(b) >= len("HTTP/1.1 1") && b[len("HTTP/1.1 ")] == '1' {
		i := bytes.Index(b, []byte("\r\n\r\n"))
		if i < 0 {
			return nil
		}
		b = b[i+4:]
	}
	return b
}

// hasFinalBegun reports whether enough has arrived to know that it is not an interim answer. Anything that is not HTTP counts.
func hasFinalBegun(b []byte) bool { return len(skipInterim(b)) >= len("HTTP/1.1 2") }
