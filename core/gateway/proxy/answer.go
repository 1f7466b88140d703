package proxy

import (
	"context"
	"io"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/body/sse"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/direct"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// answer reads the response of a provider or a stage, runs it through the chain and sends it to the client. Package
// upstream provides the provider's bytes; call.write accepts the client's.
type answer struct {
	call     *call
	received []byte // from the provider
	events   sse.Splitter
	event    core.Event
	tr       *translation    // nil if client and provider speak the same dialect
	relaxed  bool            // a strict schema was sent as a non-strict one
	rejected rejectedAnswers // answers that links did not accept
	reserved int64           // bytes of the process's memory for answers
	earlier  int64           // bytes of the answers to earlier prompts
}

// maxAnswer limits a whole answer, which is held in memory while the chain checks it.
const maxAnswer = 64 << 20

// deliver sends the provider's answer to the client, and asks again where a link wants that.
func (a *answer) deliver(ctx context.Context, plan []core.TargetRef, res *upstream.Response) *core.Error {
	for {
		d, e := a.deliverOnce(ctx, plan, res)
		if d == nil {
			return e
		}
		if res, e = a.repeatRequest(ctx, plan, d); e != nil {
			return e
		}
	}
}

// deliverOnce delivers one answer. It returns a decision if a link wants another answer; the client has then seen
// nothing of this one.
func (a *answer) deliverOnce(ctx context.Context, plan []core.TargetRef, res *upstream.Response) (*chain.Decision, *core.Error) {
	defer func() { _ = res.Body.Close() }() // the rest of the answer is not needed
	if e := a.checkReadable(res); e != nil {
		return nil, e
	}
	if s, ok := a.call.d.(*direct.Shape); ok {
		return a.deliverDirect(ctx, s, plan, res)
	}
	if a.call.x.Head.Stream {
		return a.deliverStream(ctx, plan, res)
	}
	return a.deliverWhole(ctx, res)
}

// checkReadable refuses an answer that the gateway cannot read, by its head.
func (a *answer) checkReadable(res *upstream.Response) *core.Error {
	a.call.x.Response.Status = res.Status
	kind := res.Get("Content-Type")
	whole, streamed := "application/json", eventStream
	if a.tr != nil {
		whole, streamed = a.tr.wire.Whole, a.tr.wire.Stream
	}
	e := res.Get("Content-Encoding")
	switch {
	case e != "" && e != "identity":
		return a.call.attempts.newInvalidAnswerError("compressed, which was not requested")
	case isDirect(a.call.d): // see deliverDirect
	case a.call.x.Head.Stream && !isMediaType(kind, streamed):
		return a.newNotStreamedError(res, isMediaType(kind, whole))
	case !a.call.x.Head.Stream && !isMediaType(kind, whole):
		return a.call.attempts.newInvalidAnswerError("not JSON")
	}
	return nil
}

// newNotStreamedError returns the error of an answer that is not the stream that was asked for. Some providers send an error so, with
// a success status.
func (a *answer) newNotStreamedError(res *upstream.Response, whole bool) *core.Error {
	if whole {
		a.received, _ = readAll(a.received, io.LimitReader(res.Body, maxErrorBody)) // a truncated error still has its code
		if isError(&a.call.x.Scanner, a.received) {
			return a.call.attempts.mapDecodeError(a.received, nil)
		}
	}
	return a.call.attempts.newInvalidAnswerError("not an event stream")
}

const eventStream = "text/event-stream"

// isMediaType compares a content type, ignoring its parameters.
func isMediaType(value, want string) bool {
	if len(value) < len(want) || !strings.EqualFold(value[:len(want)], want) {
		return false
	}
	return len(value) == len(want) || value[len(want)] == ';' || value[len(want)] == ' '
}

func (a *answer) deliverWhole(ctx context.Context, res *upstream.Response) (*chain.Decision, *core.Error) {
	body, e := a.readWhole(ctx, res)
	if e != nil {
		return nil, e
	}
	if a.tr != nil {
		answer, err := a.translateWhole(body)
		if err != nil {
			return nil, a.call.attempts.mapDecodeError(body, err)
		}
		body = answer
	}
	return a.sendWhole(ctx, res, body)
}

// readWhole reads a whole answer into the call's buffer.
func (a *answer) readWhole(ctx context.Context, res *upstream.Response) ([]byte, *core.Error) {
	if res.ContentLength > maxAnswer {
		return nil, a.call.attempts.newInvalidAnswerError("too large")
	}
	if n := res.ContentLength; n > 0 {
		if e := a.reserveMemory(n); e != nil {
			return nil, e
		}
		a.received = scratch.Grow(a.received, int(n)+1) // one more, to see the end without growing
	}
	if n := len(a.call.x.Attempts); n > 0 { // it began with its head
		last := &a.call.x.Attempts[n-1]
		a.call.x.FirstByte = last.Began.Add(last.Duration)
	}
	body, refused, err := a.readLimited(res.Body)
	a.received = body
	switch {
	case refused != nil:
		return nil, refused
	case err != nil:
		return nil, a.call.attempts.convertCallError(ctx, a.call.snap.Providers[a.call.x.Target.Provider], err)
	case len(body) > maxAnswer:
		return nil, a.call.attempts.newInvalidAnswerError("too large")
	}
	return body, nil
}

// readLimited reads an answer into the call's buffer, one byte more than maxAnswer at most, as far as there is memory for it.
func (a *answer) readLimited(body upstream.Body) (b []byte, refused *core.Error, err error) {
	b = a.received[:0]
	for {
		if len(b) == cap(b) {
			b = growAnswer(b)
		}
		n, err := body.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case err != nil:
			return b, nil, hideEOF(err)
		case len(b) > maxAnswer:
			return b, nil, nil
		}
		if e := a.reserveMemory(int64(len(b))); e != nil {
			return nil, e, nil
		}
	}
}

