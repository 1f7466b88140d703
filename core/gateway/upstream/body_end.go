package upstream

import (
	"context"
	"errors"
	"io"
)

// Close returns the connection to the pool if the whole answer has arrived, and closes it otherwise.
func (b *leanBody) Close() error {
	if b.conn == nil {
		return nil
	}
	if b.skipRest() {
		b.finish()
	} else {
		if b.stop != nil {
			b.stop()
		}
		b.detach().drop()
	}
	b.err = &Error{Phase: PhaseBody, Err: errBodyClosed}
	return nil
}

// skipRest skips what has arrived and reports whether it was everything. A reader of events rarely asks for what follows the
// last one, which is the empty chunk at the end.
func (b *leanBody) skipRest() bool {
	c := b.conn
	for {
		if b.framing == frameChunked {
			if b.skipFraming() != nil {
				return false
			}
		}
		if b.isComplete() {
			return true
		}
		n := b.Buffered()
		if n == 0 {
			return false
		}
		c.r += n
		b.consume(n)
	}
}

// detach gives the connection up.
func (b *leanBody) detach() *conn {
	c := b.conn
	b.conn = nil
	return c
}

// finish ends a complete body. The connection is kept unless its server or its caller is about to close it, or the
// server has sent more than its answer.
func (b *leanBody) finish() {
	b.err = io.EOF
	c := b.detach()
	alone := b.stop == nil || b.stop()
	if !alone || !b.keep || b.once || c.r != c.w {
		c.drop()
		return
	}
	c.idleFor = b.lean.pool.limit
	if b.message.idle > 0 {
		c.idleFor = min(c.idleFor, b.message.idle)
	}
	b.lean.pool.put(c)
}

// fail ends an incomplete body and returns the error that Read returns from now on.
func (b *leanBody) fail(err error) error {
	c := b.detach()
	if b.stop != nil {
		b.stop()
	}
	c.drop()
	if isTimeout(err) {
		err = c.findTimeoutCause()
	}
	b.err = convertBodyError(b.ctx, c.aborted.Load(), err)
	return b.err
}

// convertBodyError distinguishes a caller that hung up, our own limit, a malformed answer and one that was cut off.
func convertBodyError(ctx context.Context, aborted bool, err error) *Error {
	switch {
	case ctx.Err() != nil || aborted:
		return convertContextError(ctx, PhaseBody)
	case isTimeout(err):
		return &Error{Phase: PhaseBody, Timeout: true, Err: err}
	case errors.Is(err, ErrMalformed):
		return &Error{Phase: PhaseBody, Err: err}
	}
	return &Error{Phase: PhaseBody, Err: convertToCut(err)}
}
