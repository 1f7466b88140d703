package proxy

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// attempts is the progress of a request through the targets of its plan. Package route decides how often a target is
// called and whether the next may be.
type attempts struct {
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
	paid     bool          // the last call may have been charged for, and brought nothing

	first   chain.Decision // the first objection of a stage to a target
	skipped *core.Error    // why the first target was skipped
	last    *core.Error    // error of the last call
}

// send calls the targets of the plan in order, and returns the first answer whose head is no failure. acceptAnswer or
// retry reports whether the rest can be used.
func (c *call) send(ctx context.Context, plan []core.TargetRef) (*upstream.Response, *core.Error) {
	c.attempts = attempts{plan: plan, at: -1, needs: route.NeedsOf(&c.x.Head), action: route.NextTarget}
	return c.tryNext(ctx)
}

// tryNext makes calls, as the outcome of the last one requires, until one is answered.
func (c *call) tryNext(ctx context.Context) (*upstream.Response, *core.Error) {
	w := &c.attempts
	for {
		switch w.action {
		case route.GiveUp:
			return nil, c.noAnswerError()
		case route.NextTarget:
			if w.at++; w.at == len(w.plan) {
				return nil, c.noAnswerError()
			}
			if !c.enterTarget(ctx) {
				continue
			}
		case route.SameTarget: // the links admitted one call, which was paid for
			if w.paid && !c.askStages(ctx) {
				w.action = route.NextTarget
				continue
			}
		}
		w.paid = false
		p := c.snap.Providers[c.x.Target.Provider]
		permit, ok := c.snap.Traffic.Allow(p.Name())
		if !ok {
			w.skipped = cmp.Or(w.skipped, c.snap.Traffic.AllOpen(p))
			w.action = route.NextTarget
			continue
		}
		w.permit, w.pending, w.accepted = permit, true, false
		w.tries.Calls++
		res, e := c.attempt(ctx, p)
		if e == nil {
			return res, nil
		}
		if e = c.rejectAnswer(ctx, e); e != nil {
			return nil, e
		}
	}
}

// enterTarget moves to a target. It returns false if a stage objects to it, or if it lacks what the request needs.
func (c *call) enterTarget(ctx context.Context) bool {
	w := &c.attempts
	w.tries.Calls = 0
	c.x.Target = w.plan[w.at]
	// The free check comes first: links may count the call, or reserve money for it.
	if e := c.checkFit(c.snap.Providers[c.x.Target.Provider]); e != nil {
		w.skipped = cmp.Or(w.skipped, e)
		return false
	}
	return c.askStages(ctx)
}

// askStages asks the stages about the target.
func (c *call) askStages(ctx context.Context) bool {
	w := &c.attempts
	if d := c.chain.Target(ctx, &c.x); d.Action == core.Block {
		if w.first.Err == nil {
			w.first = d
		}
		return false
	}
	return true
}

// checkFit returns why the target cannot serve the request, or nil.
func (c *call) checkFit(p route.Provider) *core.Error {
	if c.x.Target.Wire = p.Wire(&c.x); c.x.Target.Wire == "" {
		return notServedError(p, c.d)
	}
	return c.attempts.needs.Missing(p.Label(), p.Capabilities(c.x.Target.Model))
}

// noAnswerError returns the error of a request that no target has answered.
func (c *call) noAnswerError() *core.Error {
	w := &c.attempts
	switch {
	case w.last != nil:
		if c.x.Outcome.Kind == 0 {
			c.x.Outcome.Kind = core.UpstreamErr
		}
		return w.last
	case w.skipped != nil:
		return w.skipped
	}
	return c.blockedError(w.first)
}

// attempt calls one provider. The error is nil if the head of the answer is no failure.
func (c *call) attempt(ctx context.Context, p route.Provider) (*upstream.Response, *core.Error) {
	w := &c.attempts
	if e := c.prepare(p); e != nil {
		w.result = route.Result{Ours: true}
		return nil, e
	}
	began := c.now()
	c.addTraceparent(began)
	c.req.Room = &c.room
	res, err := p.Client().Do(ctx, &c.req)
	a := core.Attempt{Target: c.x.Target, Began: began, Duration: time.Since(began)}
	if err != nil {
		a.Lost = !isUnsent(err)
		c.state.asked = c.state.asked || a.Lost
		c.x.Attempts = append(c.x.Attempts, a)
		e := c.callError(ctx, p, err)
		if w.result.Timeout && !w.result.Ours { // it is at least that slow
			c.snap.Traffic.Observe(&c.x.Target, a.Duration)
		}
		return nil, e
	}
	c.state.asked = true
	a.Status, w.began, w.result = res.Status, a.Duration, route.ResultOf(res, nil)
	c.x.Attempts = append(c.x.Attempts, a)
	if res.Status >= http.StatusOK && res.Status < 300 {
		return res, nil
	}
	return nil, c.providerError(p, res)
}

func isUnsent(err error) bool {
	var u *upstream.Error
	return errors.As(err, &u) && u.Unsent
}
