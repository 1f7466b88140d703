package upstream

import (
	"context"
	"errors"
	"io"
	"time"
)

// leanBody reads the body of one answer from its connection. It releases the connection at the end, at an error or on
// Close, whichever comes first: a body that is held any longer must not read the bytes of the connection's next call.
type leanBody struct {
	conn *conn
	lean *Lean
	ctx  context.Context // of the call
	stop func() bool     // ends the watch on ctx; nil without a watch
	idle time.Duration
	message
	once  bool // the connection must not be kept, whatever the head says
	state chunkState
	left  int64 // payload bytes to come, of the body or of the chunk
	got   int64 // payload bytes so far
	waste int64 // bytes of chunk extensions
	// trailers is the number of bytes of trailers so far.
	trailers int
	err      error // what Read returns once there is no connection
}

var _ Body = (*leanBody)(nil)

var errBodyClosed = errors.New("read after close")

// start takes over the connection after the head. An answer without a body gives it back at once.
func (b *leanBody) start() {
	switch b.framing {
	case frameNone:
		b.left = 0
	case frameLength:
		b.left = b.length
	case frameClose:
		b.left = 1<<63 - 1
	}
	if b.isComplete() {
		b.finish()
	}
}

func (b *leanBody) isComplete() bool {
	if b.framing == frameChunked {
		return b.state == chunkEnd
	}
	return b.left == 0
}

// Read returns what has arrived.
func (b *leanBody) Read(p []byte) (int, error) {
	if b.conn == nil {
		return 0, b.err
	}
	if b.conn.aborted.Load() {
		return 0, b.fail(nil)
	}
	if len(p) == 0 {
		return 0, nil
	}
	for {
		n, err := b.copyPayload(p)
		switch {
		case err != nil:
			err = b.fail(err)
			if n > 0 {
				return n, nil // the error comes with the next call
			}
			return 0, err
		case b.isComplete():
			b.finish()
			return n, io.EOF
		case n > 0:
			return n, nil
		}
		if n, err = b.readOnce(p); err != nil {
			return 0, b.fail(err)
		}
		if n > 0 {
			return n, b.finishIfComplete(n)
		}
	}
}

// copyPayload copies payload out of the buffer, over chunk borders.
func (b *leanBody) copyPayload(p []byte) (n int, err error) {
	c := b.conn
	for {
		if b.framing == frameChunked {
			if err = b.skipFraming(); err != nil || b.state != chunkData {
				return n, err
			}
		}
		k := copy(p[n:], c.buf[c.r:c.r+int(min(b.left, int64(c.w-c.r)))])
		if k == 0 {
			return n, nil
		}
		c.r += k
		n += k
		b.consume(k)
		if b.framing != frameChunked {
			return n, nil
		}
	}
}

func (b *leanBody) consume(n int) {
	b.got += int64(n)
	if b.framing == frameClose {
		return
	}
	if b.left -= int64(n); b.left == 0 && b.framing == frameChunked {
		b.state = chunkGap
	}
}

// readOnce reads once: into p, when that saves a copy and cannot read over the payload's end, otherwise into the
// buffer. It returns the number of payload bytes in p.
func (b *leanBody) readOnce(p []byte) (int, error) {
	c := b.conn
	want := int(min(int64(len(p)), b.left))
	payload := b.framing != frameChunked || b.state == chunkData
	if payload && c.r == c.w && want >= len(c.buf) {
		n, err := c.readWithin(b.idle, p[:want])
		if n > 0 {
			b.consume(n)
		}
		return n, b.convertCloseError(err)
	}
	if !c.reserve(len(c.buf)) {
		return 0, tooLargeError("line within a chunked body")
	}
	n, err := c.readWithin(b.idle, c.buf[c.w:])
	c.w += n
	return 0, b.convertCloseError(err)
}

// convertCloseError returns io.EOF for the end of a connection that delimits the body.
func (b *leanBody) convertCloseError(err error) error {
	if b.framing == frameClose && err == io.EOF { // TLS reports a missing close_notify as another error
		b.left = 0
		return nil
	}
	return err
}

// finishIfComplete is called after a direct read of payload.
func (b *leanBody) finishIfComplete(int) error {
	if b.framing == frameLength && b.left == 0 {
		b.finish()
		return io.EOF
	}
	return nil
}

// Buffered returns how many bytes of the current run of payload are in the buffer.
func (b *leanBody) Buffered() int {
	c := b.conn
	if c == nil || b.framing == frameChunked && b.state != chunkData {
		return 0
	}
	return int(min(b.left, int64(c.w-c.r)))
}
