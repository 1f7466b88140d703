package upstream

import (
	"sync"
	"time"
)

const (
	// joinLimit is the size in bytes up to which a body is copied after the head, so that both leave in one write.
	// Copying 16 KiB costs well under a microsecond, a system call more than that.
	joinLimit = 16 << 10
	// piece is how many bytes of a long body are written under one deadline.
	piece = 256 << 10
	// keepWriteBuffer is the largest write buffer, in bytes, that is kept for the next call.
	keepWriteBuffer = 64 << 10
)

// writeBuffers are pooled separately from the connections: a call needs its buffer only until the request is sent, and
// the model then computes for seconds.
var writeBuffers = sync.Pool{New: func() any { return new([]byte) }}

func putWriteBuffer(b *[]byte) {
	if cap(*b) <= keepWriteBuffer {
		writeBuffers.Put(b)
	}
}

// send writes head and body. n is the number of bytes that the connection accepted. gap is the longest time without
// progress. early means that the write was interrupted because the provider has already answered.
func (c *conn) send(head *[]byte, body []byte, gap time.Duration, now time.Time) (n int64, early bool, err error) {
	c.extendWriteDeadline(gap, now)
	if len(body) > joinLimit {
		return c.sendLong(*head, body, gap)
	}
	*head = append(*head, body...)
	k, err := c.nc.Write(*head)
	return int64(k), false, err
}

// extendWriteDeadline sets the deadline of the next write.
func (c *conn) extendWriteDeadline(gap time.Duration, now time.Time) {
	if gap > 0 {
		if left := c.writeBy.Sub(now); left < gap || left > gap+gap/slack {
			c.setWriteDeadline(now.Add(gap + gap/slack))
		}
	} else {
		c.setWriteDeadline(time.Time{})
	}
}

// sendLong writes a long body in pieces. If it takes long, it listens meanwhile for an early answer.
func (c *conn) sendLong(head, body []byte, gap time.Duration) (n int64, early bool, err error) {
	first := min(len(body), piece)
	c.startEarlyRead() // after grant, whose deadline must not replace that of the listener
	c.vec = [2][]byte{head, body[:first]}
	c.bufs = c.vec[:]
	n, err = c.bufs.WriteTo(c.nc)
	c.vec, c.bufs = [2][]byte{}, nil
	for body = body[first:]; err == nil && len(body) > 0; {
		c.extendWriteDeadline(gap, readClock())
		if c.early.cut.Load() { // grant may have replaced the deadline that the listener had set
			c.setWriteDeadline(longAgo)
		}
		var k int
		k, err = c.nc.Write(body[:min(len(body), piece)])
		n += int64(k)
		body = body[k:]
	}
	return n, c.stopEarlyRead(), err
}
