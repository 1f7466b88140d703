package route

import (
	"math/rand/v2"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// Query is what a plan is made for.
type Query struct {
	Model  string
	Region string // of the tenant; "": no matter
	// Latencies and Prices choose the cheapest target that is fast enough where
	// the route has a limit. Without either the limit has no effect.
	Latencies *Latencies
	Prices    Prices
	// Still asks without taking a turn: the order of the calls themselves does not shift.
	Still bool
}

// Plan tells which targets would be tried for a model, or none when nobody serves
// it. It takes no turn: whoever asks before a call must not shift the order of the
// calls themselves. The slice must not be changed.
func (r *Router) Plan(model string) []core.TargetRef {
	e := r.entry(model)
	if e == nil {
		return nil
	}
	return e.plan(false)
}

// PlanFor is Plan with the tenant's region and the route's latency limit taken
// into account. known is false when nobody serves the model; a plan that is
// empty all the same has no target that may be used from the region. dst is
// room for the plan, which may lie elsewhere and must not be changed.
func (r *Router) PlanFor(dst []core.TargetRef, q Query) (plan []core.TargetRef, known bool) {
	e := r.entry(q.Model)
	if e == nil {
		return nil, false
	}
	plan = e.plan(!q.Still)
	if q.Region != "" && e.regional {
		plan = near(dst[:0], plan, q.Region, e.OtherRegions)
	}
	if e.LatencySLA > 0 && len(plan) > 1 && q.Latencies != nil && q.Prices != nil {
		// near may have written to dst already, and then this copies it onto itself.
		plan = append(dst[:0], plan...)
		q.Latencies.within(plan, q.Region, e.LatencySLA, q.Prices)
	}
	return plan, true
}

// near appends the targets in the region, then those that are bound to none,
// and then, if that is allowed, the others.
func near(dst, plan []core.TargetRef, region string, others bool) []core.TargetRef {
	for i := range plan {
		if plan[i].Region == region {
			dst = append(dst, plan[i])
		}
	}
	for i := range plan {
		if plan[i].Region == "" {
			dst = append(dst, plan[i])
		}
	}
	for i := range plan {
		if others && plan[i].Region != "" && plan[i].Region != region {
			dst = append(dst, plan[i])
		}
	}
	return dst
}

// within orders by cost the targets of each region by themselves: a cheaper
// region does not come before the tenant's own.
func (l *Latencies) within(plan []core.TargetRef, region string, limit time.Duration, prices Prices) {
	for len(plan) > 0 {
		n := 1
		for region != "" && n < len(plan) && nearness(plan[n].Region, region) == nearness(plan[0].Region, region) {
			n++
		}
		if region == "" {
			n = len(plan)
		}
		l.cheapest(plan[:n], limit, prices)
		plan = plan[n:]
	}
}

func nearness(region, own string) int {
	switch region {
	case own:
		return 0
	case "":
		return 1
	}
	return 2
}

// plan orders the targets by the route's strategy. refs holds them twice, so
// that each order which begins with another target is a part of it. take is for a plan that is carried
// out: it takes the turn.
func (e *entry) plan(take bool) []core.TargetRef {
	n := len(e.refs) / 2
	first := 0
	switch e.Strategy {
	case RoundRobin:
		turn := e.turn.Load()
		if take {
			turn = e.turn.Add(1) - 1
		}
		first = int(turn % uint64(n))
	case Weighted:
		if n == 1 {
			break
		}
		at := rand.IntN(max(e.total, 1))
		for first = range e.Targets {
			if at -= e.Targets[first].Weight; at < 0 {
				break
			}
		}
	}
	return e.refs[first : first+n : first+n]
}
