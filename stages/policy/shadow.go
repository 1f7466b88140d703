package policy

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// Kinds of divergence.
const (
	divergeDeny   = "shadow_deny_active_allow"
	divergeAllow  = "shadow_allow_active_deny"
	divergeRedact = "shadow_redact_differs"
	divergeRoute  = "shadow_route_differs"
	divergeCap    = "shadow_cap_differs"
	divergeWarn   = "shadow_warn_differs"
	divergeError  = "shadow_error"
)

// Events are sent in batches: as many as are waiting, up to a limit, or those of a period.
const (
	batchEvents = 256
	batchEvery  = 250 * time.Millisecond
)

// queue evaluates policies in shadow mode in the background, one exchange after the other.
type queue struct {
	jobs    chan job
	dropped atomic.Int64
	to      Source
	stop    context.CancelFunc
	done    sync.WaitGroup
}

// job is one exchange to evaluate.
type job struct {
	plan    *plan
	facts   *dsl.Facts
	request string
	at      time.Time
}

func newQueue(size int, to Source) *queue {
	ctx, stop := context.WithCancel(context.Background())
	q := &queue{jobs: make(chan job, size), to: to, stop: stop}
	q.done.Go(func() { q.run(ctx) })
	return q
}

// add queues an exchange, or drops it if the queue is full.
func (q *queue) add(w *work, x *core.Exchange) {
	if len(q.jobs) == cap(q.jobs) { // before the copy is made
		q.dropped.Add(int64(len(w.plan.shadow)))
		return
	}
	select {
	case q.jobs <- job{plan: w.plan, facts: w.f.Clone(), request: strings.Clone(x.ID), at: x.Received}:
	default:
		q.dropped.Add(int64(len(w.plan.shadow)))
	}
}

// close evaluates the queued exchanges and ends. q may be nil.
func (q *queue) close() {
	if q == nil {
		return
	}
	q.stop()
	q.done.Wait()
}

func (q *queue) run(ctx context.Context) {
	tick := time.NewTicker(batchEvery)
	defer tick.Stop()
	var events []policydoc.ShadowEvent
	flush := func() {
		if dropped := int(q.dropped.Swap(0)); len(events) > 0 || dropped > 0 {
			q.to.StoreShadowEvents(context.WithoutCancel(ctx), events, dropped)
			events = events[:0]
		}
	}
	for {
		select {
		case j := <-q.jobs:
			if events = j.evaluate(events); len(events) >= batchEvents {
				flush()
			}
		case <-tick.C:
			flush()
		case <-ctx.Done():
			for len(q.jobs) > 0 {
				events = (<-q.jobs).evaluate(events)
			}
			flush()
			return
		}
	}
}

// evaluate appends an event for each policy in shadow mode. A policy that lacks an input is not evaluated.
func (j job) evaluate(dst []policydoc.ShadowEvent) []policydoc.ShadowEvent {
	active := dsl.Decide(j.plan.set, j.facts)
	for i := range j.plan.shadow {
		s := &j.plan.shadow[i]
		with := dsl.Decide(s.set, j.facts)
		e := policydoc.ShadowEvent{
			Policy: s.policy.ID, Request: j.request, Tenant: j.facts.Tenant, Model: j.facts.Asked[0],
			Active: active.Status, Shadow: with.Status, At: j.at,
		}
		switch {
		case hasFailed(s, with):
			e.Divergence = divergeError
		case active.Status == dsl.Undetermined || with.Status == dsl.Undetermined:
			continue
		default:
			e.Divergence = nameDivergence(active, with)
		}
		e.Diverged = e.Divergence != ""
		e.Rule = findDecider(s, active, with, e.Divergence)
		dst = append(dst, e)
	}
	return dst
}

// hasFailed reports whether a rule of the shadow policy could not be evaluated.
func hasFailed(s *shadow, with *dsl.Result) bool {
	for _, note := range with.Notes {
		if strings.HasPrefix(note, s.policy.Name+"/") {
			return true
		}
	}
	return false
}

// nameDivergence returns how two results differ, or "".
func nameDivergence(active, with *dsl.Result) string {
	a, b := &active.Effects, &with.Effects
	switch {
	case active.Status != with.Status && with.Status == dsl.Denied:
		return divergeDeny
	case active.Status != with.Status:
		return divergeAllow
	case with.Status == dsl.Denied:
		return "" // the effects of what is refused are none
	case strings.Join(a.Redact, ",") != strings.Join(b.Redact, ","):
		return divergeRedact
	case normalizeTarget(a.Route) != normalizeTarget(b.Route):
		return divergeRoute
	case a.Cap != b.Cap:
		return divergeCap
	case len(a.Warnings) > 0 != (len(b.Warnings) > 0):
		return divergeWarn
	}
	return ""
}

func normalizeTarget(r *dsl.Routed) (out dsl.Routed) {
	if r != nil {
		out = *r
		out.RuleID = "" // two rules may lead to one place
	}
	return out
}

// findDecider returns the rule that an event names: the one of the shadow policy that made the difference, or, if the
// shadow policy passes the request, the active one that denies it.
func findDecider(s *shadow, active, with *dsl.Result, kind string) string {
	switch {
	case kind == divergeAllow:
		return active.RuleID
	case with.Status == dsl.Denied:
		return with.RuleID
	}
	wanted := map[string]dsl.Action{
		divergeRedact: dsl.Redact, divergeRoute: dsl.Route, divergeCap: dsl.CapTokens, divergeWarn: dsl.WarnAgent,
	}[kind]
	for _, label := range with.Matched {
		id, own := strings.CutPrefix(label, s.policy.Name+"/")
		if !own {
			continue
		}
		for _, r := range s.policy.Rules {
			if r.ID == id && (wanted == "" || r.Action == wanted) {
				return id
			}
		}
	}
	return ""
}