// growAnswer makes room for more of an answer. Large buffers double: append would copy a long answer ten times and
// leave each copy as garbage.
func growAnswer(b []byte) []byte {
	if cap(b) < smallAnswer {
		return append(b, 0)[:len(b)]
	}
	grown := make([]byte, len(b), min(2*cap(b), maxAnswer+1))
	copy(grown, b)
	return grown
}

// sendWhole governs a whole answer in the client's dialect and sends it.
func (a *answer) sendWhole(ctx context.Context, res *upstream.Response, body []byte) (*chain.Decision, *core.Error) {
	a.call.x.Response.Raw = body
	if err := a.call.d.ScanResponse(&a.call.x); err != nil {
		e := a.call.attempts.newInvalidAnswerError("does not match this API")
		e.Err = err
		return nil, e
	}
	if e := a.call.attempts.findErrorInside(body); e != nil {
		return nil, e
	}
	a.call.kept.AddBody(body)
	a.call.attempts.accept()
	if d, e := a.govern(ctx); d != nil || e != nil {
		if d != nil {
			a.rejected.last = body
		}
		return d, e
	}
	a.call.x.Outcome.Kind = core.Served
	a.call.copyHeader(res)
	kind := res.Get("Content-Type")
	if a.tr != nil {
		kind = "application/json"
	}
	a.call.writeAnswer(res.Status, kind, a.call.x.Response.Raw)
	return nil, nil
}

// govern runs the chain over a whole, scanned answer. It returns a decision if a link wants another answer.
func (a *answer) govern(ctx context.Context) (*chain.Decision, *core.Error) {
	a.call.x.Relaxed = a.relaxed
	if !a.call.chain.Governs(&a.call.x) {
		return nil, nil
	}
	d := a.call.chain.RunResponse(ctx, &a.call.x)
	switch d.Action {
	case core.Block:
		return nil, a.call.newBlockedError(d)
	case core.Retry:
		again := d // keeps all other decisions off the heap
		return &again, nil
	}
	return nil, nil
}

// reset prepares for another exchange.
func (a *answer) reset() {
	a.events.Reset()
	a.event.Reset(nil)
	a.rejected = rejectedAnswers{}
	a.tr, a.relaxed = nil, false
	a.received = scratch.Reset(a.received)
}
