package stdio

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core/body/splice"
	dialect "github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/providers/mcp"
)

// Limits of the notifications of a call that wait for its caller; others are dropped. A process could otherwise fill the memory
// of the gateway for a client that reads slowly.
const (
	maxNotes     = 64
	maxNoteBytes = 1 << 20 // of all that wait
)

// answer is a process's answer to one request.
type answer struct {
	child   *child
	wire    string // the gateway's id, which the process sees
	id      []byte // the client's
	token   []byte // the client's progress token; nil if it did not request progress
	reserve func(n int64) error
	ends    time.Time // zero: nothing limits the whole call
	notes   chan []byte
	waiting atomic.Int64 // bytes in notes
	whole   chan []byte  // the response
	held    []byte       // the response, while notes before it are read
	begun   bool
	isDone  bool
	err     error // why the call failed; set before whole is closed
}

// send sends a request of a client under an id that the gateway chooses.
func (c *child) send(ctx context.Context, m *tools.Message) (*answer, error) {
	a := &answer{child: c, id: bytes.Clone(m.Call.ID), reserve: m.Reserve, notes: make(chan []byte, maxNotes), whole: make(chan []byte, 1)}
	if limit := c.server.spec.Timeouts.Total; limit > 0 {
		a.ends = time.Now().Add(limit)
	}
	c.register(a)
	line, err := a.rewrite(m.Body)
	if err == nil {
		err = c.post(ctx, line)
	}
	if err != nil {
		c.forget(a)
		return nil, err
	}
	return a, nil
}

// rewrite returns the client's message in the form that the process receives: in one line, with the gateway's id and progress token.
func (a *answer) rewrite(body []byte) ([]byte, error) {
	all := splice.Span{End: len(body)}
	own := `"` + a.wire + `"`
	id, ok := findSpan(body, all, "id")
	if !ok {
		return nil, wrapUnsent(mcp.ErrType)
	}
	cuts := []splice.Cut{{Span: id, With: own}}
	if token, ok := findSpan(body, all, "params", "_meta", "progressToken"); ok {
		a.token = bytes.Clone(body[token.Start:token.End])
		cuts = append(cuts, splice.Cut{Span: token, With: own})
	}
	out, err := splice.Append(make([]byte, 0, len(body)+128), body, cuts)
	if err != nil {
		return nil, wrapUnsent(err)
	}
	for i, b := range out {
		if b == '\n' || b == '\r' { // between values: strings have them escaped
			out[i] = ' '
		}
	}
	return append(out, '\n'), nil
}

// Head returns what is known before the messages.
func (a *answer) Head() tools.Head {
	return tools.Head{Status: http.StatusOK, Streamed: a.token != nil}
}

// Next returns the next message.
func (a *answer) Next(ctx context.Context, isResponse func([]byte) (bool, error)) ([]byte, error) {
	if a.isDone {
		return nil, io.EOF
	}
	data, err := a.wait(ctx)
	if err != nil {
		return nil, err
	}
	if err := a.child.server.guard.Check(data); err != nil {
		return nil, err
	}
	if a.reserve != nil {
		if err := a.reserve(int64(len(data))); err != nil {
			return nil, err
		}
	}
	_, err = isResponse(data)
	return data, err
}

// wait waits for the next message, as long as the limits of the server allow.
func (a *answer) wait(ctx context.Context) ([]byte, error) {
	limit := a.child.server.spec.Timeouts.FirstByte
	if a.begun {
		limit = a.child.server.spec.Timeouts.Idle
	}
	if !a.ends.IsZero() && (limit <= 0 || time.Until(a.ends) < limit) {
		limit = max(time.Until(a.ends), time.Nanosecond)
	}
	var late <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		late = timer.C
	}
	a.begun = true
	for {
		if note := a.takeNote(); note != nil {
			return note, nil
		}
		if a.held != nil {
			a.isDone = true
			return a.held, nil
		}
		select {
		case note := <-a.notes:
			a.waiting.Add(-int64(len(note)))
			return note, nil
		case data, ok := <-a.whole:
			if !ok {
				return nil, a.err
			}
			a.held = data
		case <-a.child.done:
			select {
			case data, ok := <-a.whole: // it answered before it ended
				if ok {
					a.held = data
					continue
				}
			default:
			}
			return nil, errEnded
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-late:
			return nil, &upstream.Error{Phase: upstream.PhaseHead, Timeout: true, Err: os.ErrDeadlineExceeded}
		}
	}
}

// takeNote returns the next notification that has arrived, or nil.
func (a *answer) takeNote() []byte {
	select {
	case note := <-a.notes:
		a.waiting.Add(-int64(len(note)))
		return note
	default:
		return nil
	}
}

// Close ends the call, and cancels it if the process has not answered.
func (a *answer) Close() error {
	if a.isDone || !a.child.forget(a) {
		return nil
	}
	line := []byte(`{"jsonrpc":"2.0","method":"` + dialect.NoticeCancelled + `","params":{"requestId":"` + a.wire + "\"}}\n")
	select {
	case a.child.out <- line:
	default: // it reads nothing, so it cannot act on this
	}
	return nil
}
