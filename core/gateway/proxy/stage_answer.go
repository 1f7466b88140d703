package proxy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/core/llm"
)

// deliverStageAnswer delivers a stage's answer through the links before it.
func (a *answer) deliverStageAnswer(ctx context.Context, d chain.Decision) *core.Error {
	a.call.x.Outcome.Kind, a.call.x.Outcome.By = core.Answered, d.Link
	if err := a.call.records.appendRequest(ctx); err != nil {
		return err
	}
	a.call.x.Response.Status = d.Reply.Status
	if d.Reply.Status == 0 {
		a.call.x.Response.Status = http.StatusOK
	}
	defer func() { a.call.x.Usage = llm.Usage{} }() // the usage in the answer is that of another exchange, or of none
	if isMediaType(d.Reply.Header.Get("Content-Type"), eventStream) {
		return a.replay(ctx, d)
	}
	a.call.x.Response.Raw = d.Reply.Raw
	if err := a.call.d.ScanResponse(&a.call.x); err != nil {
		return a.newUnknownError(d.Link, err)
	}
	if d, err := a.govern(ctx); err != nil || d != nil {
		return a.newRetryError(d, err)
	}
	a.call.writeAnswer(a.call.x.Response.Status, "application/json", a.call.x.Response.Raw)
	return nil
}

// newUnknownError returns the error of a stage's answer that the client could not read.
func (a *answer) newUnknownError(link string, err error) *core.Error {
	a.call.x.Outcome.Kind = core.Faulted
	return &core.Error{
		Kind: core.Unavailable, Code: core.CodeGuardUnavailable, Link: link, Err: err,
		Public: "the guard " + strconv.Quote(link) + " returned an answer that is not valid in this API, so it was refused",
	}
}

var errNotAsked = errors.New("the stage answers with a stream, and the client did not ask for one")

// replay delivers a stage's streamed answer event by event, as if a provider had just sent it.
func (a *answer) replay(ctx context.Context, d chain.Decision) *core.Error {
	if !a.call.x.Head.Stream {
		return a.newUnknownError(d.Link, errNotAsked)
	}
	body := &receivedBody{rest: d.Reply.Raw}
	res := &upstream.Response{
		Status: a.call.x.Response.Status, ContentLength: int64(len(d.Reply.Raw)), Body: body,
		Header: []upstream.Field{{Name: "Content-Type", Value: d.Reply.Header.Get("Content-Type")}},
	}
	s := &streamedAnswer{c: a.call, res: res, body: body, by: d.Link}
	e := s.run(ctx)
	if s.retry != nil {
		return a.newRetryError(s.retry, nil)
	}
	if e != nil && a.call.x.Outcome.Kind == core.UpstreamErr { // no provider was called
		return a.newUnknownError(d.Link, e)
	}
	return e
}

// receivedBody is a body that has already been received.
type receivedBody struct{ rest []byte }

func (r *receivedBody) Close() error { return nil }

func (r *receivedBody) Buffered() int { return len(r.rest) }

func (r *receivedBody) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}
