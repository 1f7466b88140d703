package proxy

import (
	"context"
	"errors"
	"io"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

var errNotAsked = errors.New("the stage answers with a stream, and the client did not ask for one")

// replay delivers a stage's streamed answer event by event, as if a provider had just sent it.
func (c *call) replay(ctx context.Context, d chain.Decision) *core.Error {
	if !c.x.Head.Stream {
		return c.unknownAnswer(d.Link, errNotAsked)
	}
	body := &recorded{rest: d.Reply.Raw}
	res := &upstream.Response{
		Status: c.x.Response.Status, ContentLength: int64(len(d.Reply.Raw)), Body: body,
		Header: []upstream.Field{{Name: "Content-Type", Value: d.Reply.Header.Get("Content-Type")}},
	}
	s := &streamedAnswer{c: c, res: res, body: body, by: d.Link}
	e := s.run(ctx)
	if s.retry != nil {
		return c.refuseRetry(s.retry, nil)
	}
	if e != nil && c.x.Outcome.Kind == core.UpstreamErr { // no provider was called
		return c.unknownAnswer(d.Link, e)
	}
	return e
}

// recorded is a body that has already been received.
type recorded struct{ rest []byte }

func (r *recorded) Close() error  { return nil }
func (r *recorded) Buffered() int { return len(r.rest) }

func (r *recorded) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}
