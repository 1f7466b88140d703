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

// acceptAnswer records that the client gets this answer, so there will be no other call.
func (c *call) acceptAnswer() {
	w := &c.attempts
	if !w.pending {
		return
	}
	w.pending, w.accepted = false, true
	w.permit.Report(route.Served)
	c.snap.Traffic.Observe(&c.x.Target, w.began)
}

// rejectAnswer reports a call without a usable answer, and decides what comes next. It fails if the client hangs up
// meanwhile.
func (c *call) rejectAnswer(ctx context.Context, e *core.Error) *core.Error {
	w := &c.attempts
	w.pending = false
	w.permit.Report(w.result.Blame())
	c.addDropped()
	if w.result.Ours && e.Kind == core.InvalidRequest { // this target cannot be asked; another may
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

// retry continues after an unusable answer, of which the client has seen nothing. It returns e if no other call may
// follow.
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

// endAttempts reports the last call. An answer that failed after a part of it was sent counts against its provider.
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

// waitBefore waits before another call. It fails if the client hangs up.
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
