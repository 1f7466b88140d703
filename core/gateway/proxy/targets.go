package proxy

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/socket"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// callTargets calls the targets of the plan in order, and returns the first answer whose head is not a failure.
// Whether the rest can be used is known only when it is read; see retryAttempt.
func (a *attempts) callTargets(ctx context.Context, plan []core.TargetRef) (*upstream.Response, *core.Error) {
	a.progress = progress{plan: plan, at: -1, needs: route.DeriveNeeds(&a.call.x.Head), action: route.NextTarget}
	return a.tryTargets(ctx)
}

// tryTargets makes calls, as the outcome of the last one requires, until one is answered.
func (a *attempts) tryTargets(ctx context.Context) (*upstream.Response, *core.Error) {
	for {
		switch a.action {
		case route.GiveUp:
			return nil, a.newNoAnswerError()
		case route.NextTarget:
			if a.at++; a.at == len(a.plan) {
				return nil, a.newNoAnswerError()
			}
			if !a.enterTarget(ctx) {
				continue
			}
		case route.SameTarget: // the links admitted one call, which was charged
			if a.paid && !a.askStages(ctx) {
				a.action = route.NextTarget
				continue
			}
		}
		a.paid = false
		p := a.call.snap.Providers[a.call.x.Target.Provider]
		permit, ok := route.Call{}, true
		if !a.isBooking() {
			permit, ok = a.call.snap.Traffic.Allow(a.describeCall(p.Name()))
		}
		if !ok {
			a.skipped = cmp.Or(a.skipped, a.call.snap.Traffic.NewAllOpenError(p, a.call.x.Target.Model))
			a.action = route.NextTarget
			continue
		}
		a.permit, a.pending, a.accepted = permit, true, false
		a.tries.Calls++
		res, e := a.callProvider(ctx, p)
		if e == nil {
			return res, nil
		}
		if e = a.reject(ctx, e); e != nil {
			return nil, e
		}
	}
}

// isBooking reports whether the exchange books what a provider has done already. It calls no provider, so it tells nothing about the
// health or the speed of the provider, and no open circuit may refuse it.
func (a *attempts) isBooking() bool {
	_, fixed := a.call.line.(socket.FixedLine)
	return fixed
}

// describeCall describes the next call to the circuit breakers. All keys of one tenant count as one witness, because whoever
// manages them can create more, unless the gateway has only one tenant.
func (a *attempts) describeCall(provider string) route.Ask {
	caller, audience := a.call.x.Principal, a.call.snap.Keys.Audience()
	ask := route.Ask{Provider: provider, Model: a.call.x.Target.Model, Caller: caller.Lineage, Alone: audience == auth.OneKey}
	if audience == auth.SeveralTenants {
		ask.Caller = caller.Tenant
	}
	return ask
}

// enterTarget moves to a target. It returns false if a stage objects to it, if it lacks what the request needs, or if it is treated
// as down.
func (a *attempts) enterTarget(ctx context.Context) bool {
	a.tries.Calls = 0
	if a.skipDown(&a.plan[a.at]) {
		return false
	}
	a.call.x.Target = a.plan[a.at]
	// The free check comes first: links may count the call, or reserve money for it.
	if e := a.checkFit(a.call.snap.Providers[a.call.x.Target.Provider]); e != nil {
		a.skipped = cmp.Or(a.skipped, e)
		return false
	}
	return a.askStages(ctx)
}

// askStages asks the stages about the target.
func (a *attempts) askStages(ctx context.Context) bool {
	if d := a.call.chain.RunTarget(ctx, &a.call.x); d.Action == core.Block {
		if a.first.Err == nil {
			a.first = d
		}
		return false
	}
	return true
}

// checkFit returns why the target cannot serve the request, or nil.
func (a *attempts) checkFit(p route.Provider) *core.Error {
	if a.call.x.Target.Wire = p.ChooseWire(&a.call.x); a.call.x.Target.Wire == "" {
		return newNotServedError(p, a.call.d)
	}
	if l := a.call.line; l != nil && !l.Serves(a.call.x.Target) {
		return newNotInSessionError()
	}
	return a.needs.CheckCapabilities(p.Label(), p.FindCapabilities(a.call.x.Target.Model))
}

// newNoAnswerError returns the error of a request that no target has answered.
func (a *attempts) newNoAnswerError() *core.Error {
	switch {
	case a.first.Err != nil && a.first.Err.Code == core.CodeQuota: // a retry is pointless before the budget allows a call
		return a.call.newBlockedError(a.first)
	case a.last != nil:
		if a.call.x.Outcome.Kind == 0 {
			a.call.x.Outcome.Kind = core.UpstreamErr
		}
		return a.last
	case a.skipped != nil:
		return a.skipped
	}
	return a.call.newBlockedError(a.first)
}

// callProvider calls one provider. The error is nil if the head of the answer is not a failure.
func (a *attempts) callProvider(ctx context.Context, p route.Provider) (*upstream.Response, *core.Error) {
	if e := a.prepareRequest(p); e != nil {
		a.result = route.Result{Ours: true}
		return nil, e
	}
	began := a.call.readTime()
	a.addTraceparent(began)
	a.req.Room = &a.room
	var res *upstream.Response
	var err error
	if l := a.call.line; l != nil {
		res, err = l.Do(ctx, p.Client(), a.call.x.Target, &a.req)
	} else {
		res, err = p.Client().Do(ctx, &a.req)
	}
	made := core.Attempt{Target: a.call.x.Target, Began: began, Duration: time.Since(began)}
	if err != nil {
		made.Lost = !isUnsent(err)
		a.call.state.asked = a.call.state.asked || made.Lost
		a.call.x.Attempts = append(a.call.x.Attempts, made)
		e := a.convertCallError(ctx, p, err)
		if a.result.Timeout && !a.result.Ours { // the provider is at least that slow
			a.call.snap.Traffic.Observe(&a.call.x.Target, made.Duration)
		}
		return nil, e
	}
	a.call.state.asked = true
	made.Status, a.began, a.result = res.Status, made.Duration, route.ClassifyResult(res, nil)
	a.call.x.Attempts = append(a.call.x.Attempts, made)
	if res.Status >= http.StatusOK && res.Status < 300 {
		return res, nil
	}
	return nil, a.readProviderError(p, res)
}

func isUnsent(err error) bool {
	var u *upstream.Error
	return errors.As(err, &u) && u.Unsent
}
