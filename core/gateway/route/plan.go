package route

import (
	"math/rand/v2"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// Query describes the request that a plan is for.
type Query struct {
	Model  string
	Region string // of the tenant; empty for any
	// Latencies and Prices select the cheapest target that is fast enough, on routes with a limit. The limit needs
	// both.
	Latencies *Latencies
	Prices    Prices
	// Chosen is set if a link, such as a policy's ROUTE, chose the name. It also reaches providers that no route names.
	Chosen bool
	// Still queries without taking a turn, so that the order of real calls does not shift.
	Still bool
}

// Plan returns the targets that would be tried for a model if a link chose it, or none if no provider serves it. It
// takes no turn: a query before a call must not shift the order of calls. The caller must not modify the slice.
func (r *Router) Plan(model string) []core.TargetRef {
	e := r.findEntry(model)
	if e == nil {
		return nil
	}
	return e.arrangeTargets(false)
}

// PlanFor is Plan that also considers the tenant's region and the route's latency limit. known is false if no provider
// that the query reaches serves the model; an empty plan for a known model has no target in a region that the tenant
// may use. dst is spare memory for the plan. The result may lie elsewhere and must not be modified.
func (r *Router) PlanFor(dst []core.TargetRef, q Query) (plan []core.TargetRef, known bool) {
	e := r.findEntry(q.Model)
	if e != nil && !q.Chosen {
		e = e.forClients
	}
	if e == nil {
		return nil, false
	}
	plan = e.arrangeTargets(!q.Still)
	if q.Region != "" && e.regional {
		plan = appendByRegion(dst[:0], plan, q.Region, e.OtherRegions)
	}
	if e.LatencySLA > 0 && len(plan) > 1 && q.Latencies != nil && q.Prices != nil {
		// near may have written to dst already: then this copies it onto itself.
		plan = append(dst[:0], plan...)
		q.Latencies.sortRegions(plan, q.Region, e.LatencySLA, q.Prices)
	}
	return plan, true
}

// appendByRegion appends the targets in the region, then those without a region, and then, if allowed, the others.
func appendByRegion(dst, plan []core.TargetRef, region string, others bool) []core.TargetRef {
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

// sortRegions sorts the targets of each region by cost: a cheaper region does not precede the tenant's own.
func (l *Latencies) sortRegions(plan []core.TargetRef, region string, limit time.Duration, prices Prices) {
	for len(plan) > 0 {
		n := 1
		for region != "" && n < len(plan) && rankRegion(plan[n].Region, region) == rankRegion(plan[0].Region, region) {
			n++
		}
		if region == "" {
			n = len(plan)
		}
		l.sortByCost(plan[:n], limit, prices)
		plan = plan[n:]
	}
}

func rankRegion(region, own string) int {
	switch region {
	case own:
		return 0
	case "":
		return 1
	}
	return 2
}

// arrangeTargets orders the targets by the route's strategy. refs holds them twice, so that each rotation is a
// sub-slice. take is set for a plan that will be executed: it takes the turn.
func (e *entry) arrangeTargets(take bool) []core.TargetRef {
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
