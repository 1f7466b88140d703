package downstream

import (
	"net"
	"sync/atomic"
	"time"
)

// answerStep is how many bytes of an answer a client must take within the send timeout.
const answerStep = 16 << 10

// outgoing tracks how much of an answer the client has read.
type outgoing struct {
	writing atomic.Bool  // a write is in progress
	written atomic.Int64 // bytes that the kernel has accepted in finished writes

	// Only the checks use these.
	stalled int64 // checks that found a write in progress since the client last read answerStep bytes
	taken   int64 // bytes that it had read by then
}

// Write records that a write is in progress: a client that does not read it is cut off.
func (cl *client) Write(p []byte) (n int, err error) {
	cl.out.writing.Store(true)
	n, err = cl.writePieces(p)
	cl.out.writing.Store(false)
	return n, err
}

// writeBuffers is Write for several buffers, in one system call where possible. It consumes b.
func (cl *client) writeBuffers(b *net.Buffers) error {
	cl.out.writing.Store(true)
	err := cl.writeVector(b)
	cl.out.writing.Store(false)
	return err
}

// isStalled reports whether the client has read less than answerStep within the send timeout, counting only the time in
// which a write is blocked: the client is not responsible for a model that produces little. Small writes in between do
// not restart the timeout, only progress does. clients.mu is held.
func (cl *client) isStalled() bool {
	o := &cl.out
	writing := o.writing.Load()
	if !writing && o.stalled == 0 {
		return false
	}
	taken, drained := cl.measureTaken()
	switch {
	case taken-o.taken >= answerStep, drained && !writing:
		o.stalled, o.taken = 0, taken
	case writing:
		o.stalled++
	}
	// The first of these checks may have run immediately, so it does not count.
	return time.Duration(o.stalled-1)*cl.of.tick >= cl.of.send
}

// dropUnsent makes the kernel drop what the client has not read, up to some megabytes, when the connection closes.
func (cl *client) dropUnsent() {
	if t, ok := cl.Conn.(*net.TCPConn); ok {
		_ = t.SetLinger(0) // fails on a closed connection only
	}
}
