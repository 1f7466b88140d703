package proxy

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// attempts is how a request goes through the targets of its plan. How often one is
// called, and whether the next may be, is package route's decision.
type attempts struct {
	plan     []core.TargetRef
	at       int // the target that is tried
	needs    route.Needs
	tries    route.Tries
	action   route.Action
	permit   route.Call
	pending  bool          // the permit wants its report
	accepted bool          // the answer is the client's: there will be no other
	began    time.Duration // how long the answer took to begin
	result   route.Result  // of the last call, as far as it has come
	paid     bool          // the last call may have cost something, and brought nothing

	first   core.Decision // the first target that a stage objected to
	skipped *core.Error   // why the first target was left out
	last    *core.Error   // how the last call ended
}

// send tries the targets of the plan in order, and gives the first answer whose
// head is no failure. Whether the rest can be used, used or again is told.
func (c *call) send(ctx context.Context, plan []core.TargetRef) (*upstream.Response, *core.Error) {
	c.attempts = attempts{plan: plan, at: -1, needs: route.NeedsOf(&c.x.Head), action: route.NextTarget}
	return c.tryNext(ctx)
}

// tryNext makes calls as the last one's outcome says, until one is answered.
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
		case route.SameTarget: // the links have let one call through, which was paid for
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

// enterTarget takes up a target, unless a stage objects to it, or it lacks what the
// request needs.
func (c *call) enterTarget(ctx context.Context) bool {
	w := &c.attempts
	w.tries.Calls = 0
	c.x.Target = w.plan[w.at]
	// First what costs nothing: the links may count the call, or hold money for it.
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

// checkFit gives the reason against a target: what the request needs and it lacks.
func (c *call) checkFit(p core.Provider) *core.Error {
	if c.x.Target.Wire = p.Wire(&c.x); c.x.Target.Wire == "" {
		return notServedError(p, c.d)
	}
	return c.attempts.needs.Missing(p.Label(), p.Capabilities(c.x.Target.Model))
}

// noAnswerError is the error of a request that no target has answered.
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

// attempt calls one provider. The error is nil for an answer whose head is no
// failure.
func (c *call) attempt(ctx context.Context, p core.Provider) (*upstream.Response, *core.Error) {
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
		if w.result.Timeout && !w.result.Ours { // it is at least as slow as that
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
