package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/core/records/audit"
)

// peerCall is a message to an MCP server or an agent.
type peerCall interface {
	// attach sets the call that carries the message.
	attach(c *call)
	// handle carries the message through the chain to the peer. The caller is known.
	handle(ctx context.Context) *core.Error
	// sumCost returns the price of the message in units of 1e-10 USD, if the peer may have served it.
	sumCost() int64
	// findRecordedName returns the target's name for records and logs.
	findRecordedName() string
	// fillRequestRecord adds the message to a GATEWAY_REQUEST.
	fillRequestRecord(p *audit.Payload)
	// ChooseHTTPStatus returns the status of an error answer.
	ChooseHTTPStatus(e *core.Error) int
}

// rpcCall holds what all messages to peers have in common: they are JSON-RPC, answered as JSON or as events.
type rpcCall struct {
	call *call
	kind string // what the peer is, for error messages
	name string // of the peer, from the path
	// events governs messages before the end of an answer; nil before the first one.
	events *chain.Stream
	last   bool       // the event that is delivered is the last of the answer
	alive  *keepAlive // writes the events; nil: the exchange alone writes
}

func (r *rpcCall) attach(c *call) { r.call = c }

// reserve reserves memory for an answer of n bytes.
func (r *rpcCall) reserve(n int64) error {
	if e := r.call.answer.reserveMemory(n); e != nil { // never return a typed nil
		return e
	}
	return nil
}

// appendTrace appends the headers that continue the trace, if the exchange is traced.
func (r *rpcCall) appendTrace(dst []upstream.Field, began time.Time) []upstream.Field {
	if r.call.trace == nil {
		return dst
	}
	parent, state := r.call.trace.StartCall(&r.call.x, began)
	dst = append(dst, upstream.Field{Name: "Traceparent", Value: parent})
	if state != "" {
		dst = append(dst, upstream.Field{Name: "Tracestate", Value: state})
	}
	return dst
}

// addAttempt records a call to the peer: the status of its answer, or the error.
func (r *rpcCall) addAttempt(began time.Time, status int, err error) {
	c := r.call
	made := core.Attempt{Target: c.x.Target, Began: began, Duration: time.Since(began), Status: status}
	var refusal *tools.StatusError
	switch {
	case err == nil:
		c.state.asked = true
		c.x.FirstByte = made.Began.Add(made.Duration)
	case errors.As(err, &refusal):
		made.Status, c.state.asked = refusal.Status, true
	default:
		made.Lost = !isUnsent(err)
		c.state.asked = c.state.asked || made.Lost
	}
	c.x.Attempts = append(c.x.Attempts, made)
}

// deliverEvent governs a message that comes before the end of the answer, and sends it.
func (r *rpcCall) deliverEvent(ctx context.Context, d core.Dialect, data []byte) *core.Error {
	c, ev := r.call, &r.call.answer.event
	c.answer.received = appendEvent(c.answer.received[:0], data) // without the peer's id: the gateway cannot resume
	ev.Reset(c.answer.received)
	if err := d.ScanEvent(&c.x, ev); err != nil {
		return r.newInvalidAnswerError(err)
	}
	if !c.chain.Governs(&c.x) {
		c.out = append(c.out, ev.Raw...)
		return r.flushEvent(ctx)
	}
	if r.events == nil {
		links, e := c.chain.Stream(ctx, &c.x, d)
		r.events = links
		if e != nil {
			c.x.Outcome.Kind, c.x.Outcome.By = core.Faulted, e.Link
			return e
		}
	}
	out, e := r.events.RunEvent(ctx, ev, c.out)
	if c.out = out; e != nil {
		return r.noteBlocked(e)
	}
	if !r.last && r.events.Withholds() {
		return nil
	}
	return r.flushEvent(ctx)
}

// flushEvent sends an event, after the records if it is the last.
func (r *rpcCall) flushEvent(ctx context.Context) *core.Error {
	if r.last {
		if e := r.call.recordBeforeEnd(ctx); e != nil {
			return e
		}
	}
	return r.flush()
}

// closeEvents ends the governing of events.
func (r *rpcCall) closeEvents(ctx context.Context) {
	if r.events != nil {
		r.events.Close(context.WithoutCancel(ctx))
	}
}

// endEarly ends a streamed answer with an error.
func (r *rpcCall) endEarly(d core.Dialect, e *core.Error) {
	if e != nil && r.call.state.headOut && e.Kind != core.Canceled {
		r.call.out = d.AppendEnd(r.call.out[:0], nil, nil, e)
		_ = r.flush() // the exchange has failed either way
	}
}

// appendEvent appends an event with a message, in one line.
func appendEvent(dst, data []byte) []byte {
	dst = append(dst, "event: message\ndata: "...)
	if bytes.ContainsAny(data, "\r\n") { // blanks between values: strings have them escaped
		data = bytes.Map(func(r rune) rune {
			if r == '\n' || r == '\r' {
				return ' '
			}
			return r
		}, data)
	}
	return append(append(dst, data...), "\n\n"...)
}

