package proxy

import (
	"cmp"
	"context"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/core/llm"
)

// acceptAnswer tells that there is an answer for the client, so that there will be no other
// one.
func (c *call) acceptAnswer() {
	w := &c.attempts
	if !w.pending {
		return
	}
	w.pending, w.accepted = false, true
	w.permit.Report(route.Served)
	c.snap.Traffic.Observe(&c.x.Target, w.began)
}

// rejectAnswer tells that a call has brought nothing, and finds what comes next. It fails
// when the client leaves meanwhile.
func (c *call) rejectAnswer(ctx context.Context, e *core.Error) *core.Error {
	w := &c.attempts
	w.pending = false
	w.permit.Report(w.result.Blame())
	c.addDropped()
	if w.result.Ours && e.Kind == core.InvalidRequest { // it cannot be asked that, which another target may
		w.skipped, w.action = cmp.Or(w.skipped, e), route.NextTarget
		return nil
	}
	w.last = e
	var wait time.Duration
	if wait, w.action = c.snap.Traffic.Next(w.tries, w.result); wait > 0 {
		if e := c.waitBefore(ctx, wait); e != nil {
			return e
		}
		w.tries.Waited += wait
	}
	return nil
}

// retry goes on after an answer that could not be used, and of which nothing has
// reached the client. It gives e back where there is to be no other call.
func (c *call) retry(ctx context.Context, e *core.Error) (*upstream.Response, *core.Error) {
	if !c.attempts.pending || e.Link != "" {
		return nil, e
	}
	if e := c.rejectAnswer(ctx, e); e != nil {
		return nil, e
	}
	if c.attempts.action != route.GiveUp {
		c.x.Response.Reset()
		c.x.Usage, c.x.FirstByte, c.out = llm.Usage{}, time.Time{}, c.out[:0]
		c.sample.reset()
		c.events.Reset()
		c.event.Reset(nil)
	}
	return c.tryNext(ctx)
}

// endAttempts ends the way. An answer that failed when a part of it had been used counts
// against its provider all the same.
func (c *call) endAttempts() {
	w := &c.attempts
	switch b := w.result.Blame(); {
	case w.pending:
		w.permit.Report(b)
	case w.accepted && b == route.Failed:
		w.permit.Report(route.BrokeOff)
	}
	*w = attempts{}
}

// waitBefore waits before another call, unless the client leaves.
func (c *call) waitBefore(ctx context.Context, wait time.Duration) *core.Error {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return c.hangupError(ctx.Err())
	}
}
