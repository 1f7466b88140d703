package socket

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// replyBody is the answer of an exchange: the events of a response as server-sent events.
type replyBody struct {
	ctx  context.Context
	l    *replyLine
	rest []byte
	done bool
	idle time.Duration
}

// replyIdle limits the wait for an event of a response for which the provider has no limit.
const replyIdle = 2 * time.Minute

var errSession = errors.New("the session ended before the response")

// readEvent waits for an event.
func (b *replyBody) readEvent() ([]byte, error) {
	late := time.NewTimer(b.idle)
	defer late.Stop()
	select {
	case <-late.C:
		return nil, &upstream.Error{Phase: upstream.PhaseBody, Timeout: true, Err: os.ErrDeadlineExceeded}
	case ev, ok := <-b.l.reply.events:
		if !ok {
			return nil, &upstream.Error{Phase: upstream.PhaseBody, Err: errors.Join(errSession, io.ErrUnexpectedEOF)}
		}
		b.l.backlog.release(ev.size)
		return ev.raw, nil
	case <-b.ctx.Done():
		return nil, &upstream.Error{Phase: upstream.PhaseBody, Err: b.ctx.Err()}
	}
}

// add takes an event.
func (b *replyBody) add(ev []byte) {
	b.done = readLiveHead(ev).Type == "response.done"
	b.rest = append(append(append(b.rest[:0], "data: "...), ev...), "\n\n"...)
}

// Read returns what has arrived.
func (b *replyBody) Read(p []byte) (int, error) {
	if len(b.rest) == 0 {
		if b.done {
			return 0, io.EOF
		}
		ev, err := b.readEvent()
		if err != nil {
			return 0, err
		}
		b.add(blankLineBreaks(ev))
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// blankLineBreaks returns JSON without its line breaks, which are blanks between its values.
func blankLineBreaks(ev []byte) []byte {
	for i, c := range ev {
		if c == '\n' || c == '\r' {
			ev[i] = ' '
		}
	}
	return ev
}

// Close cancels a response that the exchange does not read to its end.
func (b *replyBody) Close() error {
	if b.done {
		return nil
	}
	b.l.reply.once.Do(func() {
		close(b.l.reply.gone)
		b.l.write(context.WithoutCancel(b.ctx), []byte(`{"type":"response.cancel"}`))
	})
	return nil
}

// Buffered returns how much is there.
func (b *replyBody) Buffered() int { return len(b.rest) }