// flush sends what is ready as events.
func (r *rpcCall) flush() *core.Error {
	c := r.call
	if len(c.out) == 0 {
		return nil
	}
	if !c.state.headOut {
		h := c.w.Header()
		h["Content-Type"], h["Cache-Control"], h["X-Accel-Buffering"] = []string{eventStream}, []string{"no-cache"}, []string{"no"}
		c.addHeader(h)
		c.x.Head.Stream, c.state.headOut, c.x.Outcome.Status = true, true, http.StatusOK
		c.w.WriteHeader(http.StatusOK)
	}
	var err error
	if r.alive != nil {
		err = r.alive.send(c.out)
	} else if _, err = c.w.Write(c.out); err == nil {
		c.w.Flush()
	}
	c.out = c.out[:0]
	if err != nil {
		return c.attempts.newHangupError(err)
	}
	return nil
}

// writeEmpty answers with a status alone.
func (r *rpcCall) writeEmpty(status int) *core.Error {
	c := r.call
	c.releaseSlot()
	c.x.Outcome.Status = status
	if e := c.recordBeforeEnd(c.r.Context()); e != nil {
		return e
	}
	h := c.w.Header()
	c.addHeader(h)
	if status != http.StatusNoContent {
		h["Content-Length"] = []string{"0"}
	}
	c.state.headOut, c.x.Outcome.Complete = true, true
	c.w.WriteHeader(status)
	c.w.WriteHeaderNow()
	return nil
}

// noteBlocked notes that a link has ended the answer.
func (r *rpcCall) noteBlocked(e *core.Error) *core.Error {
	r.call.x.Outcome.By, r.call.x.Outcome.Kind = e.Link, core.Blocked
	switch {
	case e.Kind == core.Canceled:
		r.call.x.Outcome.Kind = core.ClientGone
	case e.Code == core.CodeGuardUnavailable:
		r.call.x.Outcome.Kind = core.Faulted
	}
	return e
}

// formatLabel returns the peer's name for error messages.
func (r *rpcCall) formatLabel() string { return r.kind + " " + r.name }

// newInvalidAnswerError returns the error of an answer that cannot be read, and so cannot be governed.
func (r *rpcCall) newInvalidAnswerError(err error) *core.Error {
	r.call.x.Outcome.Kind = core.UpstreamErr
	var own *core.Error
	if errors.As(err, &own) {
		return own
	}
	return &core.Error{
		Kind: core.BadGateway, Code: core.CodeUpstreamInvalid, Err: err, Public: r.formatLabel() + " returned an invalid answer",
	}
}

// convertCallError returns the error of a message without a usable answer. It does not repeat the peer's text.
func (r *rpcCall) convertCallError(ctx context.Context, err error) *core.Error {
	c := r.call
	var own *core.Error
	var status *tools.StatusError
	var u *upstream.Error
	switch {
	case ctx.Err() != nil:
		return c.attempts.newHangupError(err)
	case errors.As(err, &own):
		return own
	}
	c.x.Outcome.Kind = core.UpstreamErr
	switch {
	case errors.As(err, &status):
		return r.newStatusError(status)
	case errors.As(err, &u) && u.Timeout:
		public := r.formatLabel() + " did not answer in time"
		return &core.Error{Kind: core.GatewayTimeout, Code: core.CodeUpstreamTimeout, Err: err, Public: public}
	case u != nil && u.Phase <= upstream.PhaseWrite:
		return &core.Error{Kind: core.BadGateway, Code: core.CodeUpstream, Err: err, Public: r.formatLabel() + " could not be reached"}
	case u != nil && !errors.Is(err, upstream.ErrMalformed), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &core.Error{Kind: core.BadGateway, Code: core.CodeUpstream, Err: err, Public: r.formatLabel() + brokeOff}
	}
	return r.newInvalidAnswerError(err)
}

// newStatusError returns the error of a status without a message. A 401 or 403 concerns the gateway's credentials, not the
// client's.
func (r *rpcCall) newStatusError(s *tools.StatusError) *core.Error {
	e := &core.Error{
		Kind: core.BadGateway, Code: core.CodeUpstream, Err: s, RetryAfter: s.RetryAfter, Public: r.formatLabel() + " answered with an error",
	}
	switch {
	case s.Status == http.StatusUnauthorized, s.Status == http.StatusForbidden:
		e.Public = r.formatLabel() + " refused the gateway's credentials"
	case s.Status == http.StatusTooManyRequests:
		e.Kind, e.Public = core.RateLimited, r.formatLabel()+" limits the rate of calls"
	case s.Status == http.StatusServiceUnavailable:
		e.Kind = core.Unavailable
	case s.Status == http.StatusBadRequest:
		e.Kind, e.Public = core.InvalidRequest, r.formatLabel()+" refused the message"
	}
	return e
}
