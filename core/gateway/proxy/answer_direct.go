package proxy

import (
	"context"
	"net/http"
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/direct"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// isDirect reports whether a dialect is one of those whose answers need not be JSON.
func isDirect(d core.Dialect) bool {
	_, ok := d.(*direct.Shape)
	return ok
}

// deliverDirect delivers an answer in one of the shapes of package direct: JSON, a transcript, or sound.
func (a *answer) deliverDirect(
	ctx context.Context, s *direct.Shape, plan []core.TargetRef, res *upstream.Response,
) (*chain.Decision, *core.Error) {
	form, ok := s.Accept(&a.call.x, res.Get("Content-Type"))
	switch {
	case !ok:
		return nil, a.call.attempts.newInvalidAnswerError("the media type does not belong to this API")
	case form == direct.Events:
		return a.deliverStream(ctx, plan, res)
	case form == direct.Bytes:
		return nil, a.deliverBytes(ctx, res)
	}
	return a.deliverWhole(ctx, res)
}

// maxBytes limits an answer of bytes. They are not held in memory.
const maxBytes = 1 << 30

// deliverBytes passes on an answer that no guard can judge, such as sound, as it arrives. The links of the response phase
// run before its first byte, on an answer without texts.
func (a *answer) deliverBytes(ctx context.Context, res *upstream.Response) *core.Error {
	c := a.call
	in := scratch.Grow(a.received, readSize)[:readSize]
	a.received = in
	n, err := res.Body.Read(in)
	for n == 0 && err == nil {
		n, err = res.Body.Read(in)
	}
	if err != nil && (n == 0 || hideEOF(err) != nil) { // nothing was sent: another call may follow
		if err = hideEOF(err); err == nil {
			return c.attempts.newInvalidAnswerError("empty")
		}
		return c.attempts.convertCallError(ctx, c.snap.Providers[c.x.Target.Provider], err)
	}
	c.x.FirstByte = c.readTime()
	c.attempts.accept()
	if d, e := a.govern(ctx); d != nil || e != nil {
		return a.newRetryError(d, e)
	}
	c.x.Outcome.Kind, c.x.Outcome.Status = core.Served, res.Status
	if e := c.recordBeforeEnd(ctx); e != nil {
		return e
	}
	c.conclude()
	c.copyHeader(res)
	h := c.w.Header()
	h["Content-Type"] = c.wrapHeaderValue(res.Get("Content-Type"))
	if res.ContentLength >= 0 {
		h["Content-Length"] = c.wrapHeaderValue(strconv.FormatInt(res.ContentLength, 10))
	}
	c.addHeader(h)
	c.state.headOut = true
	c.w.WriteHeader(res.Status)
	return a.copyBytes(ctx, res, in, n, err != nil)
}

// copyBytes sends in[:n] and the rest of an answer. ended is set if in[:n] is all of it. A truncated answer must not
// look complete: see state.torn.
func (a *answer) copyBytes(ctx context.Context, res *upstream.Response, in []byte, n int, ended bool) *core.Error {
	c := a.call
	for total := int64(0); ; {
		if total += int64(n); total > maxBytes {
			c.state.torn = true
			return c.attempts.newInvalidAnswerError("too large")
		}
		if ended {
			c.releaseSlot()
		}
		if _, err := c.w.Write(in[:n]); err != nil {
			return c.attempts.newHangupError(err)
		}
		if ended {
			c.x.Outcome.Complete = true
			return nil
		}
		if res.Body.Buffered() == 0 {
			c.w.Flush()
		}
		var err error
		if n, err = res.Body.Read(in); err == nil {
			continue
		}
		if hideEOF(err) != nil {
			c.state.torn = true
			return c.attempts.convertCallError(ctx, c.snap.Providers[c.x.Target.Provider], err)
		}
		ended = true
	}
}

// abortConnection ends the connection of a truncated answer.
func abortConnection(torn bool) {
	if torn {
		panic(http.ErrAbortHandler)
	}
}
