package proxy

import (
	"cmp"
	"context"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/core/llm"
)

// attempts makes the calls of one exchange to providers: it goes through the targets of a plan, builds each request, and
// judges what came of it. Package route decides how often a target is called and whether the next may be.
type attempts struct {
	call *call
	req  upstream.Request
	room upstream.Room
	sent []byte // the body as forwarded, if edited
	cuts cuts   // between the client's body and sent
	progress
}

// progress is how far a request has come through the targets of its plan.
type progress struct {
	plan     []core.TargetRef
	at       int // index of the current target
	needs    route.Needs
	tries    route.Tries
	action   route.Action
	permit   route.Call
	pending  bool          // the permit must be reported
	accepted bool          // the client gets this answer: there will be no other call
	began    time.Duration // how long the answer took to begin
	result   route.Result  // of the last call, so far
	paid     bool          // the last call may have been charged for without a usable answer

	first   chain.Decision // the first objection of a stage to a target
	skipped *core.Error    // why the first target was skipped
	last    *core.Error    // error of the last call
}

// accept records that the client gets this answer, so there will be no other call.
func (a *attempts) accept() {
	if !a.pending {
		return
	}
	a.pending, a.accepted = false, true
	a.permit.Report(route.Served)
	if !a.isBooking() {
		a.call.snap.Traffic.Observe(&a.call.x.Target, a.began)
	}
}

// reject reports a call without a usable answer, and decides what comes next. It fails if the client hangs up
// meanwhile.
func (a *attempts) reject(ctx context.Context, e *core.Error) *core.Error {
	a.pending = false
	a.permit.Report(a.result.Blame())
	a.call.bill.addDropped()
	if a.result.Ours && e.Kind == core.InvalidRequest { // this target cannot serve the request; another may
		a.skipped, a.action = cmp.Or(a.skipped, e), route.NextTarget
		return nil
	}
	a.last = e
	var wait time.Duration
	if wait, a.action = a.call.snap.Traffic.ChooseNext(a.tries, a.result); wait > 0 {
		if e := a.awaitRetry(ctx, wait); e != nil {
			return e
		}
		a.tries.Waited += wait
	}
	return nil
}

// retryAttempt continues after an unusable answer, of which the client has seen nothing. It returns e if no other call may
// follow.
func (a *attempts) retryAttempt(ctx context.Context, e *core.Error) (*upstream.Response, *core.Error) {
	if !a.pending || e.Link != "" {
		return nil, e
	}
	if e := a.reject(ctx, e); e != nil {
		return nil, e
	}
	if a.action != route.GiveUp {
		a.call.x.Response.Reset()
		a.call.x.Usage, a.call.x.FirstByte, a.call.out = llm.Usage{}, time.Time{}, a.call.out[:0]
		a.call.bill.sample.reset()
		a.call.answer.events.Reset()
		a.call.answer.event.Reset(nil)
	}
	return a.tryTargets(ctx)
}

// reportLastCall reports the last call. A failure that the provider reports after part of its answer was sent counts
// against it.
func (a *attempts) reportLastCall() {
	switch b := a.result.Blame(); {
	case a.pending:
		a.permit.Report(b)
	case a.accepted && b == route.Failed:
		a.permit.Report(route.BrokeOff)
	}
	a.progress = progress{}
}

// awaitRetry waits before another call. It fails if the client hangs up.
func (a *attempts) awaitRetry(ctx context.Context, wait time.Duration) *core.Error {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return a.newHangupError(ctx.Err())
	}
}

// reset prepares for another exchange. Large values are assigned one by one: in a common assignment they are built
// elsewhere and copied.
func (a *attempts) reset() {
	clear(a.req.Header)
	a.req = upstream.Request{Header: a.req.Header[:0]}
	a.room = upstream.Room{}
	a.progress = progress{}
	a.cuts, a.sent = a.cuts[:0], scratch.Reset(a.sent)
}
